package io.widerow.storage.scan;

import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.storage.Grouping;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView.Span;
import io.widerow.storage.codec.IdDecoder;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The times that a scan for runs wants, see [Grouping.Runs].
///
/// - Threads: any.
///
/// @param all ascending and disjoint
record RunSpans(List<Span> all) {
  /// Those of a scan; null when it wants its whole range.
  static @Nullable RunSpans of(Scan scan) {
    Grouping fold = scan.fold();
    Grouping.Runs runs = fold == null ? null : fold.runs();
    return runs == null || runs.spans().size() < 2 ? null : new RunSpans(runs.spans());
  }

  /// Number of the first span that ends after an instant.
  private int after(long nanos) {
    int low = 0;
    int high = all.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (all.get(middle).untilNanos() <= nanos) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// True when events between two ids may be wanted, both inclusive.
  boolean touch(EventId first, EventId last) {
    int at = after(TimeUuid.nanosOf(first.time(), first.tail()));
    return at < all.size() && all.get(at).fromNanos() <= TimeUuid.nanosOf(last.time(), last.tail());
  }

  /// The rows of a block that are in the spans and in the range of a scan.
  BitSet rows(IdDecoder ids, int events, Scan scan) {
    int end = ids.firstRow(events, scan.until().time(), scan.until().tail());
    int row = ids.firstRow(events, scan.from().time(), scan.from().tail());
    BitSet rows = new BitSet(events);
    while (row < end) {
      int at = after(TimeUuid.nanosOf(ids.times[row], ids.tails[row]));
      if (at == all.size()) {
        break;
      }
      Span span = all.get(at);
      int first = Math.max(row, rowOf(span.fromNanos(), ids, events));
      int limit = Math.min(end, rowOf(span.untilNanos(), ids, events));
      if (first < limit) {
        rows.set(first, limit);
      }
      row = Math.max(limit, first);
    }
    return rows;
  }

  private static int rowOf(long nanos, IdDecoder ids, int events) {
    EventId id = EventId.leastOf(nanos);
    return ids.firstRow(events, id.time(), id.tail());
  }
}
