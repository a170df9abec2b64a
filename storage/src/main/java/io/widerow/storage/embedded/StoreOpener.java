package io.widerow.storage.embedded;

import io.widerow.storage.Damage;
import io.widerow.storage.FailureReason;
import io.widerow.storage.JournalLoss;
import io.widerow.storage.RecoveryReport;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.Quarantine;
import io.widerow.storage.disk.StoreLock;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.NotesFiles;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.journal.WitnessFile;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.SegmentInventory;
import io.widerow.storage.live.StoreClock;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.maintenance.DiskRoom;
import io.widerow.storage.maintenance.JournalPin;
import io.widerow.storage.maintenance.RowSupply;
import io.widerow.storage.maintenance.Sealer;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.StoreFormat;
import io.widerow.storage.recovery.JournalRecovery;
import io.widerow.storage.recovery.RecoveredNotes;
import io.widerow.storage.recovery.RecoverySealer;
import io.widerow.storage.recovery.Replay;
import io.widerow.storage.recovery.ReplayedRows;
import io.widerow.storage.recovery.RowSink;
import io.widerow.storage.rows.RowMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Opens a store: checks before it changes anything, replays events that are not in segments, and
/// starts new journals. It returns the parts that an [EmbeddedStore] is made of.
///
/// 1. read FORMAT, take the lock, read the manifest, the notes and the segments' indexes, and check
///    the journals; anything wrong ends here, with nothing changed
/// 2. rewrite the manifest and delete the leftovers of a crash, unless something listed is missing
/// 3. replay the journals into rows and seal them all, so that the disk has what recovery saw; then
///    delete the old journals
/// 4. make a new journal for each lane
///
/// Killed at any point, the next opening does the same again and comes to the same state.
///
/// On a full disk steps 2 to 4 may find no room. Then the disk gets back what the journals reserved
/// and did not use, and the replayed rows stay in memory. The store is open for reading and expiry,
/// and a [DelayedStart] does steps 2 to 4 as soon as there is room.
///
/// - Threads: one; it uses the executor while it seals.
public final class StoreOpener {
  private final StoreConfig config;
  private final Disk disk;
  private final StoreClock clock;
  private final Executor background;
  private boolean drained;

  public StoreOpener(StoreConfig config, Disk disk, StoreClock clock, Executor background) {
    this.config = config;
    this.disk = disk;
    this.clock = clock;
    this.background = background;
  }

  /// Opens a store that is drained from now on.
  public StoreOpener drained() {
    drained = true;
    return this;
  }

  /// Opens for reading and writing; makes a store of an empty directory.
  public StoreParts open(Function<UUID, Journal.Factory> journals) {
    Path directory = config.directory();
    create(directory);
    if (StoreFormat.isStore(disk, directory, List.of(StoreLock.NAME))) {
      requireWritable(directory, StoreFormat.read(disk, directory));
    } else {
      Path parent = directory.toAbsolutePath().getParent();
      if (parent != null) {
        disk.forceDirectory(parent); // it was made just now, or by an opening that was cut off
      }
    }
    return locked(lock -> {
      UUID storeId = storeId(directory);
      return openOnAnyDisk(storeId, journals.apply(storeId), lock);
    });
  }

  /// A directory that cannot be created is a mistake of the operator, and no failure of the disk
  /// that passes.
  private void create(Path directory) {
    try {
      disk.createDirectory(directory);
    } catch (StorageException.Failed refused) {
      String why =
          refused.getCause() instanceof IOException failure
              ? FailureReason.of(failure)
              : String.valueOf(refused.getMessage());
      throw new StorageException.Incompatible(
          directory, "the directory of the store cannot be created: " + why);
    }
  }

  /// If there is no room, deletes what nothing needs, and leaves the writing for later.
  private StoreParts openOnAnyDisk(UUID storeId, Journal.Factory journals, Disk.Lock lock) {
    try {
      return open(storeId, journals, lock, OpenPurpose.WRITING);
    } catch (StorageException failure) {
      StorageException.DiskFull full = StorageException.DiskFull.in(failure);
      if (full == null) {
        throw failure;
      }
      journals.freeUnused();
      new SegmentFiles(disk, config.directory(), storeId).deleteUnfinished();
      new NotesFiles(disk, config.directory(), storeId).deleteUnfinished();
      StoreParts parts = open(storeId, journals, lock, OpenPurpose.WRITING_LATER);
      parts.shared().contents().backgroundFailed(full);
      parts.lanes().goOn(Runnable::run); // there may be enough room now
      return parts;
    }
  }

