package io.widerow.query;

import java.util.concurrent.Executor;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// Independent pieces of work of one query, which its thread and others take in turn.
///
/// - Threads: the thread of the query calls [#run]; others only take pieces. When it returns, none
///   works any more. An executor may drop what it gets: the query's thread takes all that is left.
final class SharedWork {
  private final int count;
  private final IntConsumer piece;
  private final Runnable check;
  private final Object lock = new Object();

  // Guarded by lock, as is the rest.
  private int next;
  private int working; // other threads
  private @Nullable Throwable failure;

  /// @param count of pieces
  /// @param piece does the piece of a number, on any thread
  /// @param check ends the work by throwing; called on the thread of the query
  SharedWork(int count, IntConsumer piece, Runnable check) {
    this.count = count;
    this.piece = piece;
    this.check = check;
  }

  /// Does all pieces, with at most so many other threads.
  void run(Executor others, int most) {
    for (int i = 0; i < Math.min(most, count - 1); i++) {
      others.execute(this::help);
    }
    try {
      for (int at = take(); at < count; at = take()) {
        check.run();
        piece.accept(at);
      }
    } finally {
      awaitOthers();
    }
    Throwable met;
    synchronized (lock) {
      met = failure;
    }
    switch (met) {
      case null -> {}
      case RuntimeException known -> throw known;
      case Error error -> throw error;
      default -> throw new IllegalStateException("unexpected exception from a query", met);
    }
  }

  private int take() {
    synchronized (lock) {
      return failure == null && next < count ? next++ : count;
    }
  }

  private void help() {
    synchronized (lock) {
      working++;
    }
    try {
      for (int at = take(); at < count; at = take()) {
        piece.accept(at);
      }
    } catch (Throwable failed) {
      synchronized (lock) {
        failure = failed; // the query's thread throws it
      }
    } finally {
      synchronized (lock) {
        working--;
        lock.notifyAll();
      }
    }
  }

  /// Takes all pieces that are left from others, and waits for those that they do.
  private void awaitOthers() {
    boolean interrupted = false;
    synchronized (lock) {
      next = count;
      while (working > 0) {
        try {
          lock.wait();
        } catch (InterruptedException wait) {
          interrupted = true; // they write to what the query holds
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
