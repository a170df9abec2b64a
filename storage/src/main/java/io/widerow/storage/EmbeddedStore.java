package io.widerow.storage;

import io.widerow.event.EventId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The store on this machine: a directory, open rows in native memory, one journal a lane.
///
/// ```
///   directory/
///     FORMAT           what a program must understand        LOCK      who has the store open
///     manifest         which segments are live               notes/    what lanes remember
///     journal/         what is not sealed yet, by lane       segments/ the rest
/// ```
///
/// - Threads: it starts none. Sealing, merging and the making of journal files run on the executor
///   that the owner hands in: at most three tasks a lane and one merge at a time, so that with
///   fewer threads one waits for another. With an executor that runs tasks at once they run on the
///   thread that causes them. The executor must take and run tasks until the store is closed.
/// - Memory: `openBytes` of native memory, twice that while readers hold rows that were sealed
///   meanwhile, and one encoder buffer a lane.
/// - Errors: a failed write or force of journal or manifest ends the write side for good; readers
///   go on. Opening the store again is the way back.
public final class EmbeddedStore implements EventStore {
  private final StoreConfig config;
  private final Disk disk;
  private final StoreClock clock;
  private final AutoCloseable lock;
  private final Manifest manifest; // guarded by this, but for its id
  private final SegmentFiles files;
  private final NotesFiles notes;
  private final RowMemory memory;
  private final AtomicLong arrivals;
  private final RisingClock arrivalClock;
  private final SegmentArrivals segmentArrivals = new SegmentArrivals();
  private final Sealer sealer;
  private final Merger merger;
  private final DiskRoom room;
  private final RowSupply supply;
  private final TrimHold trims = new TrimHold();
  private final Journal.Factory journals;
  private final Retentions retentions;
  private final List<Lane> lanes = new ArrayList<>();
  private final boolean readOnly;
  private volatile long segmentLimit;
  private RecoveryReport recovery = RecoveryReport.NONE;
  private final AtomicLong sealedCount = new AtomicLong();
  private volatile StoreState state = StoreState.empty(); // replaced under the lock of this
  private volatile @Nullable StorageException failed; // the write side's end
  private volatile @Nullable StorageException backgroundFailure;
  private final SharedReaders readers = new SharedReaders();

  /// Opens the store of a directory on this machine's disk, or makes one.
  ///
  /// @param background runs sealing and merging
  /// @throws StorageException when the directory is not ours, locked, newer, or damaged. Nothing
  ///   was changed then
  public static EmbeddedStore open(StoreConfig config, Executor background) {
    Disk disk = new RealDisk();
    return new StoreOpener(config, disk, StoreClock.system(), background)
        .open(id ->
            ChronicleJournalFactory.of(
                config.directory(), config.journalFileBytes(), disk, id, background));
  }

  /// Opens a stopped store for reading. Nothing on the disk changes. Acknowledged groups that are
  /// lost from its journal do not keep it from opening: [#recovery] names them.
  ///
  /// @throws StorageException when the directory is no store, locked, newer, or damaged
  public static EmbeddedStore openForReading(Path directory) {
    StoreConfig config = StoreConfig.at(directory);
    Disk disk = new RealDisk();
    return new StoreOpener(config, disk, StoreClock.system(), Runnable::run)
        .openForReading(id ->
            ChronicleJournalFactory.of(
                config.directory(), config.journalFileBytes(), disk, id, Runnable::run));
  }

  /// Merges, and drops what is past its retention, elsewhere than where rows are sealed: on threads
  /// that give way to others, so that a bucket that ends is no burden for those who write.
  public void mergeOn(Executor threads) {
    merger.runOn(threads);
  }

  /// Has views that are taken from now on helped.
  public void readWith(ReadingThreads threads) {
    readers.helpWith(threads);
  }

  SharedReaders readers() {
    return readers;
  }

  Executor others() {
    return sealer.executor();
  }