  /// The id of the store that the directory is now, or becomes. Read under the lock: another
  /// process may have made the store before.
  private UUID storeId(Path directory) {
    if (!disk.exists(directory.resolve(StoreFormat.NAME))) {
      return StoreFormat.create(disk, directory, UUID.randomUUID()).storeId();
    }
    StoreFormat format = StoreFormat.read(disk, directory);
    requireWritable(directory, format);
    return format.storeId();
  }

  /// Opens a stopped store for reading. Changes nothing; journaled events that are not sealed are
  /// held in memory.
  public StoreParts openForReading(Function<UUID, Journal.Factory> journals) {
    Path directory = config.directory();
    StoreFormat.requireStore(disk, directory);
    UUID storeId = StoreFormat.read(disk, directory).storeId();
    return locked(lock -> open(storeId, journals.apply(storeId), lock, OpenPurpose.READING));
  }

  /// Opens a stopped store for writing without the groups lost from its journal. The remaining
  /// groups of the journal are sealed; its files move into the [Quarantine].
  public StoreParts openAcceptingLoss(Function<UUID, Journal.Factory> journals) {
    StoreFormat format = StoreFormat.read(disk, config.directory());
    requireWritable(config.directory(), format);
    UUID storeId = format.storeId();
    return locked(lock -> open(storeId, journals.apply(storeId), lock, OpenPurpose.ACCEPTING_LOSS));
  }

  private StoreParts locked(Function<Disk.Lock, StoreParts> opener) {
    Disk.Lock lock = StoreLock.take(disk, config.directory());
    try {
      return opener.apply(lock);
    } catch (Throwable failure) {
      StoreLock.giveBack(lock, failure);
      throw failure;
    }
  }

  /// @throws StorageException.ReadOnly when this program must not write
  public static void requireWritable(Path directory, StoreFormat format) {
    if (format.readOnly()) {
      throw new StorageException.ReadOnly(
          directory + ": a feature that this Widerow does not know forbids writing");
    }
  }

  private StoreParts open(
      UUID storeId, Journal.Factory journals, Disk.Lock lock, OpenPurpose purpose) {
    boolean readOnly = purpose == OpenPurpose.READING;
    long startNanos = clock.monotonicNanos();
    Path directory = config.directory();
    Manifest manifest = Manifest.read(disk, directory, storeId);
    SegmentFiles files = new SegmentFiles(disk, directory, storeId);
    NotesFiles notes = new NotesFiles(disk, directory, storeId);
    Witness witness = Witness.read(disk, directory, storeId, manifest.journals());
    WitnessFile witnessFile = new WitnessFile(disk, directory, storeId);
    SegmentInventory inventory = SegmentInventory.open(files, manifest);
    RowMemory memory = rowMemory(readOnly);
    RowMemory replayed = purpose == OpenPurpose.WRITING_LATER ? rowMemory(true) : memory;
    StoreContents contents = null; // owns manifest and segments, once it is there
    OpenedExtension extension = null;
    try (var recovery =
        JournalRecovery.checked(journals, directory, manifest, witness, inventory::heal)) {
      requireWhole(purpose, recovery.losses());
      contents = contents(manifest, files, inventory, notes, readOnly ? null : lock);
      var trims = new JournalPin(contents::tidy);
      LaneContext shared = shared(contents, files, notes, memory, trims);
      extension =
          new OpenedExtension(
              new ExtensionContext(
                  contents, clock, disk, journals, shared.room(), trims, background),
              purpose);
      List<String> remarks = inventory.healed();
      if (purpose.writesNow()) {
        remarks = tidy(purpose, files, notes, manifest, inventory, recovery);
      }
      OpenedLanes lanes;
      RecoveryReport report;
      var held = new ReplayedRows(contents, replayed);
      var recovered = new RecoveredNotes(notes);
      try (var replay = replay(purpose, shared, held, recovered, manifest)) {
        recovery.replay(replay);
        replay.finish();
        long lsn = Math.max(replay.lsnLast(), recovery.lsnSeen());
        Later steps =
            new Later(shared, files, manifest, inventory, recovery, journals, witnessFile, lsn);
        lanes = begin(purpose, steps, held, replayed, recovered);
        List<Damage> damage = damage(recovery.losses(), witness, extension.get());
        remarks = all(remarks, extension.get());
        report = report(replay, recovery, inventory, damage, remarks, startNanos);
        contents.opened();
        extension.begin();
      }
      return new StoreParts(
          config,
          disk,
          lock,
          files,
          memory,
          journals,
          trims,
          shared,
          extension,
          lanes,
          witnessFile,
          report);
    } catch (Throwable failure) {
      release(extension, contents, inventory, manifest, witnessFile, memory, replayed);
      throw failure;
    }
  }

