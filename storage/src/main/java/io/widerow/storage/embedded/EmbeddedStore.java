package io.widerow.storage.embedded;

import io.widerow.event.EventId;
import io.widerow.event.RetentionPolicy;
import io.widerow.event.TimeUuid;
import io.widerow.storage.ClockReport;
import io.widerow.storage.Damage;
import io.widerow.storage.EventStore;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.ReadingThreads;
import io.widerow.storage.RecoveryReport;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreStatistics;
import io.widerow.storage.StoreVersions;
import io.widerow.storage.StoreView;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.StoreClock;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.live.StoreState;
import io.widerow.storage.maintenance.ColdControl;
import io.widerow.storage.maintenance.DiskRoom;
import io.widerow.storage.maintenance.JournalPin;
import io.widerow.storage.maintenance.Merger;
import io.widerow.storage.maintenance.Sealer;
import io.widerow.storage.maintenance.SpoolTrimmer;
import io.widerow.storage.manifest.StoreFormat;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.rows.RowMemory;
import io.widerow.storage.scan.BlockReaderPool;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The store on this machine: a directory, open rows (memtables) in native memory, one journal
/// (write-ahead log) a lane.
///
/// ```
///   directory/
///     FORMAT           what a program must understand        LOCK      who has the store open
///     manifest         which segments are live               notes/    what lanes remember
///     journal/         groups not sealed yet, by lane        segments/ the rest
///     witness          how far the journals were durable
///     ballast          room that a full disk gets back
/// ```
///
/// This class assembles the parts, serves callers and closes the store; [StoreContents] holds the
/// state that changes.
///
/// - Threads: it starts none. Sealing (flush), merging (compaction) and making journal files run on
///   the executor that the owner hands in: at most three tasks a lane and one merge at a time. With
///   fewer threads one task waits for another. An executor that runs tasks at once runs them on the
///   thread that causes them. The executor must take and run tasks until the store is closed.
/// - Memory: `openBytes` of native memory, twice that while readers hold rows that were sealed
///   since, and one encoder buffer a lane.
/// - Errors: a failed write or force of journal or manifest ends the write side permanently;
///   reading continues. To write again, open the store again.
public final class EmbeddedStore implements EventStore {
  /// The manifest's last sane time may be so old while the store is open, and when it is closed:
  /// less than what the clock may be ahead of it at the next opening.
  private static final Duration CLOCK_AGE = Duration.ofMinutes(5);

  private static final Duration CLOCK_AGE_CLOSED = Duration.ofMinutes(1);
  private static final String NOT_BY_AGE = "a drained store drops released events, not by age";

  private final StoreConfig config;
  private final StoreClock clock;
  private final OpenedFiles files;
  private final StoreContents contents;
  private final RowMemory memory;
  private final OpenedExtension extension;
  private final JournalPin trims;
  private final Sealer sealer;
  private final Merger merger;
  private final SpoolTrimmer drainer;
  private final DiskRoom room;
  private final OpenedLanes lanes;
  private final RetentionControl retention;
  private final LayoutSettings layout;
  private final DeletionControl deletions;
  private final ColdControl cold;
  private final RecoveryReport recovery;
  private final BlockReaderPool readers = new BlockReaderPool();

  /// Opens the store of a directory on this machine's disk, or makes one.
  ///
  /// @param background runs sealing and merging
  /// @throws StorageException when the directory is not ours, locked, newer, or damaged. Nothing
  ///   was changed then
  public static EmbeddedStore open(StoreConfig config, Executor background) {
    Disk disk = new RealDisk();
    return new EmbeddedStore(
        new StoreOpener(config, disk, StoreClock.system(), background)
            .open(id -> ChronicleJournalFactory.of(config, disk, id, background)));
  }

