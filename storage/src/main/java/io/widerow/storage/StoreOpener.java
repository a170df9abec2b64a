package io.widerow.storage;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Function;

/// Opens a store: looks before it touches, replays what is not in segments, and starts new
/// journals.
///
/// 1. read FORMAT, take the lock, read the manifest, the notes, the segments' indexes, and check
///    the journals; anything wrong ends here, with nothing changed
/// 2. write the manifest anew, delete what a crash left
/// 3. replay the journals into rows and seal them all, so that what recovery saw and what the disk
///    has are the same; then delete the old journals
/// 4. a new journal for each lane
///
/// Killed at any point, it does the same again and comes to the same state.
final class StoreOpener {
  private final StoreConfig config;
  private final Disk disk;
  private final StoreClock clock;
  private final Executor background;

  StoreOpener(StoreConfig config, Disk disk, StoreClock clock, Executor background) {
    this.config = config;
    this.disk = disk;
    this.clock = clock;
    this.background = background;
  }

  /// What an opening is for, and what it does about groups that are lost from the journal.
  private enum Purpose {
    /// Refused then.
    WRITING,
    /// Goes on without them, and touches nothing.
    READING,
    /// Goes on without them, and keeps the old journals.
    ACCEPTING_LOSS
  }

  /// What an [EmbeddedStore] is made of.
  record Opened(
      StoreConfig config,
      Disk disk,
      StoreClock clock,
      Executor background,
      AutoCloseable lock,
      Manifest manifest,
      SegmentFiles files,
      NotesFiles notes,
      RowMemory memory,
      List<LiveSegment> segments,
      Journal.Factory journals,
      boolean readOnly) {}

