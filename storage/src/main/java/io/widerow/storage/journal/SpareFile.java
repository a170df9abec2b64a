package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A lane's next journal file, prepared by other threads before the lane needs it. Creating a file
/// keeps the disk busy for tenths of a second, and no commit should wait for that. It is filled
/// little by little while the current file fills up, because filling it at once would slow every
/// force. It has a name of its own until it is taken. A crash before that leaves a directory, which
/// the next open deletes. A file of another size takes its place: the executor deletes the earlier
/// one first.
///
/// - Threads: the lane's; [#bytes] from any. The executor prepares the file.
final class SpareFile implements AutoCloseable {
  /// One file in preparation, as far as the executor had time for it.
  private final class Making implements Runnable {
    private final long bytes;
    private final AtomicBoolean asked = new AtomicBoolean(); // queued at the executor or running
    private volatile long wanted; // bytes that should be filled
    private volatile boolean taken;
    private volatile long reserved;
    private volatile boolean complete;
    private long wantedNext; // lane only: when to ask again
    private @Nullable Making before; // of another size; guarded by this, as are all fields below
    private @Nullable FreshFile fresh;
    private @Nullable ChronicleFile made;
    private @Nullable RuntimeException failure;

    private Making(long bytes, @Nullable Making before) {
      this.bytes = bytes;
      this.before = before;
    }

    /// Lane only.
    private void want(long newWanted) {
      if (newWanted >= wantedNext || (newWanted == wanted && !complete)) {
        wantedNext = newWanted + FreshFile.STEP_BYTES;
        wanted = newWanted;
        ask();
      }
    }

    private void ask() {
      if (asked.compareAndSet(false, true)) {
        try {
          executor.execute(this);
        } catch (RejectedExecutionException ending) {
          asked.set(false); // the lane creates the file when it needs it
        }
      }
    }

    @Override
    public void run() {
      do {
        long goal = wanted;
        make(goal);
        asked.set(false);
        if (goal == wanted) {
          break;
        }
      } while (asked.compareAndSet(false, true));
    }

    private synchronized void make(long goal) {
      if (taken || made != null || failure != null) {
        return;
      }
      try {
        dropBefore();
        FreshFile file = fresh;
        if (file == null) {
          file = FreshFile.begin(disk, directory, bytes);
          fresh = file;
          reserved = bytes;
        }
        boolean more = true;
        while (more && !taken) {
          more = file.fillStep(goal);
        }
        if (file.isFilled()) {
          made = file.finish();
          complete = true;
        }
      } catch (StorageException.DiskFull noRoom) {
        failure = fresh == null ? null : noRoom; // without a file, the next request tries again
      } catch (RuntimeException failed) {
        failure = failed; // thrown by take
      }
    }

    /// Ends the preparation, finished or not. Lane only.
    private synchronized @Nullable ChronicleFile take() {
      dropBefore();
      try (FreshFile left = fresh) {
        if (failure != null) {
          throw failure;
        }
        return made == null && left != null ? left.finish() : made;
      }
    }

    /// Ends the preparation and deletes the file.
    private synchronized void drop() {
      dropBefore();
      if (made != null) {
        delete(made);
      } else if (fresh != null) {
        fresh.close();
      }
    }

    /// The earlier file has the name.
    private synchronized void dropBefore() {
      Making earlier = before;
      before = null;
      if (earlier != null) {
        earlier.drop();
      }
    }
  }

  private final Disk disk;
  private final Path directory;
  private final Executor executor;
  private volatile @Nullable Making making; // written by the lane

  /// @param directory the file's directory until it is taken
  /// @param executor if it runs tasks directly, the lane creates its files itself
  SpareFile(Disk disk, Path directory, Executor executor) {
    this.disk = disk;
    this.directory = directory;
    this.executor = executor;
  }

  /// Requests that a file of `bytes` exists, with `wanted` bytes filled.
  void prepare(long bytes, long wanted) {
    Making asked = making;
    if (asked == null || asked.bytes != bytes) {
      asked = new Making(bytes, ended());
      making = asked;
    }
    asked.want(wanted);
  }

  /// True when no file was requested since the last one was taken.
  boolean isNone() {
    return making == null;
  }

  /// True when a file of `bytes` is complete.
  boolean isComplete(long bytes) {
    Making asked = making;
    return asked != null && asked.bytes == bytes && asked.complete;
  }

  /// Hands the file to the caller, durable under its new name and filled as far as time allowed.
  /// Waits for the step in progress, or for the file to be finished. A smaller file than wanted is
  /// deleted.
  ///
  /// @return null when there was no time or no space to create it
  /// @throws StorageException when the disk failed
  @Nullable ChronicleFile take(Path target, long bytes) {
    Making asked = ended();
    if (asked != null && asked.bytes < bytes) {
      asked.drop();
      return null;
    }
    try {
      ChronicleFile made = asked == null ? null : asked.take();
      return made == null ? null : renamed(made, target);
    } catch (StorageException.DiskFull noRoom) {
      return null; // the caller creates it and finds out whether there is space by now
    }
  }

  private ChronicleFile renamed(ChronicleFile made, Path target) {
    try {
      made.rename(disk, target);
      return made;
    } catch (StorageException.DiskFull noRoomForAName) {
      delete(made); // the next one needs its name
      throw noRoomForAName;
    }
  }

  private void delete(ChronicleFile made) {
    made.close();
    ChronicleFile.delete(disk, made.directory());
  }

  private @Nullable Making ended() {
    Making asked = making;
    making = null;
    if (asked != null) {
      asked.taken = true;
    }
    return asked;
  }

  /// Bytes of the file, once it exists.
  long bytes() {
    Making asked = making;
    return asked == null ? 0 : asked.reserved;
  }

  @Override
  public void close() {
    Making asked = ended();
    if (asked != null) {
      asked.drop();
    }
  }
}
