package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// One journal file: a directory with one data file in Chronicle Queue's format, so that a tailer
/// of the library reads its frames as excerpts. `QueueFormatTest` holds that at every stage of a
/// file's life.
///
/// The library is not used for writing: it writes through a mapping, and a write to a page for
/// which the disk has no room raises SIGBUS instead of returning an error. Its writes would also
/// dirty two pages a group in the page tables. The force would revoke write access to both, which
/// interrupts every processor that runs a thread of this process and waits for all of them; on busy
/// processors that took milliseconds (`bench-results/jmh/journal-cost.md`). So the file's blocks
/// are allocated first. Plain writes then put [QueueHeader] and the excerpts into place: a small
/// excerpt in one write, a large one in two, its frame before its length word. The index stays
/// empty; tailers work without it.
///
/// A file may be used again for later frames, see [UsedFile]. Until later frames overwrite it, the
/// rest of the file holds the earlier frames:
///
/// ```
///   header |len|frame 90|len|frame 91|0000 ~ page end|rest of frame 34|len|frame 35| ~
///                                    ^ a tailer ends here
/// ```
///
/// So each write goes to the end of its page, with zeros after the excerpt. That costs nothing, as
/// a page is forced as a whole, and no page has to be read before a part of it is written.
///
/// - Threads: the lane's.
public final class ChronicleFile implements AutoCloseable {
  /// The queue's name for the data file of its first cycle.
  static final String DATA_FILE = "19700101.cq4";

  /// Alignment of excerpts in the file.
  private static final long ALIGNMENT = Integer.BYTES;

  /// A smaller excerpt is written at once. After a crash the checksums of its frame show whether
  /// the write is complete, as with a larger excerpt, whose pages reach the disk in any order.
  private static final int EXCERPT_BYTES = 4 << 10;

  private volatile Path directory;
  private final long bytes;
  private final NativeFile data;
  private final MemorySegment excerpt =
      Arena.ofAuto().allocate(EXCERPT_BYTES + NativeFile.PAGE_BYTES + 2 * ALIGNMENT, ALIGNMENT);
  private long position = QueueHeader.BYTES; // of the next excerpt
  private volatile long remainsFrom = Long.MAX_VALUE; // LSN

  /// @param data a file that [FreshFile] made durable
  ChronicleFile(Path directory, long bytes, NativeFile data) {
    this.directory = directory;
    this.bytes = bytes;
    this.data = data;
  }

  /// Opens a file that was closed, to write it from the start again. It is durable, and a tailer
  /// finds no excerpt in it.
  ///
  /// @param directory where the file is now
  /// @param lsnFirst LSN of the first frame that it holds
  static ChronicleFile again(ChronicleFile used, Path directory, long lsnFirst) {
    var data = new NativeFile(directory.resolve(DATA_FILE));
    try {
      data.zero(QueueHeader.BYTES, NativeFile.pageEnd(QueueHeader.BYTES));
      var file = new ChronicleFile(directory, used.bytes, data);
      file.remainsFrom = lsnFirst;
      return file;
    } catch (Throwable failure) {
      data.close();
      throw failure;
    }
  }

  /// A full file of an earlier start; durable on return, and closed.
  static ChronicleFile earlier(Disk disk, Path directory) {
    Path path = directory.resolve(DATA_FILE);
    long size;
    try (DiskFile data = disk.open(path)) {
      size = data.size();
    }
    long bytes = size * 4 / 5; // see mappedBytes
    try (var file = new ChronicleFile(directory, bytes, new NativeFile(path))) {
      file.force();
      return file;
    }
  }

  /// Creates the file with its blocks. File and directory entries are durable on return.
  ///
  /// @throws StorageException.DiskFull when there is no room for it; nothing of it remains
  static ChronicleFile create(Disk disk, Path directory, long bytes) {
    try (FreshFile fresh = FreshFile.begin(disk, directory, bytes)) {
      return fresh.finish();
    }
  }

  static Path journalOf(Path directory) {
    return directory.resolveSibling(".").normalize();
  }

