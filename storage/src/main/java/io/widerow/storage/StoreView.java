package io.widerow.storage;

import io.widerow.event.PartitionKey;
import java.util.List;
import java.util.function.Predicate;

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
  List<PartitionInfo> partitions(Predicate<String> types, long fromNanos, long untilNanos);

  /// Opens one cursor over many partitions: the multi-get and its merge. Order is by id, then by
  /// type. Of several writes of one id and type only the latest is shown, also when they lie in
  /// different shards, and the filter is asked about that one alone. Partitions that are not there
  /// have no events.
  EventCursor open(List<PartitionKey> partitions, Scan scan);

  @Override
  void close();

  /// What is known of a partition without reading it.
  ///
  /// @param events an upper bound on the number of events: replaced ones may still be counted
  /// @param timeFirstNanos no event is earlier
  /// @param timeLastNanos no event is later
  record PartitionInfo(PartitionKey key, long events, long timeFirstNanos, long timeLastNanos) {}
}
