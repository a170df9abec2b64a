package io.widerow.storage.cassandra;

import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.storage.Arrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.StoreView.Span;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Reads all [RunEvents] that a view shows, as a query does: span after span. Each event may be
/// there once, and must come after the one before.
final class WholeRead {
  private final BitSet numbers = new BitSet();
  private final MessageDigest digest;
  private final boolean withIds;
  private final ByteBuffer fixed = ByteBuffer.allocate(Long.BYTES);
  private final AttributeValue scratch = new AttributeValue();
  private long lastTime;
  private long lastTail;
  private boolean first = true;

  private WholeRead(boolean withIds) {
    this.withIds = withIds;
    try {
      this.digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException(missing);
    }
  }

  /// The events that were read.
  ///
  /// @param numbers of the events
  /// @param hash of the events in their order
  record Answer(BitSet numbers, String hash) {}

  /// @param withIds whether ids that a store assigned go into the hash: two stores that took the
  ///   same events assign different ones
  static Answer of(StoreView view, boolean descending, boolean withIds) {
    WholeRead read = new WholeRead(withIds);
    each(view, descending, null, event -> read.take(event, descending));
    return new Answer(read.numbers, HexFormat.of().formatHex(read.digest.digest()));
  }

  /// The events that are new to a position.
  static BitSet since(StoreView view, @Nullable Arrivals since) {
    BitSet numbers = new BitSet();
    AttributeValue scratch = new AttributeValue();
    each(
        view,
        false,
        since,
        event -> {
          int number = RunEvents.number(event, scratch);
          if (numbers.get(number)) {
            throw new AssertionError("event " + number + " twice since " + since);
          }
          numbers.set(number);
        });
    return numbers;
  }

  private static void each(
      StoreView view, boolean descending, @Nullable Arrivals since, Consumer<EventView> taker) {
    Scan scan = Scan.all().withDescending(descending).withSince(since);
    long from = 0;
    long until = Long.MAX_VALUE;
    while (from < until) {
      Span span = view.firstSpan(from, until, descending);
      if (span == null) {
        return;
      }
      long begin = Math.max(from, span.fromNanos());
      long end = Math.min(until, span.untilNanos());
      List<PartitionKey> keys =
          view.partitions(_ -> true, begin, end, since).stream().map(PartitionInfo::key).toList();
      try (EventCursor cursor = view.open(keys, scan)) {
        drain(cursor, taker);
      }
      if (descending) {
        until = begin;
      } else {
        from = end;
      }
    }
  }

  private static void drain(EventCursor cursor, Consumer<EventView> taker) {
    while (true) {
      switch (cursor.next()) {
        case EVENT -> taker.accept(cursor.event());
        case PENDING -> cursor.ready().join();
        case END -> {
          return;
        }
      }
    }
  }

  private void take(EventView event, boolean descending) {
    int number = RunEvents.number(event, scratch);
    if (numbers.get(number)) {
      throw new AssertionError("event " + number + " is there twice");
    }
    numbers.set(number);
    int order = first ? 0 : TimeUuid.compare(lastTime, lastTail, event.idTime(), event.idTail());
    if (!first && (descending ? order <= 0 : order >= 0)) {
      throw new AssertionError("event " + number + " is out of order: " + event.id());
    }
    first = false;
    lastTime = event.idTime();
    lastTail = event.idTail();
    put(event.idTime());
    if (withIds || event.type().equals("own")) {
      put(event.idTail());
    }
    digest.update(RunEvents.utf8(event.type()));
    event.forEach(
        scratch,
        (name, value) -> {
          digest.update(RunEvents.utf8(name.toString()));
          if (value.kind().isText()) {
            digest.update(value.toBytes());
          } else {
            put(value.bits());
          }
        });
  }

  private void put(long number) {
    digest.update(fixed.clear().putLong(number).array());
  }
}
