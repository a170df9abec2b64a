package io.widerow.faults;

import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreOpener;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.JournalFile;
import io.widerow.storage.journal.JournalFrame;
import io.widerow.storage.live.StoreClock;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.IntToLongFunction;

/// Journal for the simulated disk, with the same guarantees as the real one on plain files of a
/// [Disk], so that tests can crash the whole store thousands of times. Frames are 8-byte aligned; a
/// reader finds them by their magic.
public final class FileJournal implements Journal {
  /// Bytes of a new file, so that it is never shorter.
  private static final int RESERVED_BYTES = 256;

  private final Disk disk;
  private final Path directory;
  private final int lane;
  private final long fileBytes;
  private final ArrayDeque<Closed> closed = new ArrayDeque<>();
  private DiskFile file;
  private long offset;
  private long lsnLast;
  private long goneTo; // LSN

  /// A full file.
  private record Closed(Path path, long lsnLast, long bytes) {}

  private FileJournal(
      Disk disk, Path directory, int lane, long lsnFirst, List<Closed> earlier, long fileBytes) {
    this.disk = disk;
    this.directory = directory;
    this.lane = lane;
    this.fileBytes = fileBytes;
    this.lsnLast = lsnFirst - 1;
    this.closed.addAll(earlier);
    this.file = create(lsnFirst);
  }

  /// A store with these journals that does its background work at once.
  public static EmbeddedStore openStore(StoreConfig config, Disk disk, StoreClock clock) {
    return openStore(config, disk, clock, Runnable::run);
  }

  /// The same with an executor of background work.
  public static EmbeddedStore openStore(
      StoreConfig config, Disk disk, StoreClock clock, Executor background) {
    return new EmbeddedStore(
        new StoreOpener(config, disk, clock, background).open(_ -> new Factory(disk, config)));
  }

  /// A complete file: it is reserved, and file and entry are durable.
  private DiskFile create(long lsnFirst) {
    DiskFile created = disk.create(path(lsnFirst));
    try {
      created.write(MemorySegment.ofArray(new byte[RESERVED_BYTES]), 0);
      created.force();
      disk.forceDirectory(directory);
      return created;
    } catch (Throwable failure) {
      created.close();
      throw failure;
    }
  }

  private static long lsnFirst(Path file) {
    return Long.parseUnsignedLong(file.getFileName().toString().substring(5, 21), 16);
  }

  /// Unlike the real one it may increase only within files of the same LSN.
  private static long number(Path file) {
    int suffix = Integer.parseInt(file.getFileName().toString().substring(22, 26), 16);
    return (lsnFirst(file) << 16) + suffix;
  }

  /// A free name. Opens that were killed leave empty files with the same LSN.
  private Path path(long lsnFirst) {
    for (int number = 0; ; number++) {
      Path path = directory.resolve("%04x-%016x-%04x.jnl".formatted(lane, lsnFirst, number));
      if (!disk.exists(path)) {
        return path;
      }
    }
  }

  @Override
  public synchronized void append(long lsn, MemorySegment frame) {
    if (lsn != lsnLast + 1) {
      throw new IllegalStateException("lsn " + lsn + " after " + lsnLast);
    }
    if (offset > fileBytes || (offset > 0 && lsnFirst(file.path()) <= goneTo)) {
      force(); // the next force may promise groups in the old file
      DiskFile next = create(lsn);
      closed.add(new Closed(file.path(), lsnLast, offset));
      file.close();
      file = next;
      offset = 0;
    }
    file.write(frame, offset);
    offset = (offset + frame.byteSize() + 7) & -8L;
    lsnLast = lsn;
  }

  @Override
  public synchronized void force() {
    file.force();
  }

  @Override
  public synchronized void discard(long upTo) {
    goneTo = Math.max(goneTo, upTo);
  }

  @Override
  public synchronized long keptFrom() {
    Closed oldest = closed.peek();
    return lsnFirst(oldest == null ? file.path() : oldest.path());
  }

  @Override
  public synchronized void trim(long lsn) {
    while (!closed.isEmpty() && closed.getFirst().lsnLast() <= lsn) {
      disk.delete(closed.removeFirst().path());
    }
  }

  @Override
  public synchronized Current current() {
    return new Current(number(file.path()), RESERVED_BYTES);
  }

  @Override
  public synchronized long bytes() {
    return offset + closed.stream().mapToLong(Closed::bytes).sum();
  }

  @Override
  public synchronized void close() {
    file.close();
  }

  /// Creates and reads these journals.
  public static final class Factory implements Journal.Factory {
    private final Disk disk;
    private final Path storeDirectory;
    private final Path directory;
    private final long fileBytes;
    private final List<Path> replayed = new ArrayList<>();

    public Factory(Disk disk, StoreConfig config) {
      this(disk, config, config.journalFileBytes());
    }