  /// Opens a stopped store for reading. Nothing on the disk changes. Acknowledged groups that are
  /// lost from its journal do not keep it from opening: [#recovery] names them.
  ///
  /// @throws StorageException when the directory is no store, locked, newer, or damaged
  public static EmbeddedStore openForReading(Path directory) {
    Disk disk = new RealDisk();
    return new EmbeddedStore(
        new StoreOpener(StoreConfig.at(directory), disk, StoreClock.system(), Runnable::run)
            .openForReading(ChronicleJournalFactory.ofStopped(directory, disk)));
  }

  /// Opens the store of a directory, or makes one, that its owner drains: it reads what arrived
  /// since a position, copies it elsewhere, and releases it with [#release] here. Until then the
  /// store keeps every event, however old: it neither merges (compacts) nor has a retention. All
  /// else is as in [#open].
  ///
  /// @param background runs sealing and dropping
  /// @throws StorageException when the directory is not ours, locked, newer, or damaged. Nothing
  ///   was changed then
  public static EmbeddedStore openSpool(StoreConfig config, Executor background) {
    Disk disk = new RealDisk();
    return new EmbeddedStore(
        new StoreOpener(config, disk, StoreClock.system(), background)
            .drained()
            .open(id -> ChronicleJournalFactory.of(config, disk, id, background)));
  }

  public EmbeddedStore(StoreParts parts) {
    LaneContext shared = parts.shared();
    this.config = parts.config();
    this.clock = shared.clock();
    this.files = parts.files();
    this.contents = files.contents();
    this.memory = parts.memory();
    this.extension = parts.extension();
    this.trims = parts.trims();
    this.sealer = shared.sealer();
    this.merger = new Merger(contents, files.segments(), sealer.pace(), sealer.executor());
    this.drainer = new SpoolTrimmer(contents, sealer.executor());
    this.room = shared.room();
    this.lanes = parts.lanes();
    this.retention =
        new RetentionControl(contents, lanes::requireTidy, () -> view(ReadDeadline.none()));
    this.layout = new LayoutSettings(contents, clock, lanes::requireTidy);
    this.deletions =
        new DeletionControl(contents, files.segments(), merger, lanes::now, lanes::requireTidy);
    LockedDirectory directory = files.directory();
    this.cold =
        new ColdControl(contents, files.segments(), directory.disk(), directory.path(), merger);
    this.recovery = parts.recovery();
  }

  /// Runs merging, and the dropping of expired events, on other threads than sealing: threads of
  /// low priority, so that the end of a bucket does not slow writers down.
  public void mergeOn(Executor threads) {
    merger.runOn(threads);
  }

  /// Lets these threads help views that are taken from now on.
  public void readWith(ReadingThreads threads) {
    readers.helpWith(threads);
  }

  public RecoveryReport recovery() {
    return recovery;
  }

  @Override
  public StoreVersions versions() {
    return recovery.versions();
  }

  @Override
  public int lanes() {
    return config.lanes();
  }

  @Override
  public LaneWriter lane(int lane) {
    return lanes.writer(lane);
  }

  @Override
  public int laneOf(EventId id, int lanesThen) {
    return Placement.laneOf(id.time(), id.tail(), lanesThen);
  }

  @Override
  public void allowSources() {
    if (StoreFormat.addSources(files.directory().disk(), files.directory().path())) {
      contents.changes().changed();
    }
  }

  @Override
  public byte[] secret() {
    return StoreSecret.of(contents.storeId());
  }

  @Override
  public long arrivalNanos() {
    return contents.clock().arrivalNanos();
  }

  @Override
  public long nowNanos() {
    return contents.clock().nowNanos();
  }

  @Override
  public long latestNanos() {
    return contents.clock().latestNanos();
  }

  @Override
  public ClockReport clock() {
    return contents.clockReport();
  }

  /// The last time at which the clock was right, in nanoseconds since the Unix epoch.
  public long saneNanos() {
    return contents.clock().durableNanos();
  }

