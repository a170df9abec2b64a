package io.widerow.storage.manifest;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.SplittableRandom;

/// A file that nothing reads. It takes room while there is some, and is deleted when a disk is full
/// to the last byte: the edits of the manifest that let other files go, and so make room, need some
/// themselves. It may be missing, shorter, or of other bytes at any time.
///
/// - Threads: one at a time; the caller holds the store's lock.
final class ReserveFile {
  static final String NAME = "ballast";

  /// Size for a small manifest.
  static final long BYTES_MIN = 64 << 10;

  private static final int PIECE_BYTES = 4 << 10;

  private final Disk disk;
  private final Path directory;
  private final Path path;
  private long bytes = -1; // when it is there; negative when not known

  ReserveFile(Disk disk, Path directory) {
    this.disk = disk;
    this.directory = directory;
    this.path = directory.resolve(NAME);
  }

  /// Gives its room back. Some file systems reuse blocks only when the deletion is durable.
  ///
  /// @return false when there was none
  boolean drop() {
    if (!disk.exists(path)) {
      return false;
    }
    disk.delete(path);
    disk.forceDirectory(directory);
    return true;
  }

  /// Takes as much room as a file needs, at least [#BYTES_MIN] and never more than half of the free
  /// room. Does nothing when it already has that much.
  ///
  /// @param fileBytes size of a file that may have to be written on a full disk
  void keep(long fileBytes) {
    long wanted = Math.max(BYTES_MIN, Long.highestOneBit(fileBytes + PIECE_BYTES) << 1);
    long has = bytes();
    if (has >= wanted) {
      return;
    }
    long free = disk.usableBytes(directory) + has;
    long taken = Math.min(wanted, free / 2) & -PIECE_BYTES;
    if (taken > has) {
      write(taken);
    }
  }

  private long bytes() {
    if (!disk.exists(path)) {
      return 0;
    }
    if (bytes < 0) {
      try (DiskFile file = disk.open(path)) {
        bytes = file.size();
      }
    }
    return bytes;
  }

  /// Its bytes are random: a file system that compresses would keep no room for zeros.
  private void write(long size) {
    bytes = -1;
    byte[] piece = new byte[PIECE_BYTES];
    var random = new SplittableRandom();
    try {
      disk.delete(path);
      try (DiskFile file = disk.create(path)) {
        for (long at = 0; at < size; at += PIECE_BYTES) {
          random.nextBytes(piece);
          file.write(MemorySegment.ofArray(piece), at);
        }
        file.force();
      }
      disk.forceDirectory(directory);
    } catch (StorageException.DiskFull gone) {
      disk.delete(path); // others were faster; there may be room later
    }
  }
}