  /// @param lock null for a store that is only read
  private StoreContents contents(
      Manifest manifest,
      SegmentFiles files,
      SegmentInventory inventory,
      NotesFiles notes,
      Disk.@Nullable Lock lock) {
    if (lock != null) {
      notes.read(); // a store that is only read reports none
    }
    boolean readOnly = lock == null;
    var contents =
        new StoreContents(config, clock, manifest, files, inventory.segments(), readOnly);
    if (drained) {
      contents.drain();
    }
    if (lock != null) {
      contents.guard(lock);
    }
    return contents;
  }

  /// Closes the segments by their owner: one that stays open keeps its room on a full disk when it
  /// is deleted.
  private static void release(
      @Nullable OpenedExtension extension,
      @Nullable StoreContents contents,
      SegmentInventory inventory,
      Manifest manifest,
      WitnessFile witness,
      RowMemory... memories) {
    if (extension != null) {
      extension.get().free();
    }
    if (contents == null) {
      inventory.close();
      manifest.close();
    } else {
      contents.close();
    }
    witness.close();
    for (RowMemory memory : memories) {
      memory.close();
    }
  }

  private OpenedLanes begin(
      OpenPurpose purpose,
      Later steps,
      ReplayedRows held,
      RowMemory replayed,
      RecoveredNotes recovered) {
    if (purpose == OpenPurpose.READING) {
      return StartedLanes.NONE;
    }
    if (purpose == OpenPurpose.WRITING_LATER) {
      return steps.start(held, replayed, recovered);
    }
    recovered.finish();
    steps.shared.contents().recovered(steps.lsn);
    StartedLanes lanes = StartedLanes.start(steps.shared, steps.journals, steps.witness, steps.lsn);
    try {
      endJournals(purpose, steps.journals, steps.recovery.files());
    } catch (Throwable failure) {
      lanes.now().forEach(EmbeddedLane::close);
      throw failure;
    }
    return lanes;
  }

  private static void requireWhole(OpenPurpose purpose, List<JournalLoss> losses) {
    boolean accepted = purpose == OpenPurpose.READING || purpose == OpenPurpose.ACCEPTING_LOSS;
    if (!accepted && !losses.isEmpty()) {
      throw new StorageException.AcknowledgedDataDamaged(losses);
    }
  }

  /// Rewrites the manifest and deletes the leftovers of a crash. While a listed file is missing, an
  /// unlisted file may be all that remains of it, so unlisted files stay.
  ///
  /// @return a sentence for each part that was healed or kept
  private List<String> tidy(
      OpenPurpose purpose,
      SegmentFiles files,
      NotesFiles notes,
      Manifest manifest,
      SegmentInventory inventory,
      JournalRecovery recovery) {
    List<String> remarks = new ArrayList<>(inventory.healed());
    files.createDirectory();
    notes.createDirectory();
    Quarantine quarantine = new Quarantine(disk, config.directory());
    boolean whole = inventory.isWhole() && purpose == OpenPurpose.WRITING;
    if (!whole && manifest.unreadableFrom() >= 0) {
      Path kept = quarantine.keep(config.directory().resolve(Manifest.NAME));
      remarks.add(manifest.unreadable() + "; kept as " + kept);
    }
    manifest.rewrite();
    notes.cut(recovery::lsnCounted);
    manifest.keepRoom(); // before sealing takes the remaining room
    if (whole) {
      files.deleteOrphans(manifest.segments());
      files.figures().deleteOrphans(manifest.figures());
      return remarks;
    }
    for (Path file : inventory.unlisted()) {
      if (purpose == OpenPurpose.ACCEPTING_LOSS) {
        remarks.add("%s: not listed; moved to %s".formatted(file, quarantine.take(file)));
      } else {
        remarks.add(file + ": not listed, and kept: the store is not whole");
      }
    }
    return remarks;
  }

  private RowMemory rowMemory(boolean readOnly) {
    int pieces = readOnly ? Short.MAX_VALUE : config.rowsPerLane() * config.lanes();
    return new RowMemory(config.rowsBytes(), pieces);
  }

