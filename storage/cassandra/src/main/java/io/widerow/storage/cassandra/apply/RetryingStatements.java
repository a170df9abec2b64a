package io.widerow.storage.cassandra.apply;

import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Makes statements of the keyspace until they succeed. Every statement may be repeated.
///
/// - Threads: one makes statements; any reads the counters.
public final class RetryingStatements {
  private static final long PAUSE_MILLIS_MIN = 25;
  private static final long PAUSE_MILLIS_MAX = 1_000;

  /// A failure that needs an operator is retried less often.
  private static final long REFUSED_MILLIS = 5_000;

  private final Pace pace;
  private final LongAdder unreachable = new LongAdder();
  private final LongAdder timeouts = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private volatile String trouble = "";

  public RetryingStatements(Pace pace) {
    this.pace = pace;
  }

  /// A statement in progress.
  final class Try<T extends @Nullable Object> {
    private final String what;
    private final Supplier<CompletableFuture<T>> statement;
    private CompletableFuture<T> answer;

    private Try(String what, Supplier<CompletableFuture<T>> statement) {
      this.what = what;
      this.statement = statement;
      this.answer = statement.get();
    }

    /// Waits until it has succeeded.
    T await() {
      long pause = PAUSE_MILLIS_MIN;
      while (true) {
        try {
          T result = pace.join(answer);
          trouble = "";
          return result;
        } catch (ExecutionException failed) {
          KeyspaceException why = cause(failed);
          note(what, why);
          pace.pause(why.kind == KeyspaceException.Kind.REFUSED ? REFUSED_MILLIS : pause);
          pause = Math.min(PAUSE_MILLIS_MAX, pause * 2);
          answer = statement.get();
        }
      }
    }
  }

  /// Starts a statement.
  <T extends @Nullable Object> Try<T> start(String what, Supplier<CompletableFuture<T>> statement) {
    return new Try<>(what, statement);
  }

  /// Makes a statement until it succeeds.
  <T extends @Nullable Object> T make(String what, Supplier<CompletableFuture<T>> statement) {
    return start(what, statement).await();
  }

  /// Makes a statement once.
  ///
  /// @throws KeyspaceException when it fails
  <T extends @Nullable Object> T once(String what, CompletableFuture<T> answer) {
    try {
      T result = pace.join(answer);
      trouble = "";
      return result;
    } catch (ExecutionException failed) {
      KeyspaceException why = cause(failed);
      note(what, why);
      throw why;
    }
  }

  private static KeyspaceException cause(ExecutionException failed) {
    if (failed.getCause() instanceof KeyspaceException why) {
      return why;
    }
    if (failed.getCause() instanceof Error bug) {
      throw bug;
    }
    throw new IllegalStateException("a statement failed otherwise than it may", failed);
  }

  private void note(String what, KeyspaceException why) {
    counter(why.kind).increment();
    trouble = "cannot %s: %s".formatted(what, why.getMessage());
  }

  private LongAdder counter(KeyspaceException.Kind kind) {
    return switch (kind) {
      case UNREACHABLE -> unreachable;
      case TIMEOUT -> timeouts;
      case REFUSED -> refused;
    };
  }

  void troubled(String sentence) {
    trouble = sentence;
  }

  /// Why the last statement failed; empty when it did not.
  public String trouble() {
    return trouble;
  }

  /// Failed tries since the start.
  public long retries(KeyspaceException.Kind kind) {
    return counter(kind).sum();
  }
}
