package io.widerow.storage.cassandra.maintenance;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.Filter;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.FilteredRetention;
import io.widerow.storage.Filters;
import io.widerow.storage.Scan;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The events that a merge of a partition leaves out, because policies with a filter have hidden
/// them for good: the whole partition is older than the age of the policy, and its grace is over.
///
/// An event with an id of its client stays, hidden, until its bucket expires: an earlier write of
/// the same id may still be applied, and would be shown instead.
///
/// - Threads: one.
final class FilteredRemoval {
  private final List<FilteredRetention> policies;
  private final Filter going;
  private final AttributeValue scratch = new AttributeValue();

  private FilteredRemoval(List<FilteredRetention> policies, String type) {
    this.policies = policies;
    this.going =
        Filters.ofType(
            new Filter.Or(policies.stream().map(FilteredRetention::filter).toList()), type);
  }

  /// Removal by the policies that are due for a partition.
  static FilteredRemoval of(List<FilteredRetention> all, PartitionKey partition, long nowNanos) {
    return new FilteredRemoval(
        all.stream()
            .filter(policy ->
                policy.matches(partition.type()) && dueNanos(policy, partition) <= nowNanos)
            .toList(),
        partition.type());
  }

  /// When the next policy is due for a partition, in nanoseconds since the Unix epoch;
  /// [Long#MAX_VALUE] when none will be.
  static long nextNanos(List<FilteredRetention> all, PartitionKey partition, long nowNanos) {
    return all.stream()
        .filter(policy -> policy.matches(partition.type()))
        .mapToLong(policy -> dueNanos(policy, partition))
        .filter(due -> due > nowNanos)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  private static long dueNanos(FilteredRetention policy, PartitionKey partition) {
    return Math.max(partition.untilNanos() + policy.age().toNanos(), policy.removesFromNanos());
  }

  List<FilteredRetention> policies() {
    return policies;
  }

  boolean isNone() {
    return policies.isEmpty();
  }

  /// A scan that shows what the filters test.
  Scan scan() {
    Set<AttributeName> columns = new HashSet<>();
    Filters.addColumns(going, columns);
    return Scan.all().withColumns(columns);
  }

  boolean removes(EventView event) {
    return event.version() == EventLayout.VERSION_ASSIGNED
        && FilterEvaluation.keeps(going, event, scratch);
  }
}