  /// Opens for reading and writing; makes a store of an empty directory.
  EmbeddedStore open(Function<UUID, Journal.Factory> journals) {
    Path directory = config.directory();
    disk.createDirectory(directory);
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
      return open(storeId, journals.apply(storeId), lock, Purpose.WRITING);
    });
  }

  /// The id of the store that a directory is now, whoever had the lock before, or becomes.
  private UUID storeId(Path directory) {
    if (!disk.exists(directory.resolve(StoreFormat.NAME))) {
      return StoreFormat.create(disk, directory, UUID.randomUUID()).storeId();
    }
    StoreFormat format = StoreFormat.read(disk, directory);
    requireWritable(directory, format);
    return format.storeId();
  }

  /// Opens a stopped store for reading. Changes nothing; what is journaled and not sealed is held
  /// in memory.
  EmbeddedStore openForReading(Function<UUID, Journal.Factory> journals) {
    Path directory = config.directory();
    StoreFormat.requireStore(disk, directory);
    UUID storeId = StoreFormat.read(disk, directory).storeId();
    return locked(lock -> open(storeId, journals.apply(storeId), lock, Purpose.READING));
  }

  /// Opens a stopped store for writing without what is lost from its journal. All that is left of
  /// the journal is sealed; its files are moved into the [Quarantine].
  EmbeddedStore openAcceptingLoss(Function<UUID, Journal.Factory> journals) {
    StoreFormat format = StoreFormat.read(disk, config.directory());
    requireWritable(config.directory(), format);
    UUID storeId = format.storeId();
    return locked(lock -> open(storeId, journals.apply(storeId), lock, Purpose.ACCEPTING_LOSS));
  }

  private EmbeddedStore locked(Function<AutoCloseable, EmbeddedStore> opener) {
    AutoCloseable lock = StoreLock.take(disk, config.directory());
    try {
      return opener.apply(lock);
    } catch (Throwable failure) {
      closeLock(lock, failure);
      throw failure;
    }
  }

  /// @throws StorageException.ReadOnly when this program must not write
  static void requireWritable(Path directory, StoreFormat format) {
    if (format.readOnly()) {
      throw new StorageException.ReadOnly(
          directory + ": a feature that this Widerow does not know forbids writing");
    }
  }

  private static void closeLock(AutoCloseable lock, Throwable failure) {
    try {
      lock.close();
    } catch (Exception unlock) {
      failure.addSuppressed(unlock);
    }
  }

  private EmbeddedStore open(
      UUID storeId, Journal.Factory journals, AutoCloseable lock, Purpose purpose) {
    boolean readOnly = purpose == Purpose.READING;
    long startNanos = clock.monotonicNanos();
    Path directory = config.directory();
    Manifest manifest = Manifest.read(disk, directory, storeId);
    SegmentFiles files = new SegmentFiles(disk, directory, storeId);
    NotesFiles notesFiles = new NotesFiles(disk, directory, storeId);
    List<LiveSegment> segments = new ArrayList<>();
    RowMemory memory = rowMemory(readOnly);
    try (var recovery = new JournalRecovery(journals, storeId, manifest.sealedLsns())) {
      for (SegmentEntry entry : manifest.segments()) {
        segments.add(files.open(entry));
      }
      List<JournalLoss> losses =
          recovery.check(directory.resolve(Journal.DIRECTORY), manifest.journals());
      requireWhole(purpose, losses);
      RecoveredNotes notes = new RecoveredNotes(notesFiles);
      if (!readOnly) {
        notesFiles.read(); // whoever only reads is told none
      }
      Opened parts =
          new Opened(
              config,
              disk,
              clock,
              background,
              lock,
              manifest,
              files,
              notesFiles,
              memory,
              segments,
              journals,
              readOnly);
      var store = new EmbeddedStore(parts);
      tidy(purpose, files, notesFiles, manifest);
      if (!readOnly) {
        notesFiles.cut(recovery::lsnCounted);
      }
      try (var replay = new Replay(store, notes, manifest.sealedLsns(), background)) {
        recovery.replay(replay);
        replay.finish();
        if (!readOnly) {
          long lsn = Math.max(replay.lsnLast(), recovery.lsnSeen());
          startLanes(store, journals, lsn, notesFiles, storeId);
          endJournals(purpose, journals, recovery.files());
        }
        store.opened(report(replay, recovery, losses, segments.size(), startNanos));
      }
      return store;
    } catch (Throwable failure) {
      segments.forEach(LiveSegment::close);
      manifest.close();
      memory.close();
      throw failure;
    }
  }

  private static void requireWhole(Purpose purpose, List<JournalLoss> losses) {
    if (purpose == Purpose.WRITING && !losses.isEmpty()) {
      throw new StorageException.AcknowledgedDataDamaged(losses);
    }
  }

  private static void tidy(
      Purpose purpose, SegmentFiles files, NotesFiles notes, Manifest manifest) {
    if (purpose != Purpose.READING) {
      files.createDirectory();
      notes.createDirectory();
      manifest.rewrite();
    }
    if (purpose == Purpose.WRITING) {
      files.deleteOrphans(manifest.segments());
    }
  }

  private RowMemory rowMemory(boolean readOnly) {
    int pieces = readOnly ? Short.MAX_VALUE : config.rowsPerLane() * config.lanes();
    return new RowMemory(config.rowsBytes(), pieces);
  }

  private RecoveryReport report(
      Replay replay,
      JournalRecovery recovery,
      List<JournalLoss> losses,
      int segments,
      long startNanos) {
    return new RecoveryReport(
        replay.groups(),
        replay.events(),
        recovery.tornGroups() + replay.droppedFrames(),
        segments,
        (clock.monotonicNanos() - startNanos) / 1_000_000,
        losses.stream().map(JournalLoss::damage).toList());
  }

  /// What was journaled is sealed: the old journals go, unless they are evidence of a loss.
  private void endJournals(Purpose purpose, Journal.Factory journals, List<Path> old) {
    if (purpose == Purpose.WRITING) {
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

  private void startLanes(
      EmbeddedStore store, Journal.Factory journals, long lsn, NotesFiles notes, UUID storeId) {
    store.startLanes(
        lsn,
        lane -> {
          notes.fold(config.lanes());
          return new Lane(
              lane,
              store,
              clock,
              journals.create(lane, lsn + 1),
              new FrameEncoder(storeId, lane, true),
              lsn,
              notes);
        });
  }
}
