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
  private static final String LOCK = "LOCK";

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
      boolean readOnly) {}

  /// Opens for reading and writing; makes a store of an empty directory.
  EmbeddedStore open(Function<UUID, Journal.Factory> journals) {
    Path directory = config.directory();
    disk.createDirectory(directory);
    boolean isNew = !disk.exists(directory.resolve(StoreFormat.NAME));
    if (isNew) {
      StoreFormat.requireEmpty(disk, directory, List.of(LOCK));
      Path parent = directory.toAbsolutePath().getParent();
      if (parent != null) {
        disk.forceDirectory(parent); // it was made just now, or by an opening that was cut off
      }
    } else {
      requireWritable(StoreFormat.read(disk, directory));
    }
    return locked(lock -> {
      UUID storeId =
          isNew
              ? StoreFormat.create(disk, directory, UUID.randomUUID()).storeId()
              : StoreFormat.read(disk, directory).storeId();
      return open(storeId, journals.apply(storeId), lock, false);
    });
  }

  /// Opens a stopped store for reading. Changes nothing; what is journaled and not sealed is held
  /// in memory.
  EmbeddedStore openForReading(Function<UUID, Journal.Factory> journals) {
    Path directory = config.directory();
    if (!disk.exists(directory.resolve(StoreFormat.NAME))) {
      throw new StorageException.Incompatible(directory, "not a Widerow store: no FORMAT file");
    }
    UUID storeId = StoreFormat.read(disk, directory).storeId();
    return locked(lock -> open(storeId, journals.apply(storeId), lock, true));
  }

  private EmbeddedStore locked(Function<AutoCloseable, EmbeddedStore> opener) {
    AutoCloseable lock = disk.lock(config.directory().resolve(LOCK), owner());
    try {
      return opener.apply(lock);
    } catch (Throwable failure) {
      closeLock(lock, failure);
      throw failure;
    }
  }

  private void requireWritable(StoreFormat format) {
    if (format.readOnly()) {
      throw new StorageException.ReadOnly(
          config.directory() + ": a feature that this Widerow does not know forbids writing");
    }
  }

  private static String owner() {
    return "process %d".formatted(ProcessHandle.current().pid());
  }

  private static void closeLock(AutoCloseable lock, Throwable failure) {
    try {
      lock.close();
    } catch (Exception unlock) {
      failure.addSuppressed(unlock);
    }
  }

  private EmbeddedStore open(
      UUID storeId, Journal.Factory journals, AutoCloseable lock, boolean readOnly) {
    long startNanos = clock.monotonicNanos();
    Path directory = config.directory();
    Manifest manifest = Manifest.read(disk, directory, storeId);
    SegmentFiles files = new SegmentFiles(disk, directory, storeId);
    NotesFiles notesFiles = new NotesFiles(disk, directory, storeId);
    List<LiveSegment> segments = new ArrayList<>();
    int pieces = readOnly ? Short.MAX_VALUE : StoreConfig.ROWS_PER_LANE * config.lanes();
    RowMemory memory = new RowMemory(config.rowsBytes(), pieces);
    try (var recovery = new JournalRecovery(journals, storeId, manifest.sealedLsns())) {
      List<Note> notes = notesFiles.read();
      for (SegmentEntry entry : manifest.segments()) {
        segments.add(files.open(entry));
      }
      recovery.check();
      recovery.requireJournals(directory.resolve(Journal.DIRECTORY), manifest.journals());
      var store =
          new EmbeddedStore(
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
                  readOnly));
      if (!readOnly) {
        files.createDirectory();
        notesFiles.createDirectory();
        manifest.rewrite();
        files.deleteOrphans(manifest.segments());
      }
      var replay = new Replay(store, notes, manifest.sealedLsns());
      recovery.replay(replay);
      replay.finish();
      long lsn = Math.max(replay.lsnLast(), recovery.lsnSeen());
      if (!readOnly) {
        store.startLanes(lsn, lane -> lane(store, journals, lsn, replay.notes(), storeId, lane));
        journals.deleteReplayed();
      }
      long millis = (clock.monotonicNanos() - startNanos) / 1_000_000;
      long torn = recovery.tornGroups() + replay.droppedFrames();
      store.opened(
          new RecoveryReport(replay.groups(), replay.events(), torn, segments.size(), millis));
      return store;
    } catch (Throwable failure) {
      segments.forEach(LiveSegment::close);
      manifest.close();
      memory.close();
      throw failure;
    }
  }

  private Lane lane(
      EmbeddedStore store,
      Journal.Factory journals,
      long lsn,
      List<Note> notes,
      UUID storeId,
      int lane) {
    return new Lane(
        lane,
        store,
        clock,
        journals.create(lane, lsn + 1),
        new FrameEncoder(storeId, lane, true),
        lsn,
        notes);
  }
}
