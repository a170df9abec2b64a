package io.widerow.storage.disk;

import io.widerow.storage.StorageException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The file operations of the store: a real disk, or a simulated one in tests. All files of the
/// store go through here, except the bytes of journal files, which need a descriptor of their own.
///
/// Every method throws [StorageException.DiskFull] when the operating system refuses for lack of
/// space, and [StorageException.Failed] when it refuses for another reason.
///
/// - Threads: any.
public interface Disk {
  /// Creates a file for writing and reading, mode 0600. It must not exist yet. Its directory entry
  /// is durable only after [#forceDirectory].
  DiskFile create(Path file);

  /// Opens an existing file for reading.
  DiskFile open(Path file);

  /// Opens an existing file for reading and for appending.
  DiskFile openForWriting(Path file);

  /// The bytes of a whole file.
  ///
  /// @throws StorageException.Corrupt when it ends before its size
  default byte[] readAll(Path path) {
    try (DiskFile file = open(path)) {
      byte[] bytes = new byte[Math.toIntExact(file.size())];
      long got = file.read(MemorySegment.ofArray(bytes), 0);
      if (got != bytes.length) {
        throw new StorageException.Corrupt(path, got, "file ends early");
      }
      return bytes;
    }
  }

  /// Writes a file under a temporary name, forces it, and gives it its name, in place of a file
  /// that has the name. Its name is durable only after [#forceDirectory].
  default void replace(Path file, Path temporary, byte[] bytes) {
    delete(temporary);
    try (DiskFile created = create(temporary)) {
      created.write(MemorySegment.ofArray(bytes), 0);
      created.force();
    }
    rename(temporary, file);
  }

  boolean exists(Path path);

  /// True for a directory; false for a link to one.
  boolean isDirectory(Path path);

  /// Creates a hard link. Its name must be free and on the same file system. Durable only after
  /// [#forceDirectory].
  void link(Path file, Path link);

  /// Creates a directory, mode 0700; does nothing when it exists. Its parent must exist.
  void createDirectory(Path directory);

  /// Atomically replaces `target` by `source`. Durable only after [#forceDirectory].
  void rename(Path source, Path target);

  /// Deletes a file or an empty directory; does nothing when it does not exist.
  void delete(Path path);

  /// Deletes a file that no thread has open, in steps that do not block other threads' disk or
  /// processor for long. Until it is gone the file may be shorter than it was, also after a crash.
  /// The bytes of a file that has a second name are kept.
  default void deleteInSteps(Path file) {
    delete(file);
  }

  /// True when a file is known to have one name only, so that no reader has it under another name.
  default boolean hasOneName(Path file) {
    return false;
  }

  /// Paths in a directory, sorted.
  List<Path> list(Path directory);

  /// Makes creations, renames and deletions in a directory durable.
  void forceDirectory(Path directory);

  /// Bytes that may still be written to the file system that holds `path`.
  long usableBytes(Path path);

  /// Takes the lock of a store for this process, until the result is closed.
  ///
  /// @param owner the name of the holder, reported to others that try
  /// @throws StorageException.Locked when another process, or this one, holds the lock
  Lock lock(Path file, String owner);

  /// A lock that is held until it is closed.
  interface Lock extends AutoCloseable {
    /// Why the lock may no longer exclude other processes; null while the names still lead to the
    /// locked file.
    default @Nullable String lost() {
      return null;
    }

    @Override
    void close() throws IOException;
  }
}
