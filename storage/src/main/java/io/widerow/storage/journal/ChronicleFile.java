package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Objects;
import net.openhft.chronicle.core.Jvm;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.queue.rollcycles.LegacyRollCycles;
import net.openhft.chronicle.wire.DocumentContext;

/// One journal file: a Chronicle Queue directory with one data file, whose blocks are allocated
/// before the queue maps it. Its clock stands still, so it never rolls.
///
/// The queue creates the file and tells where the first excerpt belongs, and is then closed. Plain
/// writes put the excerpts into place, a small one at once, of a large one the frame first and its
/// length word after it, so that a tailer of the library reads them as its own. Writes through the
/// queue's mapping would dirty two pages a group in the page tables. The force would revoke write
/// access to both, which interrupts every processor that runs a thread of this process and waits
/// for all of them; on busy processors that took milliseconds
/// (`bench-results/jmh/journal-cost.md`). The index stays empty; tailers work without it.
///
/// - Threads: the lane's.
public final class ChronicleFile implements AutoCloseable {
  /// The queue's name for the data file of its first cycle.
  static final String DATA_FILE = "19700101.cq4";

  /// Alignment of excerpts in the file.
  private static final long ALIGNMENT = Integer.BYTES;

  /// A smaller excerpt is written at once. What came of a write of it after a crash is told by the
  /// checksums of its frame, as with a larger one, whose pages reach the disk in any order.
  private static final int EXCERPT_BYTES = 4 << 10;

  private static final int INDEX_COUNT = 4 << 10;
  private static final int INDEX_SPACING = 256;

  static {
    System.setProperty("chronicle.analytics.disable", "true");
    System.setProperty("chronicle.announcer.disable", "true");
    System.setProperty("slf4j.internal.verbosity", "ERROR");
    Jvm.disableDebugHandler();
    Jvm.disablePerfHandler();
    Jvm.disableWarnHandler();
  }

  private volatile Path directory;
  private final long bytes;
  private final NativeFile data;
  private final MemorySegment excerpt = Arena.ofAuto().allocate(EXCERPT_BYTES, Integer.BYTES);
  private long position; // of the next excerpt

  /// @param data a file that [FreshFile] made durable
  /// @param position offset of its first excerpt
  ChronicleFile(Path directory, long bytes, NativeFile data, long position) {
    this.directory = directory;
    this.bytes = bytes;
    this.data = data;
    this.position = position;
  }

  static SingleChronicleQueue queue(Path directory, long bytes) {
    return SingleChronicleQueueBuilder.binary(directory)
        .rollCycle(LegacyRollCycles.DAILY)
        .indexCount(INDEX_COUNT)
        .indexSpacing(INDEX_SPACING)
        .blockSize(bytes)
        .timeProvider(() -> 0L)
        .timeoutMS(1)
        .checkInterrupts(false)
        .build();
  }

  /// Lets the queue write its header and its empty index.
  ///
  /// @return offset of the first excerpt's length word
  static long writeHeader(Path directory, long bytes) {
    try (SingleChronicleQueue queue = queue(directory, bytes);
        ExcerptAppender appender = queue.createAppender();
        DocumentContext nothing = appender.writingDocument()) {
      nothing.rollbackOnClose();
      return Objects.requireNonNull(nothing.wire()).bytes().writePosition() - Integer.BYTES;
    }
  }

  /// Creates the file with all its blocks. File and directory entries are durable on return.
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

  /// Bytes of the queue's mapping: a block, and a quarter more for excerpts that cross its end.
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
    disk.list(trimmed).forEach(disk::deleteInSteps);
    disk.delete(trimmed);
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

  long bytes() {
    return mappedBytes(bytes);
  }

  /// How many bytes of the next file should be filled by now. Zero or less while this file is less
  /// than half full; all when only a tenth of this file is free. That tenth is slack for a late
  /// executor.
  long wantedOfNext() {
    return (position - bytes / 2) * 5 / 2;
  }

  boolean hasRoomFor(MemorySegment frame) {
    return position + Integer.BYTES + frame.byteSize() <= bytes;
  }

  /// Appends an excerpt.
  void append(MemorySegment frame) {
    long bytes = frame.byteSize();
    // The excerpt's length. Its two upper bits say that the excerpt is data and complete.
    excerpt.set(ValueLayout.JAVA_INT, 0, (int) bytes);
    if (bytes <= EXCERPT_BYTES - Integer.BYTES) {
      MemorySegment.copy(frame, 0, excerpt, Integer.BYTES, bytes);
      data.write(excerpt.asSlice(0, Integer.BYTES + bytes), position);
    } else {
      data.write(frame, position + Integer.BYTES);
      data.write(excerpt.asSlice(0, Integer.BYTES), position);
    }
    position = (position + Integer.BYTES + bytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  void force() {
    data.force();
  }

  @Override
  public void close() {
    data.close();
  }
}
