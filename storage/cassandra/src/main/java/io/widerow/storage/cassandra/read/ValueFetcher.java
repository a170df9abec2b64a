package io.widerow.storage.cassandra.read;

import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Fetches values of segments, for all queries of a reader. A value is asked of one replica first:
/// rows never change, so one that is there is right. A replica may miss some after a fault; then a
/// quorum is asked.
///
/// - Threads: any.
final class ValueFetcher {
  private final Keyspace keyspace;
  private final Requests requests;
  private final Executor ahead;
  private final int inFlightMax;
  private final AtomicInteger inFlight = new AtomicInteger();

  /// @param ahead makes the requests of [#fetchTogether]
  ValueFetcher(Keyspace keyspace, Requests requests, ReadOptions options, Executor ahead) {
    this.keyspace = keyspace;
    this.requests = requests;
    this.ahead = ahead;
    this.inFlightMax = options.inFlightMax();
  }

  /// True when one more may be asked for before its turn.
  boolean hasRoom() {
    return inFlight.get() < inFlightMax;
  }

  /// Asks for a value. Cancelling the response cancels the request.
  ///
  /// @param quorum false to ask one replica first
  /// @return null when no replica of a quorum has it
  CompletableFuture<@Nullable ByteBuffer> fetch(SegmentKey key, boolean quorum, ReadCounts counts) {
    Fetch fetch = new Fetch(key, counts);
    fetch.ask(quorum);
    return fetch;
  }

  /// Asks one replica for values of one partition, tier and daemon in one request, and a quorum for
  /// each that it does not have. Cancelling a response does not cancel the request.
  List<CompletableFuture<@Nullable ByteBuffer>> fetchTogether(
      List<SegmentKey> keys, ReadCounts counts) {
    List<Fetch> fetches = keys.stream().map(key -> new Fetch(key, counts)).toList();
    inFlight.incrementAndGet();
    CompletableFuture<List<@Nullable ByteBuffer>> asked =
        requests.<List<@Nullable ByteBuffer>>ask(
            ahead,
            counts,
            ReadCounts.Kind.VALUE,
            () -> "%d segments from %s".formatted(keys.size(), keys.getFirst()),
            () -> keyspace.values(keys));
    var _ =
        asked.whenComplete((values, failure) -> {
          inFlight.decrementAndGet();
          for (int i = 0; i < fetches.size(); i++) {
            fetches.get(i).answered(false, values == null ? null : values.get(i), failure);
          }
        });
    return List.copyOf(fetches);
  }

  /// True when a response that there is no value is believed.
  static boolean isLast(boolean quorum) {
    return quorum;
  }

  /// One value: the request to one replica, and the one to a quorum.
  private final class Fetch extends CompletableFuture<@Nullable ByteBuffer> {
    private final SegmentKey key;
    private final ReadCounts counts;
    private volatile @Nullable CompletableFuture<@Nullable ByteBuffer> underWay;

    Fetch(SegmentKey key, ReadCounts counts) {
      this.key = key;
      this.counts = counts;
    }

    void ask(boolean quorum) {
      inFlight.incrementAndGet();
      CompletableFuture<@Nullable ByteBuffer> asked =
          requests.<@Nullable ByteBuffer>ask(
              counts,
              quorum ? ReadCounts.Kind.VALUE_AT_QUORUM : ReadCounts.Kind.VALUE,
              () -> "segment %s".formatted(key),
              () -> keyspace.value(key, quorum));
      underWay = asked;
      if (isCancelled()) {
        asked.cancel(false);
      }
      var _ =
          asked.whenComplete((value, failure) -> {
            inFlight.decrementAndGet();
            answered(quorum, value, failure);
          });
    }

    private void answered(boolean quorum, @Nullable ByteBuffer value, @Nullable Throwable failure) {
      if (failure == null && value == null && !isLast(quorum) && !isDone()) {
        ask(true);
        return;
      }
      if (failure != null) {
        completeExceptionally(failure);
        return;
      }
      if (value != null) {
        counts.value(value.remaining());
      }
      complete(value);
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
      boolean cancelled = super.cancel(mayInterrupt);
      CompletableFuture<@Nullable ByteBuffer> asked = underWay;
      if (asked != null) {
        asked.cancel(mayInterrupt);
      }
      return cancelled;
    }
  }
}
