package io.widerow.storage;

import java.nio.file.Path;
import java.util.List;

/// The few file operations below the store: the real ones, or a simulated disk in tests. Everything
/// that the store keeps goes through here, except what Chronicle Queue does with its own files.
///
/// All methods throw [StorageException.Failed] when the operating system refuses, and
/// [StorageException.DiskFull] when that is for want of room.
///
/// - Threads: any.
public interface Disk {
  /// Creates a file that must not exist yet, for writing and reading, mode 0600. Its directory
  /// entry is durable only after [#forceDirectory].
  DiskFile create(Path file);

  /// Opens an existing file for reading.
  DiskFile open(Path file);

  /// Opens an existing file for reading and for appending.
  DiskFile openForWriting(Path file);

  boolean exists(Path path);

  /// True for a directory, not for a link to one.
  boolean isDirectory(Path path);

  /// Gives a file a second name, which must be free, on the same file system. Durable only after
  /// [#forceDirectory].
  void link(Path file, Path link);

  /// Creates a directory, mode 0700, whose parent exists; does nothing when it is there.
  void createDirectory(Path directory);

  /// Replaces `target` by `source` in one step. Durable only after [#forceDirectory].
  void rename(Path source, Path target);

  /// Deletes a file, or an empty directory; does nothing when it is not there.
  void delete(Path path);

  /// Deletes a file that nobody has open, without keeping others from the disk or from a processor.
  /// Until it is gone it may be shorter than it was, also after a crash. One that has a second name
  /// keeps its bytes there.
  default void deleteInSteps(Path file) {
    delete(file);
  }

  /// Names in a directory, sorted.
  List<Path> list(Path directory);

  /// Makes creations, renames and deletions in a directory durable.
  void forceDirectory(Path directory);

  /// Bytes that may still be written on the file system that holds `path`.
  long usableBytes(Path path);

  /// Takes the lock of a store, for this process alone, until it is closed.
  ///
  /// @param owner what a second one is told
  /// @throws StorageException.Locked when another process, or this one, has it
  AutoCloseable lock(Path file, String owner);
}
