package io.widerow.query.survey;

import io.widerow.event.PartitionKey;
import io.widerow.storage.Arrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.TypeInfo;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A view of some partitions of another view.
///
/// - Threads: any.
/// - Memory: that of the other view, which is not closed with it.
///
/// @param of the other view
/// @param chosen the partitions
public record ChosenPartitions(StoreView of, Set<PartitionKey> chosen) implements StoreView {
  @Override
  public List<PartitionInfo> partitions(
      Predicate<String> types, long fromNanos, long untilNanos, @Nullable Arrivals since) {
    return of.partitions(types, fromNanos, untilNanos, since).stream()
        .filter(info -> chosen.contains(info.key()))
        .toList();
  }

  @Override
  public List<TypeInfo> types(Predicate<String> types) {
    return of.types(types);
  }

  @Override
  public @Nullable Span firstSpan(long fromNanos, long untilNanos, boolean descending) {
    return chosen.isEmpty() ? null : of.firstSpan(fromNanos, untilNanos, descending);
  }

  @Override
  public Arrivals arrivals() {
    return of.arrivals();
  }

  @Override
  public boolean isExpired(String type, long timeNanos) {
    return of.isExpired(type, timeNanos);
  }

  @Override
  public Set<String> typesOfOwnIds(List<PartitionKey> partitions) {
    return of.typesOfOwnIds(partitions);
  }

  @Override
  public EventCursor open(List<PartitionKey> partitions, Scan scan) {
    return of.open(partitions, scan);
  }

  @Override
  public EventCursor openUnordered(List<PartitionKey> partitions, Scan scan) {
    return of.openUnordered(partitions, scan);
  }

  @Override
  public Fetches fetches() {
    return of.fetches();
  }

  @Override
  public Elsewhere elsewhere(List<PartitionKey> partitions, Scan scan) {
    return of.elsewhere(partitions, scan);
  }

  @Override
  public void close() {} // the other view has an owner
}