  /// The journal has later times of before; sealing what it has keeps an opening from finding them.
  @Override
  public void acceptClock() {
    lanes.requireTidy();
    contents.acceptClock();
    requestSeal();
  }

  private void requireDrained(boolean drained, String otherwise) {
    if (contents.isDrained() != drained) {
      throw new IllegalStateException(otherwise);
    }
  }

  /// The retention policies of the store. A drained store drops released events and has no
  /// policies.
  @Override
  public RetentionControl retention() {
    requireDrained(false, NOT_BY_AGE);
    return retention;
  }

  /// Texts of a kind that it keeps for its owner.
  public SavedControl saved(SavedControl.Kind kind) {
    return new SavedControl(contents, lanes::requireTidy, kind);
  }

  /// The rollups that are defined in it.
  public RollupControl rollups() {
    return new RollupControl(contents, files.segments(), lanes::requireTidy, merger::start);
  }

  /// The layouts of its types. In a store that is drained they belong to its owner.
  public LayoutSettings layout() {
    return layout;
  }

  /// Changes stored events.
  public ReparseControl reparse() {
    requireDrained(false, NOT_BY_AGE);
    return new ReparseControl(contents, merger, lanes::now, lanes::requireTidy);
  }

  /// Gives partitions another form than a merge gave them.
  public RepartitionControl repartition() {
    return new RepartitionControl(contents, merger, lanes::requireTidy);
  }

  public DeletionControl deletions() {
    return deletions;
  }

  /// Its segments whose blocks are kept elsewhere.
  public ColdControl cold() {
    return cold;
  }

  /// The partitions of the store and their contents.
  public PartitionCatalog partitions() {
    return new PartitionCatalog(contents, clock, lanes::now);
  }

  @Override
  public StoreView view() {
    return view(ReadDeadline.none());
  }

  @Override
  public StoreView viewWithin(long nanos) {
    return view(ReadDeadline.of(nanos));
  }

  private EmbeddedView view(ReadDeadline deadline) {
    return EmbeddedView.of(contents, null, readers, sealer.executor(), deadline);
  }

  /// A view that ends earlier than now: it shows what had arrived before a position, and of each id
  /// the last write before it, also when a later one is here by now. Its position is that one. Each
  /// view that ends there shows the same, until something of it is released.
  ///
  /// @param to where groups end: a position of an earlier view, or one with each lane's number
  ///   after the last event of a group
  /// @throws IllegalStateException when the store was not opened with [#openSpool]
  public StoreView viewBefore(LaneArrivals to) {
    requireDrained(true, "only a store that is drained has views that end earlier");
    return EmbeddedView.of(contents, to, readers, sealer.executor(), ReadDeadline.none());
  }

  /// Looks through the ids in segments of earlier starts, so that views between two positions open
  /// only segments with their events. It skips damage. Call it once after opening.
  public void findArrivals() {
    SpoolArrivals.find(contents);
  }

  @Override
  public void retain(@Nullable String type, @Nullable Duration age) {
    requireDrained(false, NOT_BY_AGE);
    RetentionPolicy policy =
        RetentionPolicy.ofConfig(type == null ? "*" : type, age, Duration.ZERO);
    contents.retentions().change(now -> now.changed(now.policies().with(policy)));
  }

  /// Refuses events that have expired at the destination of a drained store's events: no reader
  /// would ever see them. Call it before the first append.
  ///
  /// @throws IllegalStateException when the store was not opened with [#openSpool]
  public void admitBy(RetentionLookup policy) {
    requireDrained(true, "only a store that is drained has a policy of elsewhere");
    contents.retentions().admitBy(policy);
  }

