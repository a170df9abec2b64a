package io.widerow.storage;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A lane's next journal file, made on another thread before it is needed: making one takes tens of
/// milliseconds, which no commit should wait for. It has a name of its own until it is taken, and a
/// crash before that leaves a directory that the next opening deletes.
///
/// - Threads: that of the lane; [#bytes] from any. Making runs on the executor.
final class SpareFile implements AutoCloseable {
  /// One file being made: by the executor, or, where that had no time for it, not at all.
  private final class Making implements Runnable {
    private final AtomicBoolean begun = new AtomicBoolean();
    private final CompletableFuture<ChronicleFile> file = new CompletableFuture<>();

    @Override
    public void run() {
      if (begun.compareAndSet(false, true)) {
        try {
          file.complete(ChronicleFile.create(disk, directory, bytes, true));
        } catch (Throwable failure) {
          file.completeExceptionally(failure); // thrown by take
        }
      }
    }

    /// @return null when it was not begun, and will not be
    private @Nullable ChronicleFile await() {
      return begun.compareAndSet(false, true) ? null : file.join();
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

  /// Has the file made, unless that was asked for before.
  void prepare() {
    if (making == null) {
      var asked = new Making();
      making = asked;
      try {
        executor.execute(asked);
      } catch (RejectedExecutionException ending) {
        making = null; // whoever needs the file makes it
      }
    }
  }

  /// Gives the file to the caller, durable, filled and under its new name. Waits for a making that
  /// has begun.
  ///
  /// @return null when nobody had time or room to make it
  /// @throws StorageException when the disk failed
  @Nullable ChronicleFile take(Path target) {
    ChronicleFile made = made();
    if (made != null) {
      made.rename(disk, target);
    }
    return made;
  }

  private @Nullable ChronicleFile made() {
    Making asked = making;
    making = null;
    try {
      return asked == null ? null : asked.await();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof StorageException.DiskFull) {
        return null; // whoever needs the file finds out whether there is room by now
      }
      if (failed.getCause() instanceof StorageException known) {
        throw known;
      }
      throw failed;
    }
  }

  /// Bytes of the file, as soon as it is there.
  long bytes() {
    Making asked = making;
    if (asked == null || !asked.file.isDone() || asked.file.isCompletedExceptionally()) {
      return 0;
    }
    return asked.file.join().bytes();
  }

  @Override
  public void close() {
    ChronicleFile made = made();
    if (made != null) {
      made.close();
      ChronicleFile.delete(disk, made.directory());
    }
  }
}
