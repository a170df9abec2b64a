package io.widerow.storage.cassandra.migrate;

import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.value.SegmentValue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// The statements of a migration. One that fails by itself, because the cluster is away or slow, is
/// retried until the patience ends: every statement of a [Keyspace] may be repeated.
///
/// - Threads: any. Every call except [Writes#add] waits for its response.
final class MigrationStatements {
  private static final long PAUSE_NANOS_MIN = 50_000_000L;
  private static final long PAUSE_NANOS_MAX = 2_000_000_000L;

  private final Keyspace keyspace;
  private final long patienceNanos;
  private final LongConsumer pause;
  private final MigrationWatch watch;

  /// @param patience how long a statement is retried
  /// @param pause waits for so many nanoseconds
  MigrationStatements(
      Keyspace keyspace, Duration patience, LongConsumer pause, MigrationWatch watch) {
    this.keyspace = keyspace;
    this.patienceNanos = patience.toNanos();
    this.pause = pause;
    this.watch = watch;
  }

  /// The result of a statement.
  ///
  /// @throws StorageException.Unreachable when it was refused, or the cluster stayed away
  <T extends @Nullable Object> T ask(Function<Keyspace, CompletableFuture<T>> statement) {
    return answer(statement.apply(keyspace), statement);
  }

  private <T extends @Nullable Object> T answer(
      CompletableFuture<T> first, Function<Keyspace, CompletableFuture<T>> again) {
    CompletableFuture<T> asked = first;
    long waited = 0;
    long next = PAUSE_NANOS_MIN;
    while (true) {
      KeyspaceException failure;
      try {
        return asked.join();
      } catch (CompletionException failed) {
        if (!(failed.getCause() instanceof KeyspaceException known)) {
          throw failed;
        }
        failure = known;
      }
      String why = String.valueOf(failure.getMessage());
      if (failure.kind == KeyspaceException.Kind.REFUSED || waited >= patienceNanos) {
        throw new StorageException.Unreachable(
            "%s; copied events are kept: the same command continues from there".formatted(why),
            failure);
      }
      watch.trouble(why);
      pause.accept(next);
      waited += next;
      next = Math.min(2 * next, PAUSE_NANOS_MAX);
      asked = again.apply(keyspace);
    }
  }

  /// Writes of one thread, several in flight.
  ///
  /// - Threads: one.
  /// - Memory: at most `requests` values.
  final class Writes {
    private final int requests;
    private final ArrayDeque<Write> underWay = new ArrayDeque<>();

    Writes(int requests) {
      this.requests = requests;
    }

    /// Begins a write; waits for the oldest one when there are too many.
    void add(DirectoryRow row, SegmentValue.Encoded value) {
      if (underWay.size() >= requests) {
        finishOne();
      }
      ByteBuffer bytes = value.bytes();
      underWay.add(new Write(row, bytes, keyspace.write(row, bytes, 0)));
    }

    /// Waits until everything is written.
    void finish() {
      while (!underWay.isEmpty()) {
        finishOne();
      }
    }

    private void finishOne() {
      Write oldest = underWay.remove();
      answer(oldest.answer, to -> to.write(oldest.row, oldest.bytes, 0));
    }
  }

  private record Write(DirectoryRow row, ByteBuffer bytes, CompletableFuture<Void> answer) {}
}