  @Override
  public void maintain() {
    long old = clock.monotonicNanos() - config.openAge().toNanos();
    for (EmbeddedLane lane : lanes.now()) {
      if (lane.isOlderThan(old)) {
        lane.requestSeal();
      }
    }
    if (!contents.hasEnded() && contents.holdsLock()) {
      contents.clock().observe();
      if (full() != null) {
        contents.retentions().keepAllNoLonger();
        lanes.now().forEach(lane -> contents.tidy(lane.journal()::giveBack));
      }
      lanes.now().forEach(this::trimAgain);
      writeWitness();
      layout.look();
      sealer.retry();
      if (lanes.isTidy()) {
        contents.keepClock(CLOCK_AGE);
        contents.retentions().weigh();
        retention.save();
        if (contents.isDrained()) {
          drainer.start();
        } else {
          merger.start();
          deletions.goOn();
        }
        contents.keepRoom();
      }
      lanes.goOn(sealer.executor()); // expired data may have made room
      extension.get().maintain(config.openAge());
    }
  }

  /// Frees the files that a journal let go of when everything in them was sealed already.
  private void trimAgain(EmbeddedLane lane) {
    contents.tidy(() -> trims.trim(lane.journal(), 0));
  }

  /// Records in the witness, apart from the journals, how far each journal is durable. While the
  /// lanes wait for room, its record of the old journals counts.
  private void writeWitness() {
    if (lanes.isStarted()) {
      try {
        List<Witness.Lane> durable =
            lanes.now().stream()
                .map(lane -> Witness.Lane.of(lane.forcedLsn(), lane.journal()))
                .toList();
        files.witnessFile().write(durable);
      } catch (StorageException left) {
        contents.backgroundFailed(left); // its earlier record stays true
      }
    }
  }

  @Override
  public @Nullable String full() {
    String waits = lanes.full();
    return waits == null ? room.full() : waits;
  }

  /// The part of the store that another module implements: its tables, separate from the events.
  /// The first write creates them; before that nothing of the store changes.
  ///
  /// @param type the module's name for them
  /// @throws StorageException.Incompatible when no module of tables is on the class path
  public <T> T extension(Class<T> type) {
    return extension.as(type);
  }

  /// Makes a copy of the store, by hard links, while everything else continues.
  ///
  /// @param target must not exist; its parent does, on the same file system
  /// @throws StorageException when `target` exists or links cannot be made; then nothing is left
  public StoreSnapshot.Report snapshot(Path target) {
    lanes.requireStarted(); // events only in the old journals have no lane
    return trims.holding(() -> StoreSnapshot.ofOpen(files, lanes.now(), extension.get(), target));
  }

  /// What a backup of the store takes from it. One at a time.
  ///
  /// @throws StorageException when the lanes wait for room
  public BackupFeed backup() {
    lanes.requireStarted();
    return new BackupFeed(this, files, trims, lanes::now, extension::get);
  }

  @Override
  public StoreStatistics statistics() {
    StoreState now = contents.state();
    List<LiveSegment> segments = now.segments().all();
    List<EmbeddedLane> writing = lanes.now();
    StoreExtension more = extension.get();
    StorageException end = contents.failure();
    StorageException background = contents.backgroundFailure();
    Stream<Damage> foundAtOpening =
        Stream.concat(recovery.damage().stream(), more.damage().stream()).distinct();
    return new StoreStatistics(
        writing.stream().mapToLong(lane -> lane.counters().events()).sum(),
        writing.stream().mapToLong(lane -> lane.counters().bytes()).sum(),
        now.rows().stream().mapToLong(OpenRows::committedEvents).sum(),
        now.rows().stream().mapToLong(OpenRows::filledBytes).sum(),
        memory.usedBytes() + lanes.heldBytes() + more.memoryBytes(),
        segments.size(),
        segments.stream().mapToLong(segment -> segment.entry().events()).sum(),
        segments.stream().mapToLong(segment -> segment.entry().bytes()).sum(),
        writing.stream().mapToLong(lane -> lane.journal().bytes()).sum(),
        writing.stream().mapToLong(lane -> lane.counters().journalBytes()).sum(),
        files.segments().bytesWritten(),
        sealer.sealedCount(),
        merger.merges(),
        end == null ? "" : String.valueOf(end.getMessage()),
        background == null ? "" : String.valueOf(background.getMessage()),
        Stream.concat(foundAtOpening, now.segments().damage()).toList());
  }

