package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A lane's next journal file, made on other threads before it is needed: making one takes tenths
/// of a second of the disk, which no commit should wait for. So it is also filled little by little,
/// as the file before fills up, and not all at once, beside which every force would take longer. It
/// has a name of its own until it is taken, and a crash before that leaves a directory that the
/// next opening deletes.
///
/// - Threads: that of the lane; [#bytes] from any. Making runs on the executor.
final class SpareFile implements AutoCloseable {
  /// One file being made: by the executor, as far as that had time for it.
  private final class Making implements Runnable {
    private final AtomicBoolean asked = new AtomicBoolean(); // the executor has it, or will
    private volatile long wanted; // bytes that should be filled
    private volatile boolean taken;
    private volatile long reserved;
    private long wantedNext; // of the lane: when to ask again
    private @Nullable FreshFile fresh; // guarded by this, as all below
    private @Nullable ChronicleFile made;
    private @Nullable RuntimeException failure;

    /// Of the lane.
    private void want(long newWanted) {
      if (newWanted >= wantedNext) {
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
          asked.set(false); // whoever needs the file makes it
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
        FreshFile file = fresh;
        if (file == null) {
          file = FreshFile.begin(disk, directory, bytes);
          fresh = file;
          reserved = ChronicleFile.mappedBytes(bytes);
        }
        boolean more = true;
        while (more && !taken) {
          more = file.fillStep(goal);
        }
        if (file.isFilled()) {
          made = file.finish();
        }
      } catch (RuntimeException failed) {
        failure = failed; // thrown by take
      }
    }

    /// Ends a making, finished or not. Of the lane.
    private synchronized @Nullable ChronicleFile take() {
      try (FreshFile left = fresh) {
        if (failure != null) {
          throw failure;
        }
        return made == null && left != null ? left.finish() : made;
      }
    }

    /// Ends a making and deletes what there is.
    private synchronized void drop() {
      if (made != null) {
        delete(made);
      } else if (fresh != null) {
        fresh.close();
      }
    }
  }

  private final Disk disk;
  private final Path directory;
  private final long bytes;
  private final Executor executor;
  private volatile @Nullable Making making; // written by the lane

  /// @param directory of the file until it is taken
  /// @param executor if it runs tasks at once, the lane makes its files itself
  SpareFile(Disk disk, Path directory, long bytes, Executor executor) {
    this.disk = disk;
    this.directory = directory;
    this.bytes = bytes;
    this.executor = executor;
  }

  /// Has the file made, and so many bytes of it filled.
  void prepare(long wanted) {
    Making asked = making;
    if (asked == null) {
      asked = new Making();
      making = asked;
    }
    asked.want(wanted);
  }

  /// Gives the file to the caller, durable and under its new name, filled as far as there was time
  /// for it. Waits for the step that is under way, or for the end of making.
  ///
  /// @return null when nobody had time or room to make it
  /// @throws StorageException when the disk failed
  @Nullable ChronicleFile take(Path target) {
    Making asked = ended();
    try {
      ChronicleFile made = asked == null ? null : asked.take();
      return made == null ? null : renamed(made, target);
    } catch (StorageException.DiskFull noRoom) {
      return null; // whoever needs the file finds out whether there is room by now
    }
  }

  private ChronicleFile renamed(ChronicleFile made, Path target) {
    try {
      made.rename(disk, target);
      return made;
    } catch (StorageException.DiskFull noRoomForAName) {
      delete(made); // the next one needs its place
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

  /// Bytes of the file, as soon as it is there.
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
