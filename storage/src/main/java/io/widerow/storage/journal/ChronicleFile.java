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

/// One journal file: a Chronicle Queue of its own, with one data file whose blocks are there before
/// the queue maps it. Its clock stands still, so it never rolls.
///
/// The queue makes the file and tells where its first excerpt belongs; it is closed again then, and
/// excerpts are put to their places by writes, frame first, length word behind it, so that a tailer
/// of the library reads them as its own. Through the queue's mapping, a group would dirty two pages
/// by their page tables, and its force take write access from both: an interrupt of every processor
/// that runs a thread of this process, and a wait until all have answered, which took milliseconds
/// where these were busy (`bench-results/jmh/journal-cost.md`). The index stays empty; tailers do
/// without.
///
/// - Threads: that of the lane.
public final class ChronicleFile implements AutoCloseable {
  /// The name that the queue gives to the data file of its first cycle.
  static final String DATA_FILE = "19700101.cq4";

  /// Of excerpts in the file.
  private static final long ALIGNMENT = Integer.BYTES;

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
  private final MemorySegment lengthWord = Arena.ofAuto().allocate(ValueLayout.JAVA_INT);
  private long position; // of the next excerpt

  /// @param data a file that [FreshFile] made durable
  /// @param position where its first excerpt starts
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

  /// Has the queue write its header and its empty index.
  ///
  /// @return where its first excerpt starts, with the length word
  static long writeHeader(Path directory, long bytes) {
    try (SingleChronicleQueue queue = queue(directory, bytes);
        ExcerptAppender appender = queue.createAppender();
        DocumentContext nothing = appender.writingDocument()) {
      nothing.rollbackOnClose();
      return Objects.requireNonNull(nothing.wire()).bytes().writePosition() - Integer.BYTES;
    }
  }

  /// Makes the file and its directory entries durable, with all its blocks.
  ///
  /// @throws StorageException.DiskFull when there is no room for it; nothing is left behind
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

  /// The queue maps a block and, for what reaches over its end, a quarter more.
  static long mappedBytes(long bytes) {
    return bytes + bytes / 4;
  }

  /// Deletes a file that nobody needs any more, beside forces that should not wait for it. It is
  /// shortened step by step under a name that no journal file has, which is durable first.
  ///
  /// @param trimmed that name; what an attempt that failed left there is deleted
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
      delete(disk, disk.exists(trimmed) ? trimmed : directory); // at once: it makes room
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

  /// How many bytes of the next file should be filled by now: none, zero or less, while this one is
  /// not half full, and all when it is full but for a tenth, which is for an executor that is late.
  long wantedOfNext() {
    return (position - bytes / 2) * 5 / 2;
  }

  boolean hasRoomFor(MemorySegment frame) {
    return position + Integer.BYTES + frame.byteSize() <= bytes;
  }

  /// Appends an excerpt.
  void append(MemorySegment frame) {
    data.write(frame, position + Integer.BYTES);
    // An excerpt's length; its two upper bits say that it is no metadata, and complete.
    lengthWord.set(ValueLayout.JAVA_INT, 0, (int) frame.byteSize());
    data.write(lengthWord, position);
    position = (position + Integer.BYTES + frame.byteSize() + ALIGNMENT - 1) & -ALIGNMENT;
  }

  void force() {
    data.force();
  }

  @Override
  public void close() {
    data.close();
  }
}
