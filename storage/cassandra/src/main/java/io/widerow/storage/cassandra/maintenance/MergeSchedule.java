package io.widerow.storage.cassandra.maintenance;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.storage.FilteredRetention;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Decides which partition is merged next, and when what a merge covers is deleted.
///
/// A bucket is merged when it has been closed for a while and no daemon has older events that it
/// has not applied; ten minutes later anyway. Later segments are merged when there are
/// [#LATE_SEGMENTS] of them, or when they have been there for an hour. Each merge writes the whole
/// partition, so a partition with few late bytes is merged at most once in ten minutes. Covered
/// segments are deleted a minute after the swap, so that running queries rarely meet a deleted one.
///
/// Each merge leaves out the events that policies with a filter have hidden for good, see
/// [FilteredRemoval]. A merged partition is merged again for such a policy alone once it is due, if
/// enough of it goes; how much goes is counted once in each process.
///
/// Spans are looked at again after a quarter of their age, at least every ten minutes and at most
/// every week: late events get rarer. What this daemon applied late is looked at at once.
///
/// - Threads: one, except [#touched], which any thread calls.
final class MergeSchedule {
  static final long CLEAN_MILLIS = 60_000;
  static final int LATE_SEGMENTS = 8;
  static final long LATE_MILLIS = Duration.ofHours(1).toMillis();
  static final long WAIT_MILLIS = Duration.ofMinutes(10).toMillis();

  /// A partition is not merged again for so long when little came late.
  static final long AGAIN_MILLIS = Duration.ofMinutes(10).toMillis();

  private static final int LITTLE_SHARE = 8;
  private static final long LOOK_MIN_MILLIS = Duration.ofMinutes(10).toMillis();
  private static final long LOOK_MAX_MILLIS = Duration.ofDays(7).toMillis();
  private static final int LOOK_SHARE = 4;
  private static final long FILL_MILLIS = 60_000;
  private static final long EXPIRES_MILLIS = Duration.ofHours(1).toMillis();
  private static final int REMEMBERED = 100_000;
  private static final long NANOS = 1_000_000;

  private final Keyspace keyspace;
  private final ClusterPolicies policies;
  private final ClusterMerger merger;
  private final Leases leases;
  private final ClockCheck clock;
  private final long mergeAfterMillis;
  private final LongSupplier nowMillis;
  private final UpkeepCounters counters;

  private final Map<String, Long> spanDue = new HashMap<>(); // in milliseconds, as are the next
  private final Map<PartitionKey, Long> partitionDue = remembering();
  private final Map<PartitionKey, Long> lateSince = remembering();
  private final Map<PartitionKey, Long> mergedMillis = remembering();
  private final Map<PartitionKey, List<FilteredRetention>> counted = remembering(); // policies
  private List<FilteredRetention> filtered = List.of(); // when the spans were looked up last
  private final Map<PartitionKey, Clean> cleans = new LinkedHashMap<>(); // the first is due first
  private final ConcurrentMap<PartitionKey, Boolean> touched = new ConcurrentHashMap<>();
  private final ArrayDeque<String> spans = new ArrayDeque<>();
  private final ArrayDeque<PartitionKey> partitions = new ArrayDeque<>(); // of the current span
  private @Nullable String span;
  private long spanNext; // when the current span is due again
  private long fillMillis = Long.MIN_VALUE;
  private volatile int queued; // spans, and partitions of the current one
  private volatile @Nullable String paused;
  private volatile @Nullable String trouble;

  /// Rows that a merge covers are deleted then.
  private record Clean(long dueMillis, ClusterMerger.Merged merged) {}

  MergeSchedule(
      Keyspace keyspace,
      ClusterPolicies policies,
      ClusterMerger merger,
      Leases leases,
      ClockCheck clock,
      Duration mergeAfter,
      LongSupplier nowMillis,
      UpkeepCounters counters) {
    this.keyspace = keyspace;
    this.policies = policies;
    this.merger = merger;
    this.leases = leases;
    this.clock = clock;
    this.mergeAfterMillis = mergeAfter.toMillis();
    this.nowMillis = nowMillis;
    this.counters = counters;
  }

