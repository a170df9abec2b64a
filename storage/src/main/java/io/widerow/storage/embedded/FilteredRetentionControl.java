package io.widerow.storage.embedded;

import io.widerow.event.PartitionKey;
import io.widerow.event.RetentionPolicy;
import io.widerow.event.TypeGlob;
import io.widerow.event.Utf8;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.FilteredRetention;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.RetentionSettings.Going;
import io.widerow.storage.RetentionSettings.Standing;
import io.widerow.storage.RetentionSettings.Sum;
import io.widerow.storage.RetentionSettings.Where;
import io.widerow.storage.Scan;
import io.widerow.storage.live.FilteredRetentions;
import io.widerow.storage.live.StoreContents;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Supplier;

/// The retention policies with a filter of an open store: reads, changes and plans them.
///
/// Such a policy hides, at once, the events of its types that its filter keeps and that are older
/// than its age; a policy without a filter may hide them earlier. After its grace, segments that
/// hold many of them are written again without them. Until then removing the policy, or a longer
/// age, shows them again. An event that it would hide is refused when it arrives. Each change is
/// durable when the call returns.
///
/// - Threads: any. A count reads the events of the types that are older than the age.
public final class FilteredRetentionControl {
  private final StoreContents contents;
  private final Runnable requireOpen;
  private final Supplier<EmbeddedView> views;
  private final Supplier<NavigableMap<PartitionKey, Sum>> partitions;

  /// @param partitions all partitions and their totals
  FilteredRetentionControl(
      StoreContents contents,
      Runnable requireOpen,
      Supplier<EmbeddedView> views,
      Supplier<NavigableMap<PartitionKey, Sum>> partitions) {
    this.contents = contents;
    this.requireOpen = requireOpen;
    this.views = views;
    this.partitions = partitions;
  }

  /// All policies in the order in which they were set.
  public List<Standing> policies() {
    return contents.filteredRetentions().policies().stream().map(this::standing).toList();
  }

  private Standing standing(FilteredRetention policy) {
    Set<String> types = new HashSet<>();
    long bytes = 0;
    for (var each : partitions.get().entrySet()) {
      if (policy.matches(each.getKey().type())) {
        types.add(each.getKey().type());
        bytes += each.getValue().bytes();
      }
    }
    List<Going> hidden;
    try (EmbeddedView view = views.get().keepingAll()) {
      hidden = count(policy, view);
    }
    long events = hidden.stream().mapToLong(Going::events).sum();
    return new Standing(
        policy.policy(),
        policy.where(),
        types.size(),
        bytes,
        new Sum(hidden.size(), events, 0),
        events == 0 ? 0 : policy.removesFromNanos());
  }

  /// The events of a view that a policy hides, by partition.
  private List<Going> count(FilteredRetention policy, EmbeddedView view) {
    long untilNanos = policy.keptFromNanos(contents.clock().retentionNanos());
    Filter filter = FilteredRetentions.Hidden.hiddenBy(policy, untilNanos);
    Scan scan = Scan.all().withFilter(filter).withColumns(Set.of());
    List<Going> going = new ArrayList<>();
    for (PartitionInfo info : view.partitions(policy::matches, Long.MIN_VALUE, untilNanos, null)) {
      PartitionKey key = info.key();
      long events = 0;
      try (EventCursor cursor = view.open(List.of(key), scan)) {
        while (EventCursor.nextLocal(cursor)) {
          events++;
        }
      }
      if (events > 0) {
        going.add(new Going(key, events, 0));
      }
    }
    return going;
  }

  /// Sets a policy in place of the one with the same types and filter. Durable on return.
  ///
  /// @param where the filter as it was written
  /// @throws IllegalArgumentException when the policy has no age or a limit of bytes, its pattern
  ///   matches no type, a part of the filter cannot be stored, or there are too many
  public Standing set(RetentionPolicy policy, String where, Filter filter) {
    requireOpen.run();
    FilteredRetention set = checked(policy, where, filter);
    contents
        .filteredRetentions()
        .change(now -> {
          List<FilteredRetention> all = without(now, set.glob(), filter);
          all.add(set);
          return all;
        });
    return standing(set);
  }

  private FilteredRetention checked(RetentionPolicy policy, String where, Filter filter) {
    FilteredRetention made =
        FilteredRetention.of(policy, where, filter, contents.clock().retentionNanos());
    SortedSet<String> types = new TreeSet<>(Utf8::compare);
    partitions.get().keySet().forEach(key -> types.add(key.type()));
    TypeGlob.requireMatch(policy.glob(), types);
    return made;
  }

  private static List<FilteredRetention> without(
      List<FilteredRetention> all, String glob, Filter filter) {
    List<FilteredRetention> others = new ArrayList<>(all);
    others.removeIf(each -> each.isFor(glob, filter));
    return others;
  }

  /// Removes a policy: what it hid and is still on the disk is shown. Durable on return.
  ///
  /// @throws IllegalArgumentException when none was set for exactly these types and filter
  public void unset(String glob, Where where) {
    requireOpen.run();
    contents
        .filteredRetentions()
        .change(now -> {
          List<FilteredRetention> left = without(now, glob, where.filter());
          if (left.size() == now.size()) {
            List<String> there =
                now.stream().map(each -> each.glob() + " where " + each.where()).toList();
            throw new IllegalArgumentException(
                "where: no policy was set for '%s' where %s; %s"
                    .formatted(
                        glob,
                        where.text(),
                        there.isEmpty()
                            ? "none was set"
                            : "there are " + String.join(", ", there)));
          }
          return left;
        });
  }

  /// The events that a policy would hide if it were set now, by partition: those of them that are
  /// shown. Changes nothing. The bytes are 0: they are freed when segments are written again.
  ///
  /// @throws IllegalArgumentException as [#set]
  public List<Going> plan(RetentionPolicy policy, String where, Filter filter) {
    FilteredRetention planned = checked(policy, where, filter);
    try (EmbeddedView view = views.get()) {
      return count(planned, view);
    }
  }
}
