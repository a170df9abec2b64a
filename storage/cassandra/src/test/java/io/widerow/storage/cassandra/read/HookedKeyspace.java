package io.widerow.storage.cassandra.read;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.event.PartitionKey;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A keyspace whose responses come later, on other threads, and may be wrong or none. It counts the
/// requests in flight.
final class HookedKeyspace extends MemoryKeyspace {
  /// By segment and whether a quorum is asked: true when the replicas asked do not have it.
  volatile BiPredicate<SegmentKey, Boolean> missing = (_, _) -> false;

  /// By segment and whether a quorum is asked: true when a bit of the value is wrong.
  volatile BiPredicate<SegmentKey, Boolean> damaged = (_, _) -> false;

  /// Statements that fail, by what they ask for.
  volatile Predicate<Object> failing = _ -> false;

  /// Runs before a value is returned.
  volatile Runnable beforeValue = () -> {};

  /// Runs before a directory is returned.
  volatile Runnable beforeDirectory = () -> {};

  /// Gets the array of each returned value, which no other code has.
  volatile Consumer<byte[]> answered = _ -> {};

  final AtomicInteger valuesInFlight = new AtomicInteger();
  final AtomicInteger valuesInFlightMost = new AtomicInteger();
  final AtomicInteger values = new AtomicInteger();
  final AtomicLong valueBytes = new AtomicLong();
  final AtomicInteger directories = new AtomicInteger();

  /// Responses that are held back.
  private final List<CompletableFuture<Void>> held = new ArrayList<>();

  private boolean holding;

  /// Holds responses back from now on, until [#release].
  synchronized void hold() {
    holding = true;
  }

  /// Releases all held responses.
  void release() {
    List<CompletableFuture<Void>> gone;
    synchronized (this) {
      holding = false;
      gone = List.copyOf(held);
      held.clear();
    }
    gone.forEach(one -> one.complete(null));
  }

  private synchronized CompletableFuture<Void> turn() {
    CompletableFuture<Void> turn = new CompletableFuture<>();
    if (holding) {
      held.add(turn);
    } else {
      turn.complete(null);
    }
    return turn;
  }

  private <T extends @Nullable Object> CompletableFuture<T> later(
      Object what, Supplier<CompletableFuture<T>> answer) {
    return turn()
        .thenComposeAsync(_ ->
            failing.test(what)
                ? CompletableFuture.failedFuture(
                    new KeyspaceException(
                        KeyspaceException.Kind.UNREACHABLE, "one replica of two is alive"))
                : answer.get());
  }

  @Override
  public CompletableFuture<@Nullable ByteBuffer> value(SegmentKey key, boolean quorum) {
    return counted(later(key, () -> valueNow(key, quorum)));
  }

  @Override
  public CompletableFuture<List<@Nullable ByteBuffer>> values(List<SegmentKey> keys) {
    return counted(
        later(
            keys.getFirst(),
            () -> {
              List<@Nullable ByteBuffer> found = new ArrayList<>();
              keys.forEach(key -> found.add(valueNow(key, false).join()));
              return CompletableFuture.completedFuture(found);
            }));
  }

  private <T extends @Nullable Object> CompletableFuture<T> counted(CompletableFuture<T> answer) {
    values.incrementAndGet();
    valuesInFlightMost.accumulateAndGet(valuesInFlight.incrementAndGet(), Math::max);
    CompletableFuture<T> told = answer.thenApply(value -> value);
    var _ = told.whenComplete((_, _) -> valuesInFlight.decrementAndGet()); // also when cancelled
    return told;
  }

  private CompletableFuture<@Nullable ByteBuffer> valueNow(SegmentKey key, boolean quorum) {
    beforeValue.run();
    return missing.test(key, quorum)
        ? CompletableFuture.completedFuture(null)
        : super.value(key, quorum).thenApply(value -> changed(key, quorum, value));
  }

  private @Nullable ByteBuffer changed(SegmentKey key, boolean quorum, @Nullable ByteBuffer value) {
    if (value == null) {
      return null;
    }
    byte[] bytes = new byte[value.remaining()];
    value.get(bytes);
    valueBytes.addAndGet(bytes.length);
    answered.accept(bytes);
    if (damaged.test(key, quorum)) {
      bytes[bytes.length / 2] = (byte) ~bytes[bytes.length / 2];
    }
    return ByteBuffer.wrap(bytes);
  }

  @Override
  public CompletableFuture<Directory> directory(PartitionKey partition) {
    directories.incrementAndGet();
    return later(
        partition,
        () -> {
          beforeDirectory.run();
          return super.directory(partition);
        });
  }

  @Override
  public CompletableFuture<List<DaemonRow>> daemons() {
    return later("daemons", super::daemons);
  }
}
