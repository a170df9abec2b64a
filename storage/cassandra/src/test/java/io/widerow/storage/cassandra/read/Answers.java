package io.widerow.storage.cassandra.read;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.StoreView.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// Reads results as a query does: span after span, each with one open cursor.
final class Answers {
  private Answers() {}

  /// All events of a range of time in order; the versions, which no result shows, are all alike.
  static List<TestEvent> read(
      StoreView view, Predicate<String> types, long fromNanos, long untilNanos, Scan scan) {
    List<TestEvent> shown = new ArrayList<>();
    spans(
        view,
        types,
        fromNanos,
        untilNanos,
        scan,
        keys -> {
          try (EventCursor cursor = view.open(keys, scan)) {
            drain(
                cursor, Integer.MAX_VALUE, event -> shown.add(copyOf(event).only(scan.columns())));
          }
        });
    return shown;
  }

  static TestEvent copyOf(EventView event) {
    TestEvent copy = TestEvent.copyOf(event);
    return new TestEvent(copy.id(), EventLayout.VERSION_ASSIGNED, copy.type(), copy.attributes());
  }

  /// Visits the partitions of each span in the direction of reading.
  static void spans(
      StoreView view,
      Predicate<String> types,
      long fromNanos,
      long untilNanos,
      Scan scan,
      Consumer<List<PartitionKey>> visitor) {
    long from = fromNanos;
    long until = untilNanos;
    while (from < until) {
      Span span = view.firstSpan(from, until, scan.descending());
      if (span == null) {
        return;
      }
      long first = Math.max(from, span.fromNanos());
      long limit = Math.min(until, span.untilNanos());
      List<PartitionKey> keys = new ArrayList<>();
      for (PartitionInfo info : view.partitions(types, first, limit, scan.since())) {
        keys.add(info.key());
        assertEquals(
            List.of(true, true),
            List.of(
                info.key().fromNanos() >= span.fromNanos(),
                info.key().untilNanos() <= span.untilNanos()),
            () -> "%s crosses the ends of %s".formatted(info.key(), span));
      }
      visitor.accept(keys);
      if (scan.descending()) {
        until = first;
      } else {
        from = limit;
      }
    }
  }

  /// Reads on, waiting where the cursor has to.
  ///
  /// @return false at the end
  static boolean drain(EventCursor cursor, int most, Consumer<EventView> visitor) {
    for (int count = 0; count < most; ) {
      switch (cursor.next()) {
        case EVENT -> {
          count++;
          visitor.accept(cursor.event());
        }
        case PENDING -> cursor.ready().join();
        case END -> {
          return false;
        }
      }
    }
    return true;
  }

  /// All events in pages: each page opens the range again, after the last event of the page before.
  static List<TestEvent> readPages(
      StoreView view, Predicate<String> types, long from, long until, Scan scan, int size) {
    List<TestEvent> shown = new ArrayList<>();
    Scan left = scan;
    List<TestEvent> page;
    do {
      page = new ArrayList<>();
      for (TestEvent event : read(view, types, from, until, left)) {
        boolean after =
            shown.isEmpty()
                || ClusterWorld.order().compare(event, shown.getLast()) > 0 != scan.descending();
        if (page.size() < size && after && !shown.contains(event)) {
          page.add(event);
        }
      }
      shown.addAll(page);
      if (!page.isEmpty()) {
        EventId at = page.getLast().id();
        left =
            scan.descending()
                ? left.withRange(left.from(), at.next())
                : left.withRange(at, left.until());
      }
    } while (!page.isEmpty());
    return shown;
  }
}
