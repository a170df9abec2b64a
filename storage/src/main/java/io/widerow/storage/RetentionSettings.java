package io.widerow.storage;

import io.widerow.event.PartitionKey;
import io.widerow.event.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The retention policies of a store, as an operator reads, changes and plans them. A change hides
/// events at once, and is durable when the call returns.
///
/// - Threads: any. Each call costs a look at every partition, and with a filter the reading of the
///   events that are old enough.
public interface RetentionSettings {
  /// The filter of a policy that holds for some of the events of its types.
  ///
  /// @param text as it was written; policies of the same types and filter are one
  record Where(String text, Filter filter) {}

  /// A policy and the data that it applies to.
  ///
  /// @param where the text of its filter; null for a policy of all events of its types
  /// @param types number of types in the store that the policy applies to
  /// @param bytes bytes of these types in sealed files, including hidden events
  /// @param hidden what it hides and is still there
  /// @param dropsAtNanos when the last of it may be dropped, in nanoseconds since the Unix epoch; 0
  ///   when nothing is hidden
  record Standing(
      RetentionPolicy policy,
      @Nullable String where,
      int types,
      long bytes,
      Sum hidden,
      long dropsAtNanos) {}

  /// Totals over partitions.
  ///
  /// @param bytes bytes in sealed files; 0 for events that a filter selects
  record Sum(long partitions, long events, long bytes) {
    public static final Sum NONE = new Sum(0, 0, 0);

    public Sum and(Sum other) {
      return new Sum(partitions + other.partitions, events + other.events, bytes + other.bytes);
    }
  }

  /// A partition that would go, or some of its events: of a partition wider than the buckets of its
  /// type, only the events of past buckets go at first.
  ///
  /// @param bytes bytes in sealed files that this would free; 0 when only some of its events go
  record Going(PartitionKey key, long events, long bytes) {}

  /// The grace of a policy for which none is given.
  ///
  /// @param configured that of the configuration
  default Duration grace(Duration configured, @Nullable Where where) {
    return configured;
  }

  /// All policies by precedence, those with a filter last.
  List<Standing> standings();

  /// Sets a policy, in place of the one for the same types and filter.
  ///
  /// @throws IllegalArgumentException when it cannot be set
  Standing set(RetentionPolicy policy, @Nullable Where where);

  /// Removes a policy.
  ///
  /// @param where its filter; null for a policy of all events of its types
  /// @throws IllegalArgumentException when none was set for exactly these types and filter
  void unset(String glob, @Nullable Where where);

  /// What a policy would hide if it were set now. Changes nothing.
  ///
  /// @throws IllegalArgumentException as [#set]
  List<Going> plan(RetentionPolicy policy, @Nullable Where where);
}
