package io.widerow.storage.maintenance;

import io.widerow.storage.StorageException;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.scan.BlockReaders;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A rewrite of segments on request; the caller waits for the result. The [Merger] does it step by
/// step: each step is done as a whole or changes nothing, and waits like a merge while rows are
/// sealed. Merges that are due go first.
///
/// - Threads: steps run on the merging thread, one at a time; any thread waits.
///
/// @param <R> the result
public abstract class Rewrite<R> {
  private static final long LOOK_MILLIS = 100;

  private final CompletableFuture<R> done = new CompletableFuture<>();

  /// The tools of a step.
  record Tools(
      StoreContents contents, RetentionEnforcer expiry, MergeWriter writer, BlockReaders readers) {}

  /// Does the next step, and leaves nothing half done when it throws.
  ///
  /// @return false when nothing was left to do
  abstract boolean step(Tools tools);

  /// The result, when nothing is left.
  abstract R result();

  /// Does the next step, for the merging thread.
  ///
  /// @return false when this was the last one
  final boolean goOn(Tools tools) {
    if (done.isDone()) {
      return false; // no caller waits any more
    }
    try {
      if (step(tools)) {
        return true;
      }
      done.complete(result());
    } catch (RuntimeException | Error failure) {
      done.completeExceptionally(failure);
    }
    return false;
  }

  /// Why it is given up when the store is closed.
  static StorageException closing(Exception cause) {
    return new StorageException.Failed("the store is being closed", cause);
  }

  /// True when it is done, or failed.
  public final boolean isEnded() {
    return done.isDone();
  }

  final void fail(StorageException failure) {
    done.completeExceptionally(failure);
  }

  /// Waits for the result.
  ///
  /// @param start makes the merging thread look whether there is something to do
  /// @throws StorageException when a step failed; the steps before it stay done
  /// @throws InterruptedException when the thread was interrupted; no step begins then
  final R await(Runnable start) throws InterruptedException {
    try {
      while (true) {
        start.run();
        try {
          return done.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException goesOn) {
          // The task may have ended just before it was asked.
        }
      }
    } catch (RejectedExecutionException ended) {
      throw closing(ended);
    } catch (ExecutionException failed) {
      switch (failed.getCause()) {
        case RuntimeException why -> throw why;
        case Error why -> throw why;
        case null, default -> throw new IllegalStateException(failed);
      }
    } finally {
      boolean _ = done.cancel(false);
    }
  }
}