  private LaneContext shared(
      StoreContents contents,
      SegmentFiles files,
      NotesFiles notes,
      RowMemory memory,
      JournalPin trims) {
    var sealer = new Sealer(contents, files, notes, trims, background);
    var supply = new RowSupply(contents, memory, sealer);
    var room = new DiskRoom(disk, config, sealer);
    return new LaneContext(contents, supply, sealer, room, clock, notes);
  }

  private Replay replay(
      OpenPurpose purpose,
      LaneContext shared,
      ReplayedRows held,
      RecoveredNotes recovered,
      Manifest manifest) {
    RowSink sink =
        purpose.writesNow()
            ? new RecoverySealer(shared.contents(), shared.sealer(), background)
            : held;
    return new Replay(shared.contents(), sink, recovered, manifest.sealedLsns());
  }

  private RecoveryReport report(
      Replay replay,
      JournalRecovery recovery,
      SegmentInventory inventory,
      List<Damage> damage,
      List<String> remarks,
      long startNanos) {
    return new RecoveryReport(
        replay.groups(),
        replay.events(),
        recovery.tornGroups() + replay.droppedFrames(),
        inventory.segments().size(),
        (clock.monotonicNanos() - startNanos) / 1_000_000,
        damage,
        remarks);
  }

  private static List<String> all(List<String> remarks, StoreExtension extension) {
    return Stream.concat(remarks.stream(), extension.remarks().stream()).toList();
  }

  private static List<Damage> damage(
      List<JournalLoss> losses, Witness witness, StoreExtension extension) {
    Stream<Damage> events =
        Stream.concat(
            losses.stream().map(JournalLoss::damage), Stream.ofNullable(witness.damage()));
    return Stream.concat(events, extension.damage().stream()).toList();
  }

  /// Deletes the old journals after their events are sealed, unless they are evidence of a loss.
  private void endJournals(OpenPurpose purpose, Journal.Factory journals, List<Path> old) {
    if (purpose == OpenPurpose.WRITING) {
      journals.deleteReplayed();
      return;
    }
    Path journal = config.directory().resolve(Journal.DIRECTORY);
    Quarantine quarantine = new Quarantine(disk, config.directory());
    old.stream()
        .map(file -> journal.resolve(journal.relativize(file).getName(0)))
        .distinct()
        .forEach(quarantine::take);
  }

  /// The steps that an opening on a full disk left for later. The old journals go before new ones
  /// are made, so that these find room.
  private final class Later implements DelayedStart.Steps {
    private final LaneContext shared;
    private final SegmentFiles files;
    private final Manifest manifest;
    private final SegmentInventory inventory;
    private final JournalRecovery recovery;
    private final Journal.Factory journals;
    private final WitnessFile witness;
    private final long lsn;

    Later(
        LaneContext shared,
        SegmentFiles files,
        Manifest manifest,
        SegmentInventory inventory,
        JournalRecovery recovery,
        Journal.Factory journals,
        WitnessFile witness,
        long lsn) {
      this.shared = shared;
      this.files = files;
      this.manifest = manifest;
      this.inventory = inventory;
      this.recovery = recovery;
      this.journals = journals;
      this.witness = witness;
      this.lsn = lsn;
    }

    DelayedStart start(ReplayedRows held, RowMemory replayed, RecoveredNotes recovered) {
      return new DelayedStart(shared, held, replayed, recovered, recovery::lsnCounted, this);
    }

    @Override
    public void tidy() {
      List<String> _ =
          StoreOpener.this.tidy(
              OpenPurpose.WRITING, files, shared.notes(), manifest, inventory, recovery);
    }

    @Override
    public void clear() {
      shared.contents().recovered(lsn);
      shared.contents().journalsEnded();
      deleteAll();
    }

    @Override
    public StartedLanes begin() {
      try {
        return StartedLanes.start(shared, journals, witness, lsn);
      } catch (StorageException.DiskFull full) {
        deleteAll(); // journals of some lanes, without frames
        throw full;
      }
    }

    private void deleteAll() {
      journals.replay(
          new Journal.FrameReader() {
            @Override
            public void frame(int lane, Path file, long sequence, MemorySegment frame) {}

            @Override
            public boolean wants(int lane) {
              return false; // they are only counted
            }
          });
      journals.deleteReplayed();
    }
  }
}