  EmbeddedStore(StoreOpener.Opened opened) {
    this.config = opened.config();
    this.disk = opened.disk();
    this.clock = opened.clock();
    this.lock = opened.lock();
    this.manifest = opened.manifest();
    this.files = opened.files();
    this.notes = opened.notes();
    this.memory = opened.memory();
    this.arrivals = new AtomicLong(Math.max(1, manifest.counterLimit()));
    this.arrivalClock = new RisingClock(clock::wallNanos, manifest.clockNanos());
    this.segmentLimit = manifest.segmentIdNext();
    this.retentions = new Retentions(config.retention());
    this.journals = opened.journals();
    this.readOnly = opened.readOnly();
    if (readOnly) {
      failed = new StorageException.ReadOnly("the store was opened for reading");
    }
    this.sealer = new Sealer(this, files, opened.background(), config.lanes());
    this.merger = new Merger(this, files, sealer.pace(), opened.background());
    this.room = new DiskRoom(disk, config, sealer);
    this.supply = new RowSupply(this, memory, sealer);
    this.state = StoreState.empty().replaced(List.of(), opened.segments(), List.of());
  }

  // For opening.

  /// Counters up to this one were used before.
  void usedCounters(long counterLimit) {
    arrivals.accumulateAndGet(counterLimit, Math::max);
  }

  /// Times up to this one were given before.
  void usedClock(long clockNanos) {
    arrivalClock.raise(clockNanos);
  }

  RisingClock arrivalClock() {
    return arrivalClock;
  }

  /// Everything journaled before is sealed; lanes go on behind `lsn`.
  void startLanes(long lsn, IntFunction<Lane> lane) {
    if (config.clockAccepted()) {
      arrivalClock.reset();
    }
    Map<Integer, Long> sealedLsns = new TreeMap<>();
    manifest.sealedLsns().keySet().forEach(old -> sealedLsns.put(old, lsn));
    for (int i = 0; i < config.lanes(); i++) {
      sealedLsns.put(i, lsn);
    }
    synchronized (this) {
      commit(List.of(), List.of(), sealedLsns, manifest.journals());
    }
    for (int i = 0; i < config.lanes(); i++) {
      lanes.add(lane.apply(i));
    }
    synchronized (this) {
      commit(List.of(), List.of(), Map.of(), config.lanes());
    }
  }

  void opened(RecoveryReport report) {
    recovery = report;
    segmentArrivals.opened(arrivals.get());
  }

  AtomicLong arrivals() {
    return arrivals;
  }

  /// Arrivals below this one were in the store when it was opened.
  long arrivalsAtOpen() {
    return segmentArrivals.atOpen();
  }

  /// Segments that are begun from now on have this number at least.
  long segmentLimit() {
    return segmentLimit;
  }

  /// True when all events of a segment came before a position.
  boolean isOlder(LiveSegment segment, Arrivals since) {
    long id = segment.entry().id();
    return id < since.segmentLimit() || segmentArrivals.limitOf(id) <= since.limitMin();
  }

  /// Takes what is replayed; null in a store that is only read, which keeps it open.
  @Nullable RecoverySealer recoverySealer(Executor executor) {
    return readOnly ? null : new RecoverySealer(this, sealer, executor);
  }

  /// What opening found and did.
  public RecoveryReport recovery() {
    return recovery;
  }

  @Override
  public int lanes() {
    return config.lanes();
  }

  @Override
  public LaneWriter lane(int lane) {
    return lanes.get(lane);
  }

  @Override
  public int laneOf(EventId id) {
    return Placement.shardOf(id.time(), id.tail(), config.shards()) % config.lanes();
  }

  @Override
  public byte[] secret() {
    return StoreSecret.of(manifest.storeId());
  }

  @Override
  public long arrivalNanos() {
    return arrivalClock.nanos();
  }

  @Override
  public StoreView view() {
    return EmbeddedView.of(this, Haste.NONE);
  }

