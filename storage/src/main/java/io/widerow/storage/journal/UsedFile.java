package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A lane's trimmed journal file that waits to be used again. Its blocks are allocated and written,
/// so a force of new frames in it changes no metadata, and it needs no zeros before: these are half
/// of what a journal writes otherwise. At most one file waits; it has a name that no journal file
/// has. A crash leaves it to the next open, which deletes it.
///
/// What the file held stays in it until new frames lie over it. The name of a journal file tells
/// the LSN of its first frame, and LSNs increase, so readers know earlier frames by theirs. Nothing
/// else may read the file: one with a second name, in a snapshot, is not used again.
///
/// - Threads: any.
final class UsedFile implements AutoCloseable {
  /// @param lsnFirst LSN of the first of its frames
  private record Waiting(ChronicleFile file, long lsnFirst) {}

  private final Disk disk;
  private final Path directory;
  private @Nullable Waiting waiting; // guarded by this

  /// @param directory the file's directory while it waits
  UsedFile(Disk disk, Path directory) {
    this.disk = disk;
    this.directory = directory;
  }

  /// Takes over a file whose frames nobody needs, under a durable name.
  ///
  /// @param file closed, with no frames but its own
  /// @param lsnFirst LSN of its first frame
  /// @return false, with the file as it was, when one waits already or it must not be written to
  synchronized boolean offer(ChronicleFile file, long lsnFirst) {
    Path data = file.directory().resolve(ChronicleFile.DATA_FILE);
    if (waiting != null || !disk.hasOneName(data)) {
      return false;
    }
    try {
      disk.rename(file.directory(), directory);
      disk.forceDirectory(ChronicleFile.journalOf(directory));
    } catch (StorageException.DiskFull noRoomForAName) {
      if (!disk.exists(directory)) {
        return false;
      }
      ChronicleFile.delete(disk, directory); // at once, to free space
      return true;
    }
    waiting = new Waiting(file, lsnFirst);
    return true;
  }

  /// Hands the file to the caller, durable under its new name.
  ///
  /// @param unusableTo LSN: a file with a frame up to it is deleted
  /// @return null when none waits, or there is no room for the name
  /// @throws StorageException when the disk failed
  synchronized @Nullable ChronicleFile take(Path target, long unusableTo) {
    dropTo(unusableTo);
    Waiting taken = waiting;
    if (taken == null) {
      return null;
    }
    waiting = null;
    ChronicleFile again = ChronicleFile.again(taken.file, directory, taken.lsnFirst);
    try {
      again.rename(disk, target);
      return again;
    } catch (StorageException.DiskFull noRoomForAName) {
      again.close();
      ChronicleFile.delete(disk, again.directory());
      return null;
    } catch (Throwable failure) {
      again.close();
      throw failure;
    }
  }

  synchronized boolean isWaiting() {
    return waiting != null;
  }

  /// Bytes of the file that waits.
  synchronized long bytes() {
    return waiting == null ? 0 : waiting.file.bytes();
  }

  /// LSN of the first frame of the file that waits, [Long#MAX_VALUE] without one.
  synchronized long lsnFirst() {
    return waiting == null ? Long.MAX_VALUE : waiting.lsnFirst;
  }

  /// Deletes the file if it has a frame up to an LSN.
  synchronized void dropTo(long unusableTo) {
    if (lsnFirst() <= unusableTo) {
      close();
    }
  }

  /// Deletes the file.
  @Override
  public synchronized void close() {
    if (waiting != null) {
      waiting = null;
      ChronicleFile.deleteInSteps(disk, directory);
    }
  }
}
