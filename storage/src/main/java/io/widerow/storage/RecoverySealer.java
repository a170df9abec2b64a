package io.widerow.storage;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;

/// Seals what opening replays, several rows at a time: their segments are written side by side, and
/// come into the manifest in the order in which the rows were filled, so that the last LSN it knows
/// of a lane has nothing unsealed before it.
///
/// ```
///   opening thread   replay A | replay B | write B    | commit A, commit B | replay C ...
///   executor                  | write A ............. |
/// ```
///
/// While memory for the next rows is left, an executor's thread writes a segment; when none is, the
/// opening thread writes one itself, and those that no other thread has begun with: it may be the
/// executor's only one.
///
/// - Threads: the one that opens the store; it uses the store's executor.
/// - Memory: [#close] returns when no other thread reads rows any more.
final class RecoverySealer implements AutoCloseable {
  private final Sealer sealer;
  private final Executor executor;
  private final int besideMax;
  private final ArrayDeque<Writing> writing = new ArrayDeque<>(); // oldest first

  /// Rows whose segments are being written, or are written.
  private record Writing(SealJob job, FutureTask<List<LiveSegment>> written) {}

  /// @param besideMax rows that may wait for an executor's thread at a time
  RecoverySealer(Sealer sealer, Executor executor, int besideMax) {
    this.sealer = sealer;
    this.executor = executor;
    this.besideMax = besideMax;
  }

  /// Takes rows, and sees to it that there is memory for the next ones.
  void seal(SealJob job) {
    if (writing.size() < besideMax) {
      var task = new FutureTask<>(() -> sealer.write(job));
      writing.add(new Writing(job, task));
      executor.execute(task);
      while (!writing.isEmpty() && writing.element().written().isDone()) {
        commitOldest();
      }
      return;
    }
    List<LiveSegment> written = sealer.write(job);
    try {
      finish();
    } catch (Throwable failed) {
      sealer.abandon(written, failed);
      throw failed;
    }
    sealer.commit(job, written);
  }

  /// Waits until everything taken is in the manifest.
  void finish() {
    while (!writing.isEmpty()) {
      commitOldest();
    }
  }

  private void commitOldest() {
    Writing oldest = writing.remove();
    sealer.commit(oldest.job(), result(oldest.written()));
  }

  private static List<LiveSegment> result(FutureTask<List<LiveSegment>> task) {
    task.run(); // does nothing where a thread of the executor has begun with it
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException wait) {
          interrupted = true; // the rows' memory must outlive the task
        }
      }
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof Error error) {
        throw error;
      }
      if (failed.getCause() instanceof RuntimeException known) {
        throw known;
      }
      throw new IllegalStateException("writing a segment throws nothing else", failed);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /// Ends what a failure left under way; its segments are deleted.
  ///
  /// @throws IllegalStateException with what else failed meanwhile
  @Override
  public void close() {
    var failure = new IllegalStateException("segments of an opening that failed");
    while (!writing.isEmpty()) {
      try {
        sealer.abandon(result(writing.remove().written()), failure);
      } catch (RuntimeException alsoFailed) {
        failure.addSuppressed(alsoFailed);
      }
    }
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
  }
}