  @Override
  public StoreView viewWithin(long nanos) {
    return EmbeddedView.of(this, Haste.of(nanos));
  }

  StoreState state() {
    return state;
  }

  long wallNanos() {
    return clock.wallNanos();
  }

  @Override
  public void retain(@Nullable String type, @Nullable Duration age) {
    retentions.set(type, age);
  }

  Retentions retentions() {
    return retentions;
  }

  @Override
  public void maintain() {
    long old = clock.monotonicNanos() - config.openAge().toNanos();
    for (Lane lane : lanes) {
      if (lane.isOlderThan(old)) {
        lane.requestSeal();
      }
    }
    if (failed == null) {
      sealer.retry();
      merger.start();
    }
  }

  // For lanes.

  OpenRows openRows(int lane, long arrivalFrom) {
    return supply.open(lane, arrivalFrom);
  }

  /// Rows in a piece of memory; null when all of it is in use.
  @Nullable OpenRows tryOpenRows(int lane, long arrivalFrom, RowMemory from) {
    OpenRows rows = OpenRows.tryOpen(lane, from, clock.monotonicNanos(), arrivalFrom);
    synchronized (this) {
      state = rows == null ? state : state.withRows(rows);
    }
    return rows;
  }

  void seal(SealJob job) {
    sealer.submit(job);
  }

  boolean hasEnded() {
    return failed != null;
  }

  void requireWriting() {
    StorageException end = failed;
    if (end != null) {
      throw new StorageException.Failed("the store takes no more writes: " + end.getMessage(), end);
    }
  }

  void requireRoom() {
    room.require();
  }

  @Override
  public @Nullable String full() {
    return room.full();
  }

  /// Ends the write side for good.
  synchronized StorageException fail(String action, RuntimeException cause) {
    StorageException end = failed;
    if (end == null) {
      end =
          cause instanceof StorageException known
              ? known
              : new StorageException.Failed("cannot " + action, cause);
      failed = end;
    }
    return end;
  }

  // For sealing and merging.

  synchronized long takeSegmentId() {
    long id = manifest.takeSegmentId();
    segmentLimit = id + 1;
    return id;
  }

  /// Rows are in segments, whose files are forced: makes that the truth.
  void sealed(SealJob job, List<LiveSegment> written) {
    requireWriting();
    OpenRows rows = job.rows();
    notes.append(rows.lane, job.notes(), job.notesNeeded());
    synchronized (this) {
      commit(written, List.of(), Map.of(rows.lane, rows.lsnLast()), manifest.journals());
      segmentArrivals.sealed(written, arrivals.get());
      replaceState(List.of(rows), written, List.of());
    }
    rows.close();
    sealedCount.incrementAndGet();
    if (rows.lane < lanes.size()) { // not while the store is being opened
      tidy(() -> trims.trim(lanes.get(rows.lane).journal(), rows.lsnLast()));
    }
  }

  /// Deletes what is no longer needed. A failure is told and changes nothing: the rest is deleted
  /// later, or when the store is opened.
  private void tidy(Runnable delete) {
    try {
      delete.run();
    } catch (StorageException left) {
      background(left);
    }
  }

  /// Segments replace others, or nothing does: makes that the truth, and deletes the others.
  void replaced(List<LiveSegment> written, List<LiveSegment> removed) {
    requireWriting();
    synchronized (this) {
      commit(written, removed, Map.of(), manifest.journals());
      segmentArrivals.replaced(written, removed);
      replaceState(List.of(), written, removed);
    }
    // Those who read a file go on, and may open it again: it goes when the last of them is done.
    removed.forEach(segment -> segment.retire(() -> tidy(() -> files.delete(segment.entry()))));
  }

  /// Under the lock. Whoever reads what was there before goes on with it.
  private void replaceState(
      List<OpenRows> removedRows, List<LiveSegment> added, List<LiveSegment> removed) {
    StoreState before = state;
    state = before.replaced(removedRows, added, removed);
    before.segments().close();
  }

