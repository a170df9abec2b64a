package io.widerow.storage;

import io.widerow.event.PartitionKey;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A store at one moment.
///
/// - Threads: any; each cursor has one.
/// - Memory: keeps what it shows from being freed until [#close]. Cursors must be closed first.
public interface StoreView extends AutoCloseable {
  /// The partitions that exist and may hold events in a range of time, in order of keys.
  ///
  /// @param types which types are wanted
  /// @param fromNanos first instant wanted, nanoseconds since the Unix epoch
  /// @param untilNanos first instant not wanted
  /// @param since only partitions that may hold events that came later; null for all
  List<PartitionInfo> partitions(
      Predicate<String> types, long fromNanos, long untilNanos, @Nullable Arrivals since);

  /// All partitions of a range, whenever their events came.
  default List<PartitionInfo> partitions(Predicate<String> types, long fromNanos, long untilNanos) {
    return partitions(types, fromNanos, untilNanos, null);
  }

  /// The first stretch of time with partitions of any type that may hold events of a range, in the
  /// direction of reading: no partition lies across its ends. It may reach out of the range. Null
  /// when there is none. A range is planned span by span, so that who wants a few events of a long
  /// one looks at few partitions.
  @Nullable Span firstSpan(long fromNanos, long untilNanos, boolean descending);

  /// What is shown, as a position in the order of arrival: a later view's events that came since
  /// are exactly those that this one does not show.
  Arrivals arrivals();

  /// True when events of a type with this time are past their retention, and so not shown.
  boolean isExpired(String type, long timeNanos);

  /// Opens one cursor over many partitions: the multi-get and its merge. Order is by id, then by
  /// type. Of several writes of one id and type only the latest is shown, also when they lie in
  /// different shards, and the filter is asked about that one alone. Partitions that are not there
  /// have no events.
  EventCursor open(List<PartitionKey> partitions, Scan scan);

  /// The same events in any order, which costs less: for readers that only count. One may stand for
  /// others like it by [Scan#fold].
  default EventCursor openUnordered(List<PartitionKey> partitions, Scan scan) {
    return open(partitions, scan);
  }

  @Override
  void close();

  /// A half-open stretch of time, nanoseconds since the Unix epoch.
  record Span(long fromNanos, long untilNanos) {}

  /// What is known of a partition without reading it.
  ///
  /// @param events an upper bound on the number of events: replaced ones may still be counted
  /// @param timeFirstNanos no event is earlier
  /// @param timeLastNanos no event is later
  record PartitionInfo(PartitionKey key, long events, long timeFirstNanos, long timeLastNanos) {}
}
