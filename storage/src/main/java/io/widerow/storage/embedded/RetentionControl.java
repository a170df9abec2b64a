package io.widerow.storage.embedded;

import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.RetentionPolicy;
import io.widerow.event.RetentionPolicy.Source;
import io.widerow.event.TypeGlob;
import io.widerow.event.Utf8;
import io.widerow.storage.EventCursor;
import io.widerow.storage.RetentionSettings;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.Policies;
import io.widerow.storage.live.RetentionSnapshot;
import io.widerow.storage.live.Retentions;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.live.StoreState;
import io.widerow.storage.rows.OpenRow;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.segment.SegmentSummary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The retention policies of an open store: reads, changes and plans them.
///
/// A change hides at once the events that it no longer keeps. They are dropped when the grace of
/// the policy has passed; until then a change back shows them again as they were. Events that
/// expire by age are dropped without grace. A policy that is set here is durable when the call
/// returns, and outlives the store's closing; the policies of a configuration are given at each
/// opening.
///
/// - Threads: any. Each call costs a look at every partition.
public final class RetentionControl implements RetentionSettings {
  private final StoreContents contents;
  private final Runnable requireOpen;
  private final Supplier<EmbeddedView> views;
  private final FilteredRetentionControl filtered;
  private volatile boolean unsaved; // the configuration has changed since it was written down

  /// @param requireOpen throws while the store may not be changed yet
  /// @param views views of the present events
  RetentionControl(StoreContents contents, Runnable requireOpen, Supplier<EmbeddedView> views) {
    this.contents = contents;
    this.requireOpen = requireOpen;
    this.views = views;
    this.filtered = new FilteredRetentionControl(contents, requireOpen, views, this::partitions);
  }

  /// The policies with a filter.
  public FilteredRetentionControl filtered() {
    return filtered;
  }

  /// All policies by precedence. Events that cannot be read count as all events of their partition.
  public List<Standing> policies() {
    RetentionSnapshot kept = contents.retentions().shown();
    Retentions.OnDisk onDisk = contents.retentions().onDisk();
    NavigableMap<PartitionKey, Sum> all = partitions();
    try (Counter counter = new Counter()) {
      return kept.policies().inOrder().stream()
          .map(policy -> standing(policy, kept, onDisk, all, counter))
          .toList();
    }
  }

  private Standing standing(
      RetentionPolicy policy,
      RetentionSnapshot kept,
      Retentions.OnDisk onDisk,
      NavigableMap<PartitionKey, Sum> all,
      Counter counter) {
    SortedSet<String> types = new TreeSet<>();
    Sum sum = Sum.NONE;
    Sum hidden = Sum.NONE;
    long dropsAt = 0;
    for (var each : all.entrySet()) {
      PartitionKey key = each.getKey();
      if (!kept.policies().of(key.type()).equals(policy)) {
        continue;
      }
      types.add(key.type());
      sum = sum.and(each.getValue());
      long shownFrom = shownFrom(kept, key);
      Sum of =
          onDisk.mayGo(key.type(), key.untilNanos())
              ? Sum.NONE
              : counter.between(key, each.getValue(), heldFrom(onDisk, key), shownFrom);
      if (of.partitions() > 0) {
        hidden = hidden.and(of);
        dropsAt = Math.max(dropsAt, onDisk.heldUntil(key.type(), shownFrom));
      }
    }
    return new Standing(policy, null, types.size(), sum.bytes(), hidden, dropsAt);
  }

  /// The least time of a partition's events that are shown; its end when none is. A view hides by
  /// the same rule.
  private long shownFrom(RetentionSnapshot kept, PartitionKey key) {
    return kept.isPast(key.type(), key.untilNanos())
        ? key.untilNanos()
        : within(key, kept.keptFromNanos(key.type(), widthNanosOf(key.type())));
  }

  /// The least time of a partition's events that a change of retention keeps on the disk.
  private long heldFrom(Retentions.OnDisk onDisk, PartitionKey key) {
    return within(key, onDisk.keptFromNanos(key.type(), widthNanosOf(key.type())));
  }

  /// A time of the partition: its start when it is no wider than the buckets of its type.
  private long within(PartitionKey key, long keptFromNanos) {
    return key.untilNanos() - key.fromNanos() <= widthNanosOf(key.type())
        ? key.fromNanos()
        : Math.clamp(keptFromNanos, key.fromNanos(), key.untilNanos());
  }

