package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A journal file under construction. All blocks that frames may lie in are reserved, and as many
/// as time allows are filled with zeros, so that the force of a group changes no metadata.
///
/// ```
///   begin      reserved .............................|  hole  |
///   fillStep   00000000 .............................|        |
///   finish     header 00 ............................|        |   durable, under its name
/// ```
///
/// - Threads: one at a time.
public final class FreshFile implements AutoCloseable {
  /// Bytes filled at a time. A concurrent group's force waits for at most this much.
  static final long STEP_BYTES = 256 << 10;

  private final Disk disk;
  private final Path directory;
  private final long bytes;
  private @Nullable NativeFile data; // until finished or deleted
  private long filled;

  private FreshFile(Disk disk, Path directory, long bytes, NativeFile data) {
    this.disk = disk;
    this.directory = directory;
    this.bytes = bytes;
    this.data = data;
  }

  /// Creates the directory and the file in it, with its blocks.
  ///
  /// @throws StorageException.DiskFull when there is no room for it; nothing of it remains
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
      data.reserve(bytes);
      data.resize(ChronicleFile.mappedBytes(bytes));
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

  /// Fills one step of the file. Returns false and does nothing if `wanted` bytes are filled.
  boolean fillStep(long wanted) {
    if (filled >= Math.min(wanted, bytes)) {
      return false;
    }
    long next = Math.min(filled + STEP_BYTES, bytes);
    data().fill(filled, next);
    filled = next;
    return true;
  }

  /// Writes the header, and makes file and directory entries durable.
  ChronicleFile finish() {
    NativeFile finished = data();
    QueueHeader.write(finished);
    finished.force();
    disk.forceDirectory(directory);
    disk.forceDirectory(ChronicleFile.journalOf(directory));
    data = null;
    return new ChronicleFile(directory, bytes, finished);
  }

  /// Deletes the file unless it is finished.
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