  private void commit(
      List<LiveSegment> added,
      List<LiveSegment> removed,
      Map<Integer, Long> sealedLsns,
      int journals) {
    var edit =
        new ManifestEdit(
            manifest.segmentIdNext(),
            arrivals.get(),
            arrivalClock.highWaterNanos(),
            added.stream().map(LiveSegment::entry).toList(),
            removed.stream().map(segment -> segment.entry().id()).toList(),
            sealedLsns,
            journals);
    try {
      manifest.commit(edit);
    } catch (StorageException.DiskFull full) {
      throw full; // nothing was written
    } catch (RuntimeException failure) {
      throw fail("write the manifest", failure);
    }
  }

  /// Makes a copy of the store, by hard links, beside everything that goes on.
  ///
  /// @param target must not exist; its parent does, on the same file system
  /// @throws StorageException when `target` exists or links cannot be made. Nothing half-made is
  ///   left
  public StoreSnapshot.Report snapshot(Path target) {
    return trims.holding(
        () -> StoreSnapshot.ofOpen(this, notes, disk, manifest.storeId(), journals, target));
  }

  /// What the manifest says now.
  synchronized StoreSnapshot.Moment moment() {
    SegmentSet segments = state.segments();
    if (!segments.tryAcquire()) {
      throw new IllegalStateException("the present segments are not open");
    }
    return new StoreSnapshot.Moment(manifest.snapshot(), segments);
  }

  long[] committedLsns() {
    return lanes.stream().mapToLong(Lane::committedLsn).toArray();
  }

  /// A task in the background failed; it will be tried again.
  void background(StorageException failure) {
    backgroundFailure = failure;
  }

  StoreConfig config() {
    return config;
  }

  @Override
  public StoreStatistics statistics() {
    StoreState now = state;
    List<LiveSegment> segments = now.segments().all();
    StorageException end = failed;
    StorageException background = backgroundFailure;
    return new StoreStatistics(
        lanes.stream().mapToLong(Lane::eventsCommitted).sum(),
        lanes.stream().mapToLong(Lane::bytesCommitted).sum(),
        now.rows().stream().mapToLong(OpenRows::committedEvents).sum(),
        memory.usedBytes(),
        segments.size(),
        segments.stream().mapToLong(segment -> segment.entry().events()).sum(),
        segments.stream().mapToLong(segment -> segment.entry().bytes()).sum(),
        lanes.stream().mapToLong(lane -> lane.journal().bytes()).sum(),
        lanes.stream().mapToLong(Lane::journalBytesWritten).sum(),
        files.bytesWritten(),
        sealedCount.get(),
        merger.merges(),
        end == null ? "" : String.valueOf(end.getMessage()),
        background == null ? "" : String.valueOf(background.getMessage()),
        Stream.concat(recovery.damage().stream(), now.segments().damage()).toList());
  }

  /// Has everything committed sealed. For owners that measure or hand a store over; only while no
  /// lane is written to.
  public void sealAll() {
    requireWriting();
    lanes.forEach(Lane::sealForClose);
  }

  /// Waits for what runs in the background. For owners that measure, and for tests.
  ///
  /// @throws InterruptedException when the thread is interrupted meanwhile
  public void awaitBackground() throws InterruptedException {
    sealer.drain();
    merger.drain();
  }

  @Override
  public void close() {
    trims.close();
    try {
      sealer.pace().end();
      if (failed == null) {
        lanes.forEach(Lane::sealForClose);
      }
      awaitBackground();
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    } finally {
      free();
    }
  }

  private void free() {
    lanes.forEach(Lane::close);
    sealer.close();
    StoreState last;
    synchronized (this) {
      last = state;
      state = StoreState.empty();
      manifest.close();
    }
    last.segments().close();
    last.segments().all().forEach(LiveSegment::close);
    readers.close();
    memory.close();
    StoreLock.giveBack(config.directory(), lock);
  }
}