  private long widthNanosOf(String type) {
    return contents.layouts().now().of(type).admittedMinutes() * PartitionKey.NANOS_PER_MINUTE;
  }

  /// Counts events of a part of a partition, whatever retention hides. Opens one view, for the
  /// first partition of which any part counts. Events are read where the directory does not count
  /// them. Where reading fails, all events of the partition count: a failing disk does not prevent
  /// a change of policy.
  private final class Counter implements AutoCloseable {
    private @Nullable EmbeddedView view;

    /// The share of a partition between two of its times; zero when the first is not before the
    /// other.
    Sum between(PartitionKey key, Sum all, long fromNanos, long untilNanos) {
      if (fromNanos >= untilNanos) {
        return Sum.NONE;
      }
      boolean whole = fromNanos == key.fromNanos() && untilNanos == key.untilNanos();
      EmbeddedView reading = view();
      if (whole && reading.countsEachEventOnce(key)) {
        return all;
      }
      long events;
      try {
        events = count(reading, key, fromNanos, untilNanos);
      } catch (StorageException unreadable) {
        events = all.events();
      }
      return events == 0 && !whole ? Sum.NONE : new Sum(1, events, whole ? all.bytes() : 0);
    }

    private static long count(
        EmbeddedView view, PartitionKey key, long fromNanos, long untilNanos) {
      Scan scan =
          Scan.all()
              .withColumns(Set.of())
              .withRange(EventId.leastOf(fromNanos), EventId.leastOf(untilNanos));
      long events = 0;
      try (EventCursor cursor = view.open(List.of(key), scan)) {
        while (EventCursor.nextLocal(cursor)) {
          events++;
        }
      }
      return events;
    }

    private EmbeddedView view() {
      EmbeddedView open = view;
      if (open == null) {
        open = views.get().keepingAll();
        view = open;
      }
      return open;
    }

    @Override
    public void close() {
      EmbeddedView open = view;
      if (open != null) {
        open.close();
      }
    }
  }

  @Override
  public List<Standing> standings() {
    List<Standing> all = new ArrayList<>(policies());
    all.addAll(filtered.policies());
    return all;
  }

  @Override
  public Standing set(RetentionPolicy policy, @Nullable Where where) {
    return where == null ? set(policy) : filtered.set(policy, where.text(), where.filter());
  }

  @Override
  public void unset(String glob, @Nullable Where where) {
    if (where == null) {
      unset(glob);
    } else {
      filtered.unset(glob, where);
    }
  }

  @Override
  public List<Going> plan(RetentionPolicy policy, @Nullable Where where) {
    return where == null ? plan(policy) : filtered.plan(policy, where.text(), where.filter());
  }

  /// Expired events that may be dropped and are still on the disk. Expired parts of merged segments
  /// stay until a larger part of the segment has expired, those of cold ones until all of it has.
  public Sum droppable() {
    RetentionSnapshot kept = contents.retentions().shown();
    Retentions.OnDisk onDisk = contents.retentions().onDisk();
    Sum sum = Sum.NONE;
    for (var each : partitions(live -> !live.isCold()).entrySet()) {
      PartitionKey key = each.getKey();
      if (kept.isPast(key.type(), key.untilNanos()) && onDisk.mayGo(key.type(), key.untilNanos())) {
        sum = sum.and(each.getValue());
      }
    }
    return sum;
  }

  /// Sets a policy, in place of the one that was set for the same types. Durable on return.
  ///
  /// @return the data for which it decides, and the data that it hid, counted as [#policies] counts
  /// @throws IllegalArgumentException when its pattern matches no type, or there are too many
  public Standing set(RetentionPolicy policy) {
    if (policy.source() != Source.API) {
      throw new IllegalArgumentException("a policy that is set has the source API");
    }
    requireOpen.run();
    SortedSet<String> types = types();
    TypeGlob.requireMatch(policy.glob(), types);
    change(policy.grace(), types, now -> now.with(policy));
    return policies().stream()
        .filter(each -> each.policy().equals(policy))
        .findFirst()
        .orElse(new Standing(policy, null, 0, 0, Sum.NONE, 0));
  }

