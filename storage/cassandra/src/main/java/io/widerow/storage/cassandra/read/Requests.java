package io.widerow.storage.cassandra.read;

import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Sends requests to the cluster, with retries while it does not respond, until the reader's
/// patience ends. A future fails with [StorageException.Unreachable], which names the data that
/// could not be read; never with a [KeyspaceException].
///
/// - Threads: any.
final class Requests {
  private static final long PAUSE_FIRST_MILLIS = 50;
  private static final long PAUSE_MILLIS_MAX = 1_000;

  /// Requests of one caller in flight, see [#each].
  private static final int IN_FLIGHT = 128;

  private final long patienceNanos;

  Requests(ReadOptions options) {
    this.patienceNanos = options.patience().toNanos();
  }

  /// Makes a request.
  ///
  /// @param what the target, for messages, such as `the directory of 2026-11-20T19|cpu|0`
  <T extends @Nullable Object> CompletableFuture<T> ask(
      ReadCounts counts,
      ReadCounts.Kind kind,
      Supplier<String> what,
      Supplier<CompletableFuture<T>> statement) {
    return ask(Runnable::run, counts, kind, what, statement);
  }

  /// Makes a request on another thread, for a caller that has other work to do: to hand one to the
  /// driver takes longer than to decode a hundred events.
  ///
  /// @param by runs it; the caller's thread does when it refuses
  <T extends @Nullable Object> CompletableFuture<T> ask(
      Executor by,
      ReadCounts counts,
      ReadCounts.Kind kind,
      Supplier<String> what,
      Supplier<CompletableFuture<T>> statement) {
    Request<T> request = new Request<>(counts, kind, what, statement);
    try {
      by.execute(request);
    } catch (RejectedExecutionException over) {
      request.run();
    }
    return request;
  }

  /// One request and its retries. To cancel it cancels the current statement.
  private final class Request<T extends @Nullable Object> extends CompletableFuture<T>
      implements Runnable {
    private final ReadCounts counts;
    private final ReadCounts.Kind kind;
    private final Supplier<String> what;
    private final Supplier<CompletableFuture<T>> statement;
    private final long startNanos = System.nanoTime();
    private long pauseMillis = PAUSE_FIRST_MILLIS;
    private volatile @Nullable CompletableFuture<T> underWay;

    Request(
        ReadCounts counts,
        ReadCounts.Kind kind,
        Supplier<String> what,
        Supplier<CompletableFuture<T>> statement) {
      this.counts = counts;
      this.kind = kind;
      this.what = what;
      this.statement = statement;
    }

    @Override
    public void run() {
      if (isDone()) {
        return;
      }
      counts.request(kind);
      CompletableFuture<T> asked;
      try {
        asked = statement.get();
      } catch (RuntimeException | Error bug) {
        completeExceptionally(bug); // its reader may be another thread
        return;
      }
      underWay = asked;
      if (isCancelled()) {
        asked.cancel(false);
      }
      var _ =
          asked.whenComplete((answer, failure) -> {
            if (failure == null) {
              complete(answer);
            } else {
              failed(causeOf(failure));
            }
          });
    }

    private void failed(Throwable failure) {
      if (isDone()) {
        return;
      }
      if (!(failure instanceof KeyspaceException refused)) {
        completeExceptionally(failure);
        return;
      }
      long spent = System.nanoTime() - startNanos;
      if (refused.kind == KeyspaceException.Kind.REFUSED || spent >= patienceNanos) {
        completeExceptionally(
            new StorageException.Unreachable(
                "cannot read %s from the cluster: %s".formatted(what.get(), refused.getMessage()),
                refused));
        return;
      }
      counts.repeat();
      long pause = pauseMillis / 2 + ThreadLocalRandom.current().nextLong(pauseMillis / 2 + 1);
      pauseMillis = Math.min(2 * pauseMillis, PAUSE_MILLIS_MAX);
      // On the JDK's thread for delays: a statement does not wait, and no pool can be too busy.
      CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS, Runnable::run).execute(this);
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
      boolean cancelled = super.cancel(mayInterrupt);
      CompletableFuture<T> asked = underWay;
      if (asked != null) {
        asked.cancel(mayInterrupt);
      }
      return cancelled;
    }
  }

  private static Throwable causeOf(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  /// Makes requests, some in flight at a time, and hands over their results in order. Waits for the
  /// responses.
  static <K, T extends @Nullable Object> void each(
      Collection<K> keys,
      Function<K, CompletableFuture<T>> request,
      ReadCounts counts,
      Consumer<T> receiver) {
    Queue<CompletableFuture<T>> underWay = new ArrayDeque<>();
    for (K key : keys) {
      if (underWay.size() == IN_FLIGHT) {
        receiver.accept(await(underWay.remove(), counts));
      }
      underWay.add(request.apply(key));
    }
    underWay.forEach(answer -> receiver.accept(await(answer, counts)));
  }

  /// Waits for a response.
  ///
  /// @throws StorageException when it failed
  static <T extends @Nullable Object> T await(CompletableFuture<T> answer) {
    try {
      return answer.join();
    } catch (CompletionException failed) {
      Throwable cause = causeOf(failed);
      if (cause instanceof RuntimeException told) {
        throw told;
      }
      throw failed;
    }
  }

  /// The same, counting the wait.
  static <T extends @Nullable Object> T await(CompletableFuture<T> answer, ReadCounts counts) {
    if (answer.isDone()) {
      return await(answer);
    }
    long start = System.nanoTime();
    try {
      return await(answer);
    } finally {
      counts.waited(System.nanoTime() - start);
    }
  }
}
