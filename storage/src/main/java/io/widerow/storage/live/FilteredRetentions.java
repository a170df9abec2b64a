package io.widerow.storage.live;

import io.widerow.event.PartitionKey;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.FilteredRetention;
import io.widerow.storage.manifest.FilteredRetentionSection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The retention policies with a filter of a store, and the segments that are known to hold none of
/// the events that a policy hides. A segment of which that is not known is read with the filter.
/// What is known is not stored: after a start it is found again, in the background.
///
/// - Threads: any. The lock of this object orders the changes.
/// - Memory: a number for each segment and policy that was looked at.
public final class FilteredRetentions {
  private final StoreContents contents;
  private final LongSupplier clock;
  private volatile FilteredRetentionSection section; // replaced under the lock of this
  private volatile boolean changing; // a change is on its way to the manifest

  /// By policy, whatever its age, and by segment: the number of its events that the filter keeps.
  private final Map<String, Map<Long, Long>> counted = new ConcurrentHashMap<>();

  /// @param clock the time by which retention counts, nanoseconds since the Unix epoch
  FilteredRetentions(StoreContents contents, FilteredRetentionSection section, LongSupplier clock) {
    this.contents = contents;
    this.section = section;
    this.clock = clock;
  }

  /// The policies in the order in which they were set. None of a store that is drained.
  public List<FilteredRetention> policies() {
    return contents.isDrained() ? List.of() : section.policies();
  }

  /// The events that are hidden now.
  public Hidden now() {
    return now(policies());
  }

  /// The events that such policies hide now.
  public Hidden now(List<FilteredRetention> all) {
    return all.isEmpty() ? Hidden.NONE : new Hidden(all, clock.getAsLong());
  }

  /// Changes the policies; durable before readers see it.
  ///
  /// @throws IllegalArgumentException when there would be too many, or a filter cannot be stored
  public synchronized void change(UnaryOperator<List<FilteredRetention>> change) {
    var next = new FilteredRetentionSection(change.apply(section.policies()));
    changing = true;
    try {
      contents.change(_ -> next.toSections());
      section = next;
    } finally {
      changing = false;
    }
  }

  /// True when a policy is in force and none is about to change. Called under the lock of the
  /// contents, the result holds until the lock is released.
  public boolean isInForce(FilteredRetention policy) {
    return !changing && policies().contains(policy);
  }

  private static String name(FilteredRetention policy) {
    return policy.glob() + '\n' + policy.where();
  }

  /// The number of events of a segment that the filter of a policy keeps, of whatever time; null
  /// when it is not known.
  public @Nullable Long counted(FilteredRetention policy, LiveSegment live) {
    return counted.getOrDefault(name(policy), Map.of()).get(live.entry().id());
  }

  /// Segments never change, so that a count of one stays right.
  public void count(FilteredRetention policy, LiveSegment live, long events) {
    counted
        .computeIfAbsent(name(policy), _ -> new ConcurrentHashMap<>())
        .put(live.entry().id(), events);
  }

  /// False when a partition is known to hold, in some segments, nothing that the filter of a policy
  /// keeps.
  public boolean mayHold(FilteredRetention policy, PartitionKey key, List<LiveSegment> segments) {
    for (LiveSegment live : segments) {
      Long events = counted(policy, live);
      if ((events == null || events > 0) && live.partitions().of(key) != null) {
        return true;
      }
    }
    return false;
  }

  /// Forgets policies and segments that are gone.
  public void forget(Collection<LiveSegment> there) {
    Set<String> names =
        policies().stream().map(FilteredRetentions::name).collect(Collectors.toSet());
    counted.keySet().retainAll(names);
    Set<Long> ids = LiveSegment.ids(there);
    counted.values().forEach(each -> each.keySet().retainAll(ids));
  }

  /// The events that are hidden at one moment.
  ///
  /// - Threads: any; immutable.
  ///
  /// @param nowNanos the time of retention, nanoseconds since the Unix epoch
  public record Hidden(List<FilteredRetention> policies, long nowNanos) {
    public static final Hidden NONE = new Hidden(List.of(), 0);

    public Hidden {
      policies = List.copyOf(policies);
    }

    public boolean isNone() {
      return policies.isEmpty();
    }

    /// The first time of a partition of which nothing is hidden; the start of the partition when
    /// nothing of it is.
    ///
    /// @param mayHold false for policies that are known to hide nothing of it
    public long shownFromNanos(
        PartitionKey key, BiPredicate<FilteredRetention, PartitionKey> mayHold) {
      return policies.stream()
          .filter(policy -> isDue(policy, key) && mayHold.test(policy, key))
          .mapToLong(policy -> Math.min(key.untilNanos(), policy.keptFromNanos(nowNanos)))
          .max()
          .orElse(key.fromNanos());
    }

    private boolean isDue(FilteredRetention policy, PartitionKey key) {
      return policy.keptFromNanos(nowNanos) > key.fromNanos() && policy.matches(key.type());
    }

    /// Keeps the events of some partitions that are shown; null when all of them are. It tests the
    /// type where the partitions have several.
    ///
    /// @param mayHold false for policies that are known to hide nothing of a partition
    public @Nullable Filter shownOf(
        List<PartitionKey> keys, BiPredicate<FilteredRetention, PartitionKey> mayHold) {
      List<Filter> shown = new ArrayList<>();
      for (FilteredRetention policy : policies) {
        if (keys.stream().anyMatch(key -> isDue(policy, key) && mayHold.test(policy, key))) {
          long from = policy.keptFromNanos(nowNanos);
          boolean whole = keys.stream().allMatch(key -> key.untilNanos() <= from);
          shown.add(new Filter.Not(hiddenBy(policy, whole ? Long.MAX_VALUE : from)));
        }
      }
      return shown.isEmpty() ? null : new Filter.And(shown);
    }

    /// Keeps the events of the types of a policy that its filter keeps.
    ///
    /// @param untilNanos their times end here; the greatest long for no limit
    public static Filter hiddenBy(FilteredRetention policy, long untilNanos) {
      List<Filter> parts = new ArrayList<>();
      parts.add(LiveDeletions.ofTypes(List.of(policy.glob())));
      if (untilNanos < Long.MAX_VALUE) {
        parts.add(new Filter.OfTime(Comparison.LESS, untilNanos));
      }
      parts.add(policy.filter());
      return new Filter.And(parts);
    }
  }
}
