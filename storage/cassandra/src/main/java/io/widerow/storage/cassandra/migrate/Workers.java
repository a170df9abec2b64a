package io.widerow.storage.cassandra.migrate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Runs tasks on several threads, in about their order.
///
/// - Threads: [#run] waits; the tasks run on the executor's.
final class Workers {
  /// Does everything on the caller's thread.
  static final Workers CALLER = new Workers(Runnable::run, 1);

  private final Executor executor;
  private final int threads;

  /// @param executor runs `threads` tasks at once; one that runs a task on the caller's thread does
  ///   it all there
  Workers(Executor executor, int threads) {
    this.executor = executor;
    this.threads = threads;
  }

  /// Returns when all tasks are done. After a failure no further task begins. The failure is thrown
  /// when the tasks that had begun have ended.
  <T> void run(Collection<T> tasks, Consumer<T> task) {
    Queue<T> left = new ArrayDeque<>(tasks);
    List<CompletableFuture<Void>> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      running.add(CompletableFuture.runAsync(() -> empty(left, task), executor));
    }
    try {
      CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).join();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof RuntimeException known ? known : failed;
    }
  }

  private static <T> void empty(Queue<T> left, Consumer<T> task) {
    T next = take(left);
    while (next != null) {
      try {
        task.accept(next);
      } catch (Throwable failure) {
        synchronized (left) {
          left.clear();
        }
        throw failure;
      }
      next = take(left);
    }
  }

  private static <T> @Nullable T take(Queue<T> left) {
    synchronized (left) {
      return left.poll();
    }
  }
}