  /// Every event that arrived before a position is no longer needed; the store forgets it when that
  /// suits. Views taken from now on may show it or not, or an older version of it, so read with
  /// [io.widerow.storage.Scan#withSince] at this position or a later one. Sealing (flush) writes
  /// the other events only; segments without others are dropped, by the executor; the journal is
  /// trimmed as usual, at the latest when rows are older than [StoreConfig#openAge].
  ///
  /// A released event stays released while the store is open: an earlier position changes nothing.
  /// After a restart the owner calls this again, before the first append: every event that it never
  /// released is present, and numbers below the position are not assigned again. A group that was
  /// shown and not forced may be lost by a power cut, and its numbers with it. Any thread.
  ///
  /// @param to a position of a view of this store, in any number of lanes
  /// @throws IllegalStateException when the store was not opened with [#openSpool]
  public void release(LaneArrivals to) {
    requireDrained(true, "only a store that is drained forgets by position");
    contents.release(to);
    if (lanes.isTidy()) {
      drainer.start();
    }
  }

  /// The amount of committed data that arrived at or after a position. Looks at each segment's
  /// entry.
  public Pending pending(LaneArrivals from) {
    return Pending.of(contents, from);
  }

  /// Events that are appended from now on get arrival numbers of at least this one, and so ids that
  /// no other directory gave to events. A lower number than the next one changes nothing. Journal
  /// and manifest keep the numbers given, not this one: call it after each opening. Any thread.
  ///
  /// @param counter 0 to 2^45 (exclusive)
  public void arriveFrom(long counter) {
    if (counter < 0 || counter >= TimeUuid.COUNTER_LIMIT) {
      throw new IllegalArgumentException("arrival numbers are 0 to 2^45, got " + counter);
    }
    contents.arriveFrom(counter);
  }

  /// Seals everything committed, while no lane is written to. For owners that measure or hand over.
  public void sealAll() {
    contents.requireWriting();
    lanes.now().forEach(EmbeddedLane::sealForClose);
    extension.get().flush();
  }

  /// [#sealAll] while lanes are written to: each lane seals at its next commit what is committed.
  /// Any thread.
  public void requestSeal() {
    lanes.now().forEach(EmbeddedLane::requestSeal);
  }

  /// True until each lane has done what [#requestSeal] asked for. Any thread.
  public boolean isSealRequested() {
    return lanes.now().stream().anyMatch(EmbeddedLane::isSealRequested);
  }

  /// Waits for what runs in the background. For owners that measure, and for tests.
  public void awaitBackground() throws InterruptedException {
    sealer.drain();
    merger.drain();
    drainer.drain();
  }

  @Override
  public void close() {
    trims.close();
    lanes.stop();
    try {
      extension.close();
      sealer.pace().end();
      if (!contents.hasEnded() && contents.holdsLock()) {
        writeWitness();
        lanes.now().forEach(EmbeddedLane::sealForClose);
      }
      awaitBackground();
      if (!contents.hasEnded() && lanes.isTidy()) {
        contents.clock().observe();
        contents.keepClock(CLOCK_AGE_CLOSED);
      }
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    } finally {
      free();
    }
  }

  /// Closes every part, whichever fails.
  private void free() {
    try (StoreParts.Part _ = files.directory()::close;
        StoreParts.Part _ = lanes::free;
        StoreParts.Part _ = memory::close;
        StoreParts.Part _ = readers::close;
        StoreParts.Part _ = files::close;
        StoreParts.Part _ = sealer::close;
        StoreParts.Part _ = extension.get()::free) {
      EmbeddedLane.closeAll(lanes.now());
    }
  }
}