  private static <K, V> Map<K, V> remembering() {
    return new LinkedHashMap<>() {
      private static final long serialVersionUID = 1L;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > REMEMBERED;
      }
    };
  }

  /// Records that this daemon has applied a segment to a partition. Cheap.
  void touched(PartitionKey partition) {
    if (touched.size() < REMEMBERED) {
      touched.put(partition, true);
    }
  }

  /// Closed partitions to which this daemon applied events that it has not looked at since, and
  /// spans and partitions that are about to be looked at. With 0, everything that this daemon may
  /// merge now is merged. Any thread.
  int waiting() {
    long now = nowMillis.getAsLong();
    long closed = touched.keySet().stream().filter(partition -> isClosed(partition, now)).count();
    return queued + (int) closed;
  }

  private boolean isClosed(PartitionKey partition, long now) {
    return partition.untilNanos() / NANOS + mergeAfterMillis <= now;
  }

  /// Why a closed bucket is not merged, for people; null when none waits.
  @Nullable String paused() {
    return paused;
  }

  /// Describes the damage that was found, for people; null for none.
  @Nullable String trouble() {
    return trouble;
  }

  /// Does one piece: cleans or looks at one partition. The caller has checked the clocks.
  ///
  /// @param writers read before this call, no longer than a minute ago
  /// @return true when there is more to do now
  boolean step(Writers writers) {
    try {
      return stepped(writers);
    } finally {
      queued = spans.size() + partitions.size();
    }
  }

  private boolean stepped(Writers writers) {
    long now = nowMillis.getAsLong();
    if (clean(now)) {
      return true;
    }
    PartitionKey next = partitions.poll();
    if (next != null) {
      visit(next, writers, now);
      return true;
    }
    if (span != null) {
      spanDue.put(span, spanNext);
      span = null;
    }
    String nextSpan = spans.poll();
    if (nextSpan != null) {
      begin(nextSpan, writers, now);
      return true;
    }
    return fill(now);
  }

  private boolean clean(long now) {
    var first = cleans.entrySet().iterator();
    if (!first.hasNext()) {
      return false;
    }
    Map.Entry<PartitionKey, Clean> due = first.next();
    if (isLater(due.getValue().dueMillis, now)) {
      return false;
    }
    PartitionKey partition = due.getKey();
    ClusterMerger.Merged merged = due.getValue().merged;
    first.remove();
    try {
      merger.clean(partition, merged);
    } catch (StorageException.Corrupt damaged) {
      trouble = damaged.getMessage();
    } catch (KeyspaceException failed) {
      cleans.put(partition, new Clean(now + CLEAN_MILLIS, merged));
      throw failed;
    }
    return true;
  }

  /// Looks up which spans are due. False when none is.
  private boolean fill(long now) {
    if (fillMillis != Long.MIN_VALUE && now >= fillMillis && now - fillMillis < FILL_MILLIS) {
      return false;
    }
    touched
        .keySet()
        .removeIf(partition -> {
          if (isClosed(partition, now)) { // another one is merged when it closes
            partitionDue.remove(partition);
            spanDue.remove(spanOf(partition));
          }
          return true;
        });
    fillMillis = now;
    paused = null;
    if (!policies.filtered().equals(filtered)) { // new ones may be due for any merged partition
      filtered = policies.filtered();
      spanDue.clear();
      partitionDue
          .keySet()
          .removeIf(key -> filtered.stream().anyMatch(policy -> policy.matches(key.type())));
    }
    Waits.of(keyspace.spans()).stream()
        .filter(each -> Bucket.parse(each).fromNanos() / NANOS + mergeAfterMillis <= now)
        .filter(each -> !isLater(spanDue.getOrDefault(each, now), now))
        .sorted(Comparator.comparing(Bucket::parse))
        .forEach(spans::add);
    return !spans.isEmpty();
  }

  /// True when it is not time yet. A time that is too far ahead was taken from a wrong clock.
  private static boolean isLater(long dueMillis, long now) {
    return dueMillis > now && dueMillis - now <= LOOK_MAX_MILLIS;
  }

  private static String spanOf(PartitionKey partition) {
    return BucketRow.spanOf(Bucket.of(partition));
  }

  private void begin(String next, Writers writers, long now) {
    if (!leases.take("merge " + next)) {
      spanDue.put(next, now + LOOK_MIN_MILLIS);
      return;
    }
    List<BucketRow> rows = Spans.widest(Waits.of(keyspace.buckets(next)));
    span = next;
    spanNext = Long.MAX_VALUE;
    for (BucketRow row : rows) {
      long end = row.bucket().untilNanos();
      if (policies.isExpired(row.type(), end, (now + EXPIRES_MILLIS) * NANOS)) {
        continue;
      }
      String waits = waits(end / NANOS, writers, now);
      if (waits != null) {
        spanNext = Math.min(spanNext, now + FILL_MILLIS);
        if (!waits.isEmpty()) {
          paused = "%s|%s is not merged: %s".formatted(next, row.type(), waits);
        }
        continue;
      }
      for (PartitionKey partition : row.partitions()) {
        long due = partitionDue.getOrDefault(partition, now);
        if (!isLater(due, now)) {
          partitions.add(partition);
        } else {
          spanNext = Math.min(spanNext, due);
        }
      }
    }
    if (partitions.isEmpty()) {
      spanNext = Math.min(spanNext, now + lookAfter(Bucket.parse(next).untilNanos(), now));
    }
  }

  /// Null when a bucket may be merged; empty when it is not closed yet.
  private @Nullable String waits(long endMillis, Writers writers, long now) {
    if (now < endMillis + mergeAfterMillis) {
      return "";
    }
    return now < endMillis + mergeAfterMillis + WAIT_MILLIS
        ? writers.unappliedBefore(endMillis)
        : null;
  }

  private static long lookAfter(long endNanos, long now) {
    return Math.clamp((now - endNanos / NANOS) / LOOK_SHARE, LOOK_MIN_MILLIS, LOOK_MAX_MILLIS);
  }

  private void visit(PartitionKey partition, Writers writers, long now) {
    long due = now + lookAfter(partition.untilNanos(), now);
    try {
      due = look(partition, writers, now, due);
    } catch (StorageException.Corrupt damaged) {
      trouble = damaged.getMessage();
    } catch (KeyspaceException failed) {
      spanNext = Math.min(spanNext, now + FILL_MILLIS);
      throw failed;
    }
    partitionDue.put(partition, due);
    spanNext = Math.min(spanNext, due);
  }

  /// True when merging would mostly rewrite merged events.
  private static boolean isLittle(List<DirectoryRow> applied, Directory directory) {
    return bytes(applied) * LITTLE_SHARE < bytes(MergeSources.merged(directory));
  }

  private static long bytes(List<DirectoryRow> rows) {
    return rows.stream().mapToLong(DirectoryRow::bytes).sum();
  }

  /// Returns when to look again.
  private long look(PartitionKey partition, Writers writers, long now, long latest) {
    Directory directory = Waits.of(keyspace.directory(partition));
    if (!ClusterMerger.obsolete(directory).isEmpty()) {
      cleans.putIfAbsent(partition, new Clean(now + CLEAN_MILLIS, ClusterMerger.Merged.UNKNOWN));
    }
    List<DirectoryRow> applied = MergeSources.applied(directory, writers.stamps());
    long removes = FilteredRemoval.nextNanos(filtered, partition, now * NANOS);
    long due = Math.min(latest, removes == Long.MAX_VALUE ? removes : Math.ceilDiv(removes, NANOS));
    FilteredRemoval removal = FilteredRemoval.of(filtered, partition, now * NANOS);
    if (applied.isEmpty()) {
      lateSince.remove(partition);
      if (isWorth(directory, removal)) {
        merge(directory, writers, removal, now);
      }
      return due;
    }
    if (directory.generation() != 0 && applied.size() < LATE_SEGMENTS) {
      long since = lateSince.computeIfAbsent(partition, _ -> now);
      if (now - since < LATE_MILLIS) {
        return Math.min(due, since + LATE_MILLIS);
      }
    }
    Long before = mergedMillis.get(partition);
    if (before != null && now - before < AGAIN_MILLIS && isLittle(applied, directory)) {
      return Math.min(due, before + AGAIN_MILLIS);
    }
    merge(directory, writers, removal, now);
    return due;
  }

  /// True when enough of a merged partition goes. It is counted once for the same policies.
  private boolean isWorth(Directory directory, FilteredRemoval removal) {
    List<DirectoryRow> rows = MergeSources.merged(directory);
    if (removal.isNone()
        || rows.isEmpty()
        || removal.policies().equals(counted.get(directory.partition()))) {
      return false;
    }
    long events = rows.stream().mapToLong(DirectoryRow::events).sum();
    long going = merger.removable(directory, removal);
    boolean isWorth = going > 0 && FilteredRetention.isMuch(going, events, bytes(rows));
    if (!isWorth) {
      counted.put(directory.partition(), removal.policies());
    }
    return isWorth;
  }

  /// A removal is final: its policies, and the clock, are checked once more.
  private boolean isInForce(FilteredRemoval removal) {
    Waits.of(policies.refresh());
    return policies.filtered().containsAll(removal.policies()) && clock.trouble() == null;
  }

  private void merge(Directory directory, Writers writers, FilteredRemoval removal, long now) {
    PartitionKey partition = directory.partition();
    ClusterMerger.Merged merged =
        merger.merge(directory, writers.stamps(), removal, () -> isInForce(removal));
    switch (merged.outcome()) {
      case MERGED, PARTLY -> {
        mergedMillis.put(partition, now);
        counters.lastMergeMillis.set(nowMillis.getAsLong());
        lateSince.remove(partition);
        cleans.remove(partition); // to the end of the queue
        cleans.put(partition, new Clean(nowMillis.getAsLong() + CLEAN_MILLIS, merged));
        if (merged.outcome() == ClusterMerger.Outcome.PARTLY) {
          mergedMillis.remove(partition);
          partitions.addFirst(partition);
        }
      }
      case LOST, NOTHING -> {}
    }
  }
}
