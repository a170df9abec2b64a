package io.widerow.storage;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Objects;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.Jvm;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.queue.rollcycles.LegacyRollCycles;
import net.openhft.chronicle.wire.DocumentContext;

/// One journal file: a Chronicle Queue of its own, with one data file whose blocks are there before
/// the queue maps it. Its clock stands still, so it never rolls.
///
/// - Threads: that of the lane.
/// - Memory: owns the mapping until [#close].
final class ChronicleFile implements AutoCloseable {
  /// The name that the queue gives to the data file of its first cycle.
  static final String DATA_FILE = "19700101.cq4";

  /// What the queue needs besides excerpts: its header and its index.
  static final int OVERHEAD_BYTES = 256 << 10;

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
  private final SingleChronicleQueue queue;
  private final ExcerptAppender appender;
  private long usedBytes = OVERHEAD_BYTES;

  private ChronicleFile(Path directory, long bytes, NativeFile data) {
    this.directory = directory;
    this.bytes = bytes;
    this.data = data;
    this.queue =
        SingleChronicleQueueBuilder.binary(directory)
            .rollCycle(LegacyRollCycles.DAILY)
            .indexCount(INDEX_COUNT)
            .indexSpacing(INDEX_SPACING)
            .blockSize(bytes)
            .timeProvider(() -> 0L)
            .timeoutMS(1)
            .checkInterrupts(false)
            .build();
    this.appender = queue.createAppender();
    openData();
  }

  /// Has the queue open and map its data file now, under the name that the directory has now: by
  /// itself it would at the first append.
  private void openData() {
    try (DocumentContext nothing = appender.writingDocument()) {
      nothing.rollbackOnClose();
    }
    // The thread that made the file gives it to the lane's.
    appender.singleThreadedCheckReset();
  }

  /// Makes the file and its directory entries durable, with all its blocks.
  ///
  /// @param filled writes all of it once: takes longer now, and less time in every force later
  /// @throws StorageException.DiskFull when there is no room for it; nothing is left behind
  static ChronicleFile create(Disk disk, Path directory, long bytes, boolean filled) {
    Path journal = journalOf(directory);
    if (disk.exists(directory)) {
      throw new IllegalStateException(directory + " exists");
    }
    disk.createDirectory(directory);
    Path file = directory.resolve(DATA_FILE);
    NativeFile data = null;
    try {
      disk.create(file).close();
      data = new NativeFile(file);
      data.reserve(mappedBytes(bytes));
      data.settle(bytes, filled);
      ChronicleFile created = new ChronicleFile(directory, bytes, data);
      data.force();
      disk.forceDirectory(directory);
      disk.forceDirectory(journal);
      return created;
    } catch (Throwable failure) {
      if (data != null) {
        data.close();
      }
      delete(disk, directory);
      throw failure;
    }
  }

  private static Path journalOf(Path directory) {
    return directory.resolveSibling(".").normalize();
  }

  /// Gives the file its final name, durably. The queue holds what it needs open and mapped.
  void rename(Disk disk, Path target) {
    disk.rename(directory, target);
    directory = target;
    disk.forceDirectory(journalOf(target));
  }

  /// The queue maps a block and, for what reaches over its end, a quarter more.
  private static long mappedBytes(long bytes) {
    return bytes + bytes / 4;
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

  boolean isHalfFull() {
    return usedBytes > bytes / 2;
  }

  boolean hasRoomFor(MemorySegment frame) {
    return usedBytes + excerptBytes(frame) <= bytes;
  }

  private static long excerptBytes(MemorySegment frame) {
    return 2L * Integer.BYTES + frame.byteSize();
  }

  /// Appends an excerpt. Chronicle Queue writes what is its own through the mapping; the frame gets
  /// to its place by a write, which leaves the mapping's page tables alone. A page that was written
  /// through them costs a fault, and in each force an interrupt of all processors that run a thread
  /// of this process: together a tenth of the daemon's time at full rate.
  void append(MemorySegment frame) {
    try (DocumentContext context = appender.writingDocument()) {
      try {
        Bytes<?> bytes = Objects.requireNonNull(context.wire()).bytes();
        data.write(frame, bytes.writePosition()); // a position is an offset in the file
        bytes.writeSkip(frame.byteSize());
      } catch (Throwable broken) {
        context.rollbackOnClose();
        throw broken;
      }
    }
    usedBytes += excerptBytes(frame);
    if (appender.cycle() != 0) {
      throw new IllegalStateException(directory + " rolled to cycle " + appender.cycle());
    }
  }

  void force() {
    data.force();
  }

  @Override
  public void close() {
    appender.close();
    queue.close();
    data.close();
  }
}
