package io.widerow.storage.embedded;

import io.widerow.storage.Damage;
import io.widerow.storage.JournalLoss;
import io.widerow.storage.RecoveryReport;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.NotesFiles;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.live.StoreClock;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.maintenance.DiskRoom;
import io.widerow.storage.maintenance.JournalPin;
import io.widerow.storage.maintenance.RowSupply;
import io.widerow.storage.maintenance.SealJob;
import io.widerow.storage.maintenance.Sealer;
import io.widerow.storage.manifest.VersionsFile;
import io.widerow.storage.recovery.JournalRecovery;
import io.widerow.storage.recovery.RecentRows;
import io.widerow.storage.recovery.RecoveredNotes;
import io.widerow.storage.recovery.RecoverySealer;
import io.widerow.storage.recovery.Replay;
import io.widerow.storage.recovery.ReplayedRows;
import io.widerow.storage.recovery.RowSink;
import io.widerow.storage.rows.RowMemory;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Stream;

/// Opens a store: checks before it changes anything, replays events that are not in segments, and
/// starts new journals. It returns the parts that an [EmbeddedStore] is made of.
///
/// 1. read FORMAT and take the lock ([LockedDirectory]), read the manifest, the notes and the
///    segments' indexes, and check the journals ([OpenedFiles]); anything wrong ends here, with
///    nothing changed
/// 2. rewrite the manifest and delete the leftovers of a crash, unless something listed is missing
/// 3. replay the journals into rows and seal them all, so that the disk has what recovery saw; then
///    delete the old journals
/// 4. make a new journal for each lane
///
/// When each frame of the journals counts and the lanes are the same, steps 3 and 4 are shorter:
/// the rows stay open as far as memory allows, each lane goes on in its journal, and the rows are
/// sealed while the store is open, as they would have been without the crash.
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
    return LockedDirectory.create(disk, config.directory())
        .open(directory -> openOnAnyDisk(directory, journals.apply(directory.storeId())));
  }

  /// Opens a stopped store for reading. Changes nothing; journaled events that are not sealed are
  /// held in memory.
  public StoreParts openForReading(Function<UUID, Journal.Factory> journals) {
    return LockedDirectory.forReading(disk, config.directory())
        .open(
            directory -> open(directory, journals.apply(directory.storeId()), OpenPurpose.READING));
  }

  /// Opens a stopped store for writing without the groups lost from its journal. The remaining
  /// groups of the journal are sealed; its files move into the quarantine.
  public StoreParts openAcceptingLoss(Function<UUID, Journal.Factory> journals) {
    return LockedDirectory.forWriting(disk, config.directory())
        .open(directory ->
            open(directory, journals.apply(directory.storeId()), OpenPurpose.ACCEPTING_LOSS));
  }

  /// If there is no room, deletes what nothing needs, and leaves the writing for later.
  private StoreParts openOnAnyDisk(LockedDirectory directory, Journal.Factory journals) {
    try {
      return open(directory, journals, OpenPurpose.WRITING);
    } catch (StorageException failure) {
      StorageException.DiskFull full = StorageException.DiskFull.in(failure);
      if (full == null) {
        throw failure;
      }
      journals.freeUnused();
      new SegmentFiles(disk, directory.path(), directory.storeId()).deleteUnfinished();
      new NotesFiles(disk, directory.path(), directory.storeId()).deleteUnfinished();
      StoreParts parts = open(directory, journals, OpenPurpose.WRITING_LATER);
      parts.shared().contents().backgroundFailed(full);
      parts.lanes().goOn(Runnable::run); // there may be enough room now
      return parts;
    }
  }

  private StoreParts open(
      LockedDirectory directory, Journal.Factory journals, OpenPurpose purpose) {
    long startNanos = clock.monotonicNanos();
    OpenedFiles files = OpenedFiles.check(directory, journals, purpose, config, clock);
    StoreContents contents = files.contents();
    if (drained) {
      contents.drain();
    }
    RowMemory memory = rowMemory(purpose == OpenPurpose.READING);
    RowMemory replayed = purpose == OpenPurpose.WRITING_LATER ? rowMemory(true) : memory;
    var trims = new JournalPin(contents::tidy);
    LaneContext shared = shared(files, memory, trims);
    var used =
        new ExtensionContext(contents, clock, disk, journals, shared.room(), trims, background);
    var extension = new OpenedExtension(used, purpose);
    OpenedLanes lanes = StartedLanes.NONE;
    RecoveryReport report;
    try (JournalRecovery recovery = files.recovery()) {
      extension.open();
      List<String> remarks = purpose.writesNow() ? files.tidy(purpose) : files.remarks();
      var held = new ReplayedRows(contents, replayed);
      var notes = new RecoveredNotes(files.notes());
      boolean goesOn =
          purpose == OpenPurpose.WRITING && !drained && recovery.mayGoOn(config.lanes());
      try (Replay replay = replay(purpose, files, shared, held, notes, goesOn)) {
        recovery.replay(replay);
        replay.finish();
        long lsn = Math.max(replay.lsnLast(), recovery.lsnSeen());
        if (purpose == OpenPurpose.WRITING_LATER) {
          lanes = new DelayedStart(shared, files, held, replayed, notes, lsn);
        } else if (goesOn) {
          held.jobs().forEach(job -> files.notes().append(job.rows().lane, job.notes(), 0));
          notes.finish();
          lanes =
              StartedLanes.goOn(
                  shared, files, held.jobs().stream().map(SealJob::withoutNotes).toList());
        } else if (purpose.writesNow()) {
          notes.finish();
          contents.recovered(lsn);
          lanes = StartedLanes.start(shared, files, lsn);
          files.endJournals(purpose);
        }
        report = report(replay, files, remarks, extension.get(), startNanos);
        contents.opened();
        extension.begin();
      }
    } catch (Throwable failure) {
      try (replayed;
          memory;
          files) {
        EmbeddedLane.closeAll(lanes.now());
        extension.get().free();
      }
      throw failure;
    }
    return new StoreParts(config, files, memory, trims, shared, extension, lanes, report);
  }

  private RowMemory rowMemory(boolean readOnly) {
    int pieces = readOnly ? Short.MAX_VALUE : config.rowsPerLane() * config.lanes();
    return new RowMemory(config.rowsBytes(), pieces);
  }

  private LaneContext shared(OpenedFiles files, RowMemory memory, JournalPin trims) {
    StoreContents contents = files.contents();
    var sealer = new Sealer(contents, files.segments(), files.notes(), trims, background);
    var supply = new RowSupply(contents, memory, sealer);
    var room = new DiskRoom(disk, config, sealer);
    return new LaneContext(contents, supply, sealer, room, clock, files.notes());
  }

  private Replay replay(
      OpenPurpose purpose,
      OpenedFiles files,
      LaneContext shared,
      ReplayedRows held,
      RecoveredNotes notes,
      boolean goesOn) {
    RowSink sink = held;
    if (purpose.writesNow()) {
      var sealer = new RecoverySealer(shared.contents(), shared.sealer(), background);
      int sets = (config.rowsPerLane() - 1) * config.lanes(); // each lane needs one
      long bytes = files.recovery().recordBytes();
      sink = goesOn ? new RecentRows(held, sealer, sets, sets * config.rowsBytes(), bytes) : sealer;
    }
    return new Replay(shared.contents(), sink, notes, files.manifest().sealedLsns());
  }

  private RecoveryReport report(
      Replay replay,
      OpenedFiles files,
      List<String> remarks,
      StoreExtension extension,
      long startNanos) {
    Stream<Damage> events =
        Stream.concat(
            files.recovery().losses().stream().map(JournalLoss::damage),
            Stream.ofNullable(files.witness().damage()));
    return new RecoveryReport(
        replay.groups(),
        replay.events(),
        files.recovery().tornGroups() + replay.droppedFrames(),
        files.inventory().segments().size(),
        (clock.monotonicNanos() - startNanos) / 1_000_000,
        Stream.concat(events, extension.damage().stream()).toList(),
        VersionsFile.read(disk, config.directory()),
        Stream.concat(remarks.stream(), extension.remarks().stream()).toList());
  }
}
