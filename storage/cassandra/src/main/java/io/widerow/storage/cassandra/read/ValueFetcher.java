package io.widerow.storage.cassandra.read;

import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
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
  private final int inFlightMax;
  private final AtomicInteger inFlight = new AtomicInteger();

  ValueFetcher(Keyspace keyspace, Requests requests, ReadOptions options) {
    this.keyspace = keyspace;
    this.requests = requests;
    this.inFlightMax = options.inFlightMax();
  }

  /// True when one more may be asked for before its turn.
  boolean hasRoom() {
    return inFlight.get() < inFlightMax;
  }

  /// Asks for a value. Cancelling the answer cancels the request.
  ///
  /// @param quorum false to ask one replica first
  /// @return null when no replica of a quorum has it
  CompletableFuture<@Nullable ByteBuffer> fetch(SegmentKey key, boolean quorum, ReadCounts counts) {
    Fetch fetch = new Fetch(key, counts);
    inFlight.incrementAndGet();
    fetch.ask(quorum);
    return fetch;
  }

  /// True when an answer that there is no value is believed.
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
      var _ = asked.whenComplete((value, failure) -> answered(quorum, value, failure));
    }

    private void answered(boolean quorum, @Nullable ByteBuffer value, @Nullable Throwable failure) {
      if (failure == null && value == null && !isLast(quorum) && !isDone()) {
        ask(true);
        return;
      }
      inFlight.decrementAndGet();
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
