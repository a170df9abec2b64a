package io.widerow.storage.repair;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.embedded.BackupFeed;
import io.widerow.storage.embedded.StoreExtension;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.journal.FrameDecoder;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.JournalFrame;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.ManifestEdit;
import io.widerow.storage.manifest.StoreFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/// The journals of a store that is restored: writes frames that follow a state of its files, so
/// that a normal opening replays them.
///
/// The restored store has the id of the original, and is another history from its cut on. Its
/// counter of arrivals is raised by [#COUNTERS_SKIPPED], so that it gives no id that the original
/// gave after the cut.
///
/// - Threads: one.
/// - Memory: a decoder's buffer of one frame.
public final class RestoredStore implements AutoCloseable {
  /// More arrivals than a store has between a cut and the end of its history.
  static final long COUNTERS_SKIPPED = 1L << 32;

  private final Disk disk;
  private final Path directory;
  private final UUID storeId;
  private final List<Written> lanes = new ArrayList<>();
  private final FrameDecoder decoder;
  private long counterLimit;

  /// A journal that is being written.
  private static final class Written {
    private final int lane;
    private final Journal journal;
    private final Path directory;
    private long lsn;

    Written(int lane, Journal journal, Path directory, long lsn) {
      this.lane = lane;
      this.journal = journal;
      this.directory = directory;
      this.lsn = lsn;
    }
  }

  /// @param directory has the files of a moment, without journals and witness
  /// @param format directory of the file FORMAT, which comes last into `directory`
  public RestoredStore(Disk disk, Path directory, Path format) {
    this(disk, directory, format, ChronicleJournalFactory.ofStopped(directory, disk));
  }

  /// @param factory makes the journals
  public RestoredStore(
      Disk disk, Path directory, Path format, Function<UUID, Journal.Factory> factory) {
    this.disk = disk;
    this.directory = directory;
    this.storeId = StoreFormat.read(disk, format).storeId();
    this.decoder = new FrameDecoder(storeId);
    Journal.Factory journals = factory.apply(storeId);
    try {
      BackupFeed.deleteAll(disk, directory.resolve(Journal.DIRECTORY));
      int count = begin(directory);
      for (int lane = 0; lane < count; lane++) {
        create(journals, directory, lane);
      }
      Path tables = directory.resolve(StoreExtension.DIRECTORY);
      if (disk.exists(tables.resolve(Manifest.NAME))) {
        BackupFeed.deleteAll(disk, tables.resolve(Journal.DIRECTORY));
        var _ = begin(tables);
        create(journals.at(tables), tables, 0);
      }
    } catch (Throwable failure) {
      close();
      throw failure;
    }
  }

  public UUID storeId() {
    return storeId;
  }

  /// Returns the number of journals of a manifest.
  private int begin(Path store) {
    try (Manifest manifest = Manifest.read(disk, store, storeId)) {
      counterLimit = Math.max(counterLimit, manifest.counterLimit());
      return manifest.journals();
    }
  }

  private void create(Journal.Factory journals, Path store, int lane) {
    long sealed;
    try (Manifest manifest = Manifest.read(disk, store, storeId)) {
      sealed = manifest.sealedLsns().getOrDefault(lane, 0L);
    }
    lanes.add(new Written(lane, journals.create(lane, sealed + 1), store, sealed));
  }

  /// Takes a frame. Frames of a lane come in order; those that the files have already, and those
  /// after the last LSN, are passed over.
  ///
  /// @param lane number of lanes for the tables
  /// @throws StorageException.Corrupt when the frame is not valid, or one before it is missing
  public void add(int lane, MemorySegment frame, long lsnLast) {
    if (lane >= lanes.size()) {
      throw damaged("a frame of journal %d of %d".formatted(lane, lanes.size()));
    }
    try (Arena arena = Arena.ofConfined()) { // a journal writes native memory
      add(
          lanes.get(lane),
          lane,
          arena.allocate(frame.byteSize(), Long.BYTES).copyFrom(frame),
          lsnLast);
    }
  }

  private void add(Written into, int lane, MemorySegment frame, long lsnLast) {
    FrameDecoder.Verdict verdict = decoder.check(into.lane, frame);
    if (verdict != FrameDecoder.Verdict.VALID) {
      throw damaged("a frame of journal %d: %s".formatted(lane, verdict.sentence));
    }
    long lsn = JournalFrame.lsn(frame);
    if (lsn <= into.lsn || lsn > lsnLast) {
      return;
    }
    if (lsn != into.lsn + 1) {
      throw damaged("LSN %d of journal %d follows %d".formatted(lsn, lane, into.lsn));
    }
    into.journal.append(lsn, frame);
    into.lsn = lsn;
    counterLimit = Math.max(counterLimit, JournalFrame.counterLimit(frame));
  }

  private StorageException.Corrupt damaged(String found) {
    return new StorageException.Corrupt(directory, 0, found);
  }

  /// Completes the store, except for FORMAT. Durable on return.
  ///
  /// @param lsns that the frames must have reached
  public void finish(List<Long> lsns) {
    for (int i = 0; i < lanes.size(); i++) {
      Written lane = lanes.get(i);
      if (lane.lsn < lsns.get(i)) {
        throw damaged("journal %d ends with LSN %d, not %d".formatted(i, lane.lsn, lsns.get(i)));
      }
      lane.journal.force();
    }
    for (Path store : lanes.stream().map(lane -> lane.directory).distinct().toList()) {
      List<Written> own = lanes.stream().filter(lane -> lane.directory.equals(store)).toList();
      disk.delete(store.resolve(Witness.NAME));
      Witness.create(
          disk,
          store,
          storeId,
          own.stream().map(lane -> new Witness.Lane(lane.lsn, 0, 0)).toList());
      raise(store, own.size());
      disk.forceDirectory(store);
    }
    if (lanes.isEmpty()) { // the copy of a cluster's store
      raise(directory, 0);
      disk.forceDirectory(directory);
    }
  }

  private void raise(Path store, int journals) {
    ManifestEdit state;
    try (Manifest manifest = Manifest.read(disk, store, storeId)) {
      state = manifest.snapshot();
    }
    Manifest.write(
        disk,
        store,
        storeId,
        new ManifestEdit(
            state.segmentIdNext(),
            Math.addExact(counterLimit, COUNTERS_SKIPPED),
            state.clockNanos(),
            state.added(),
            state.removed(),
            state.sealedLsns(),
            journals,
            state.sections()));
  }

  @Override
  public void close() {
    try (decoder) {
      lanes.forEach(lane -> lane.journal.close());
    }
  }
}