    /// @param fileBytes file size from which the next group goes to a new file; may be smaller than
    ///   the product allows
    public Factory(Disk disk, StoreConfig config, long fileBytes) {
      this(disk, config.directory(), fileBytes);
    }

    private Factory(Disk disk, Path storeDirectory, long fileBytes) {
      this.disk = disk;
      this.storeDirectory = storeDirectory;
      this.directory = storeDirectory.resolve("journal");
      this.fileBytes = fileBytes;
    }

    @Override
    public Journal.Factory at(Path otherDirectory) {
      return new Factory(disk, otherDirectory, fileBytes);
    }

    @Override
    public Journal create(int lane, long lsnFirst) {
      return create(lane, lsnFirst, List.of());
    }

    @Override
    public Journal goOn(int lane, long lsnFirst) {
      List<Path> files = replayed.stream().filter(path -> lane(path) == lane).toList();
      List<Closed> earlier = new ArrayList<>();
      for (int i = 0; i < files.size(); i++) {
        long next = i + 1 < files.size() ? lsnFirst(files.get(i + 1)) : lsnFirst;
        try (DiskFile file = disk.openForWriting(files.get(i))) {
          file.force();
          earlier.add(new Closed(files.get(i), next - 1, file.size()));
        }
      }
      return create(lane, lsnFirst, earlier);
    }

    private static int lane(Path path) {
      return Integer.parseInt(path.getFileName().toString().substring(0, 4), 16);
    }

    private Journal create(int lane, long lsnFirst, List<Closed> earlier) {
      if (!disk.exists(directory)) {
        disk.createDirectory(directory);
        disk.forceDirectory(storeDirectory);
      }
      return new FileJournal(disk, directory, lane, lsnFirst, earlier, fileBytes);
    }

    @Override
    public void replay(FrameReader reader) {
      replayed.clear();
      if (!disk.exists(directory)) {
        return;
      }
      for (Path path : disk.list(directory)) { // by lane, then by LSN
        replayed.add(path);
        int lane = lane(path);
        try (DiskFile file = disk.open(path)) {
          reader.file(new JournalFile(lane, number(path), lsnFirst(path), path, file.size()));
          MemorySegment bytes = Arena.ofAuto().allocate(file.size() + 1, 8);
          long length = file.read(bytes.asSlice(0, file.size()), 0);
          scan(reader, lane, path, bytes.asSlice(0, length));
        }
      }
    }

    @Override
    public List<JournalFile> files(int lane) {
      if (!disk.exists(directory)) {
        return List.of();
      }
      return disk.list(directory).stream()
          .filter(path -> lane(path) == lane)
          .map(path -> new JournalFile(lane, number(path), lsnFirst(path), path, 0))
          .toList();
    }

    @Override
    public void scan(JournalFile found, long offset, FrameReader reader) {
      try (DiskFile file = disk.open(found.path())) {
        MemorySegment bytes = Arena.ofAuto().allocate(file.size() + 1, 8);
        long length = file.read(bytes.asSlice(0, file.size()), 0);
        scan(reader, found.lane(), found.path(), bytes.asSlice(0, length));
      }
    }

    private static void scan(FrameReader reader, int lane, Path path, MemorySegment bytes) {
      for (long at = 0; at + JournalFrame.HEADER_BYTES <= bytes.byteSize(); at += 8) {
        if (JournalFrame.magic(bytes, at) == JournalFrame.MAGIC) {
          reader.frame(lane, path, at, bytes.asSlice(at));
        }
      }
    }

    @Override
    public long copyTo(Path otherDirectory, IntToLongFunction lsnLast) {
      Path copies = otherDirectory.resolve(Journal.DIRECTORY);
      disk.createDirectory(copies);
      long[] bytes = {0};
      for (Path path : disk.list(directory)) {
        String name = path.getFileName().toString();
        int lane = lane(path);
        long last = lsnLast.applyAsLong(lane);
        if (lsnFirst(path) - 1 > last) {
          continue;
        }
        Path copy = copies.resolve(name);
        if (last == Long.MAX_VALUE) {
          disk.link(path, copy);
          continue;
        }
        long[] at = {0};
        try (DiskFile file = disk.open(path);
            DiskFile target = disk.create(copy)) {
          MemorySegment all = Arena.ofAuto().allocate(file.size() + 1, 8);
          long length = file.read(all.asSlice(0, file.size()), 0);
          scan(
              (_, _, _, frame) -> {
                if (JournalFrame.lsn(frame) <= last) {
                  target.write(frame.asSlice(0, JournalFrame.frameBytes(frame)), at[0]);
                  at[0] = (at[0] + JournalFrame.frameBytes(frame) + 7) & -8L;
                }
              },
              lane,
              path,
              all.asSlice(0, length));
          target.force();
        }
        bytes[0] += at[0];
      }
      disk.forceDirectory(copies);
      return bytes[0];
    }

    @Override
    public void deleteReplayed() {
      replayed.forEach(disk::delete);
      replayed.clear();
    }
  }
}
