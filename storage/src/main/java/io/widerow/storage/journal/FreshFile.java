package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A journal file that is being made: all its blocks are there, and as many of them as somebody had
/// time for have zeros written into them, so that the force of a group changes no metadata.
///
/// ```
///   begin      reserved ......................................
///   fillStep   00000000 ......................................
///   finish     header 00 .....................................   durable, under its name
/// ```
///
/// - Threads: one at a time.
public final class FreshFile implements AutoCloseable {
  /// What is filled at a time: a group's force that comes meanwhile waits for as much.
  static final long STEP_BYTES = 256 << 10;

  private final Disk disk;
  private final Path directory;
  private final long bytes;
  private @Nullable NativeFile data; // until it is finished, or deleted
  private long filled;

  private FreshFile(Disk disk, Path directory, long bytes, NativeFile data) {
    this.disk = disk;
    this.directory = directory;
    this.bytes = bytes;
    this.data = data;
  }

  /// Makes the directory and the file in it, with its blocks.
  ///
  /// @throws StorageException.DiskFull when there is no room for it; nothing is left behind
  static FreshFile begin(Disk disk, Path directory, long bytes) {
    if (disk.exists(directory)) {
      throw new IllegalStateException(directory + " exists");
    }
    disk.createDirectory(directory);
    Path file = directory.resolve(ChronicleFile.DATA_FILE);
    NativeFile data = null;
    try {
      disk.create(file).close();
      data = new NativeFile(file);
      data.reserve(ChronicleFile.mappedBytes(bytes));
      return new FreshFile(disk, directory, bytes, data);
    } catch (Throwable failure) {
      if (data != null) {
        data.close();
      }
      ChronicleFile.delete(disk, directory);
      throw failure;
    }
  }

  private NativeFile data() {
    NativeFile open = data;
    if (open == null) {
      throw new IllegalStateException(directory + " is finished");
    }
    return open;
  }

  boolean isFilled() {
    return filled == bytes;
  }

  /// Fills a step of the file. False, and nothing done, when so many bytes of it are filled.
  boolean fillStep(long wanted) {
    if (filled >= Math.min(wanted, bytes)) {
      return false;
    }
    long next = Math.min(filled + STEP_BYTES, bytes);
    data().fill(filled, next);
    filled = next;
    return true;
  }

  /// Has the queue write its header, and makes file and directory entries durable.
  ChronicleFile finish() {
    long position = ChronicleFile.writeHeader(directory, bytes);
    NativeFile finished = data();
    finished.force();
    disk.forceDirectory(directory);
    disk.forceDirectory(ChronicleFile.journalOf(directory));
    data = null;
    return new ChronicleFile(directory, bytes, finished, position);
  }

  /// Deletes the file, unless it was finished.
  @Override
  public void close() {
    NativeFile open = data;
    if (open != null) {
      data = null;
      open.close();
      ChronicleFile.delete(disk, directory);
    }
  }
}
