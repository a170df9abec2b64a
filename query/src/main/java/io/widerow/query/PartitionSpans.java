package io.widerow.query;

import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StoreView;
import io.widerow.storage.StoreView.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// The partitions of a range, span by span (see [StoreView#firstSpan]). A store of many types and
/// hours has millions of them; only those of one span are in memory at a time.
public final class PartitionSpans {
  /// Approximate memory of a partition in a list, and of what a scan keeps of it, in bytes.
  public static final long BYTES = 160;

  private PartitionSpans() {}

  /// Hands over the partitions of each span, in the order of time.
  ///
  /// @param fromNanos start (inclusive), nanoseconds since the Unix epoch
  /// @param untilNanos end (exclusive), nanoseconds since the Unix epoch
  public static void forEach(
      StoreView view,
      Predicate<String> types,
      long fromNanos,
      long untilNanos,
      Consumer<List<PartitionInfo>> each) {
    long from = fromNanos;
    while (from < untilNanos) {
      Span span = view.firstSpan(from, untilNanos, false);
      if (span == null) {
        return;
      }
      long until = Math.min(untilNanos, span.untilNanos());
      each.accept(view.partitions(types, Math.max(from, span.fromNanos()), until));
      from = until;
    }
  }

  /// The same for the range, types and shard of a query.
  public static void forEach(StoreView view, RangeQuery query, Consumer<List<PartitionInfo>> each) {
    forEach(
        view,
        query.types(),
        query.fromNanos(),
        query.untilNanos(),
        partitions -> each.accept(query.ofShard(partitions)));
  }

  /// The partitions of all types in a range: those of the newest spans, until there are so many.
  public static List<PartitionInfo> newest(
      StoreView view, long fromNanos, long untilNanos, int most) {
    List<PartitionInfo> found = new ArrayList<>();
    long until = untilNanos;
    while (fromNanos < until && found.size() < most) {
      Span span = view.firstSpan(fromNanos, until, true);
      if (span == null) {
        break;
      }
      long from = Math.max(fromNanos, span.fromNanos());
      found.addAll(view.partitions(TypeGlobs.ALL, from, Math.min(until, span.untilNanos())));
      until = from;
    }
    return found;
  }
}