  /// Removes a policy that was set. Events that this hides are dropped after the grace of this
  /// policy. Durable on return.
  ///
  /// @throws IllegalArgumentException when no policy was set for exactly these types
  public void unset(String glob) {
    requireOpen.run();
    RetentionPolicy old = contents.retentions().policies().requireSet(glob, "policy");
    change(old.grace(), types(), now -> now.without(glob, Source.API));
  }

  private void change(Duration grace, SortedSet<String> types, UnaryOperator<Policies> change) {
    contents.retain(now ->
        now.changed(change.apply(now.policies()), grace, types, contents.clock().retentionNanos()));
  }

  /// What a policy would hide if it were set now, and what would then be dropped: partitions that
  /// the present policies keep and the others do not. Changes nothing. Counts as [#policies].
  ///
  /// @throws IllegalArgumentException when its pattern matches no type
  public List<Going> plan(RetentionPolicy policy) {
    TypeGlob.requireMatch(policy.glob(), types());
    RetentionSnapshot kept = contents.retentions().shown();
    NavigableMap<PartitionKey, Sum> all = partitions();
    RetentionSnapshot planned = contents.retentions().shownBy(kept.policies().with(policy));
    List<Going> going = new ArrayList<>();
    try (Counter counter = new Counter()) {
      all.forEach((key, sum) -> {
        Sum gone = counter.between(key, sum, shownFrom(kept, key), shownFrom(planned, key));
        if (gone.partitions() > 0) {
          going.add(new Going(key, gone.events(), gone.bytes()));
        }
      });
    }
    return going;
  }

  /// Replaces the policies of the last configuration. Policies that were set by a call stay. A
  /// store in which no policy was ever set does not know the last configuration: it drops nothing
  /// before the grace has passed, unless the disk is full.
  ///
  /// @param grace how long events that this change hides stay on disk
  public void configure(List<RetentionPolicy> policies, Duration grace) {
    if (contents.isDrained()) {
      return;
    }
    SortedSet<String> types = types();
    boolean known = contents.retentions().isWritten();
    contents
        .retentions()
        .change(now -> {
          Policies next = now.policies().with(Source.CONFIG, policies);
          if (next.equals(now.policies())) {
            return now;
          }
          unsaved = known;
          long nanos = contents.clock().retentionNanos();
          return now.changed(next, known ? grace : Duration.ZERO, types, nanos);
        });
    if (!known && !types.isEmpty()) {
      contents.retentions().keepAllFor(grace);
    }
  }

  /// Writes down a configuration that has changed, in a store that knows the last one.
  void save() {
    if (unsaved) {
      contents.tidy(() -> {
        contents.retain(now -> now);
        unsaved = false;
      });
    }
  }

  private SortedSet<String> types() {
    SortedSet<String> types = new TreeSet<>(Utf8::compare);
    partitions().keySet().forEach(key -> types.add(key.type()));
    return types;
  }

  /// All partitions and their totals.
  private NavigableMap<PartitionKey, Sum> partitions() {
    return partitions(_ -> true);
  }

  /// @param of which segments
  private NavigableMap<PartitionKey, Sum> partitions(Predicate<LiveSegment> of) {
    NavigableMap<PartitionKey, Sum> found = null;
    while (found == null) {
      found = partitions(contents.state(), of);
    }
    return found;
  }

  /// Null when a part of the state was freed in between, so that there is a newer one.
  private static @Nullable NavigableMap<PartitionKey, Sum> partitions(
      StoreState state, Predicate<LiveSegment> of) {
    NavigableMap<PartitionKey, Sum> found = new TreeMap<>();
    for (LiveSegment live : state.segments().all().stream().filter(of).toList()) {
      long[] bytes = live.partitionBytes();
      int at = 0;
      for (SegmentSummary.Partition partition : live.partitions()) {
        add(found, partition.key(), partition.events(), bytes[at++]);
      }
    }
    for (OpenRows open : state.rows()) {
      try (OpenRows.View view = open.view()) {
        if (view == null) {
          return null;
        }
        for (OpenRow row : view.rows()) {
          long events = view.info(row).events();
          if (events > 0) {
            add(found, row.key, events, 0);
          }
        }
      }
    }
    return found;
  }

  private static void add(
      NavigableMap<PartitionKey, Sum> found, PartitionKey key, long events, long bytes) {
    found.merge(
        key,
        new Sum(1, events, bytes),
        (a, b) -> new Sum(1, a.events() + b.events(), a.bytes() + b.bytes()));
  }
}
