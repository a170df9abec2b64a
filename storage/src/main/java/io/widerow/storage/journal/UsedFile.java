package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A lane's trimmed journal file that waits to be used again. Its blocks are allocated and written,
/// so a force of new frames in it changes no metadata, and it needs no zeros before: these are half
/// of what a journal writes otherwise. At most one file waits; it has a name that no journal file
/// has. A crash or a stop leaves it to the next open, which deletes it.
///
/// The old contents stay in the file until new frames overwrite them. The name of a journal file
/// tells the LSN of its first frame, and LSNs increase, so readers know earlier frames by theirs.
/// Nothing else may read the file: one with a second name, in a snapshot, is not used again.
///
/// ```
///          offer                 take
///   none ---------> (renaming) --------> waits -------> (renaming) ---> none: the lane has it
///    ^            | failed                 |  dropTo
///    |            +-> left --+             |
///    +---------- (deleting) <+-------------+
/// ```
///
/// A thread that renames or deletes has the file for itself. No other waits for that: it does
/// without the file. What a failure left is deleted by the next [#dropTo].
///
/// - Threads: any.
final class UsedFile {
  /// In place of an LSN: the file has no durable name and must not be used.
  private static final long LEFT = 0;

  /// @param lsnFirst LSN of the first of its frames, or [#LEFT]
  /// @param waits whether it may be claimed; else a thread renames or deletes it
  private record Held(ChronicleFile file, long lsnFirst, boolean waits) {
    Held left() {
      return new Held(file, LEFT, true);
    }
  }

  private final Disk disk;
  private final Path directory;
  private final AtomicReference<@Nullable Held> held = new AtomicReference<>();

  /// @param directory the file's directory while it waits
  UsedFile(Disk disk, Path directory) {
    this.disk = disk;
    this.directory = directory;
  }

  /// Takes over a file whose frames are no longer needed, under a durable name.
  ///
  /// @param file closed, with no frames but its own
  /// @param lsnFirst LSN of its first frame
  /// @return false when one waits already, or when it must not be written to, or is gone
  /// @throws StorageException when the disk failed
  boolean offer(ChronicleFile file, long lsnFirst) {
    if (!held.compareAndSet(null, new Held(file, lsnFirst, false))) {
      return false;
    }
    Held after = null;
    try {
      Path data = file.directory().resolve(ChronicleFile.DATA_FILE);
      if (!disk.exists(data) || !disk.hasOneName(data)) {
        return false;
      }
      after = new Held(file, LEFT, true);
      try {
        disk.rename(file.directory(), directory);
        disk.forceDirectory(ChronicleFile.journalOf(directory));
      } catch (StorageException.DiskFull noRoomForAName) {
        if (disk.exists(file.directory())) {
          after = null;
          return false;
        }
        ChronicleFile.delete(disk, directory); // at once, to free space
        after = null;
        return true;
      }
      after = new Held(file, lsnFirst, true);
      return true;
    } finally {
      held.set(after);
    }
  }

  /// Hands the file to the caller, durable under its new name.
  ///
  /// @param bytes a file of another size is not handed out
  /// @param unusableTo LSN: a file with a frame up to it is not handed out
  /// @return null when none waits, or there is no room for its new name or its first page
  /// @throws StorageException when the disk failed
  @Nullable ChronicleFile take(Path target, long bytes, long unusableTo) {
    Held waits = held.get();
    if (waits == null
        || waits.lsnFirst <= unusableTo
        || waits.file.bytes() != bytes
        || !claim(waits)) {
      return null;
    }
    Path left = directory;
    try {
      ChronicleFile again = ChronicleFile.again(waits.file, directory, waits.lsnFirst);
      try {
        again.rename(disk, target);
        return again;
      } catch (Throwable failure) {
        left = again.directory();
        again.close();
        throw failure;
      }
    } catch (StorageException.DiskFull noRoom) {
      ChronicleFile.delete(disk, left); // at once, to free space
      return null;
    } finally {
      held.set(null);
    }
  }

  /// Deletes the file that waits if it has a frame up to an LSN, and what a failure left.
  ///
  /// @throws StorageException when the disk failed
  void dropTo(long unusableTo) {
    Held waits = held.get();
    if (waits != null && waits.lsnFirst <= unusableTo && claim(waits)) {
      Held after = waits.left();
      try {
        if (disk.exists(directory)) {
          ChronicleFile.deleteInSteps(disk, directory);
        }
        after = null;
      } finally {
        held.set(after);
      }
    }
  }

  /// Deletes the file that waits if it has another size than files that begin now.
  ///
  /// @throws StorageException when the disk failed
  void dropUnlessOf(long bytes) {
    Held waits = held.get();
    if (waits != null && waits.file.bytes() != bytes) {
      dropTo(Long.MAX_VALUE);
    }
  }

  private boolean claim(Held waits) {
    return waits.waits && held.compareAndSet(waits, new Held(waits.file, waits.lsnFirst, false));
  }

  /// True when a file of this size waits.
  boolean isWaiting(long bytes) {
    Held now = held.get();
    return now != null && now.waits && now.lsnFirst > LEFT && now.file.bytes() == bytes;
  }

  /// Bytes of the file that waits.
  long bytes() {
    Held now = held.get();
    return now == null || !now.waits ? 0 : now.file.bytes();
  }

  /// LSN of the first frame of the file, or a lower one; [Long#MAX_VALUE] without a file.
  long lsnFirst() {
    Held now = held.get();
    return now == null ? Long.MAX_VALUE : now.lsnFirst;
  }
}