  /// Gives the file its final name, durably.
  void rename(Disk disk, Path target) {
    disk.rename(directory, target);
    directory = target;
    disk.forceDirectory(journalOf(target));
  }

  /// Bytes that a tailer of the library maps: a block, and a quarter more for excerpts that cross
  /// its end. None does, so that quarter is a hole.
  static long mappedBytes(long bytes) {
    return bytes + bytes / 4;
  }

  /// Deletes an obsolete file without delaying concurrent forces. First the file durably gets a
  /// name that no journal file has, then it is truncated step by step.
  ///
  /// @param trimmed that name; leftovers of a failed attempt under it are deleted
  static void deleteInSteps(Disk disk, Path directory, Path trimmed) {
    if (disk.exists(trimmed)) {
      delete(disk, trimmed);
    }
    if (!disk.exists(directory)) {
      return;
    }
    try {
      disk.rename(directory, trimmed);
      disk.forceDirectory(journalOf(trimmed));
    } catch (StorageException.DiskFull noRoomForAName) {
      delete(disk, disk.exists(trimmed) ? trimmed : directory); // at once, to free space
      return;
    }
    deleteInSteps(disk, trimmed);
  }

  /// Deletes a file that durably has a name that no journal file has.
  static void deleteInSteps(Disk disk, Path directory) {
    disk.list(directory).forEach(disk::deleteInSteps);
    disk.delete(directory);
  }

  static void delete(Disk disk, Path directory) {
    for (Path file : disk.list(directory)) {
      disk.delete(file);
    }
    disk.delete(directory);
  }

  Path directory() {
    return directory;
  }

  /// Bytes that it takes on the disk.
  long bytes() {
    return bytes;
  }

  /// The size of the file. The part after [#bytes] is a hole.
  long size() {
    return mappedBytes(bytes);
  }

  boolean isHalfFull() {
    return position > bytes / 2;
  }

  /// The number of bytes of the next file that should be filled by now: none while this file is
  /// half full, all when only a tenth of it is free. That tenth is slack for a late executor.
  ///
  /// @param nextBytes of the next file
  long wantedOfNext(long nextBytes) {
    return (position - bytes / 2) * 5 / 2 * nextBytes / bytes;
  }

  boolean hasRoomFor(MemorySegment frame) {
    return holds(bytes, position, frame.byteSize());
  }

  /// Whether a file of some bytes has room for a frame at a position.
  static boolean holds(long bytes, long position, long frameBytes) {
    return after(position, frameBytes) + Integer.BYTES <= bytes;
  }

  /// Where the next excerpt begins after one of `frameBytes` bytes at a position.
  static long after(long position, long frameBytes) {
    return (position + Integer.BYTES + frameBytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /// Appends an excerpt.
  void append(MemorySegment frame) {
    long frameBytes = frame.byteSize();
    long end = position + Integer.BYTES + frameBytes;
    long next = after(position, frameBytes);
    long zeros = NativeFile.pageEnd(next + Integer.BYTES - 1); // with the next length word
    excerpt.set(QueueHeader.LENGTH_WORD, 0, (int) frameBytes);
    if (end - position <= EXCERPT_BYTES) {
      MemorySegment.copy(frame, 0, excerpt, Integer.BYTES, frameBytes);
      excerpt.asSlice(end - position, zeros - end).fill((byte) 0);
      data.write(excerpt.asSlice(0, zeros - position), position);
    } else {
      data.write(frame, position + Integer.BYTES);
      data.zero(end, zeros);
      data.write(excerpt.asSlice(0, Integer.BYTES), position);
    }
    position = next;
  }

  /// Writes zeros over what the file holds of its earlier use, so that it holds its own frames and
  /// nothing else. Little is left of it in a file that is full.
  void clearRemains() {
    if (remainsFrom < Long.MAX_VALUE) {
      data.zero(position, bytes);
      remainsFrom = Long.MAX_VALUE;
    }
  }

  /// The least LSN of a frame that may be left of the file's earlier use; [Long#MAX_VALUE] when
  /// nothing is. Any thread.
  long remainsFrom() {
    return remainsFrom;
  }

  void force() {
    data.force();
  }

  @Override
  public void close() {
    data.close();
  }
}
