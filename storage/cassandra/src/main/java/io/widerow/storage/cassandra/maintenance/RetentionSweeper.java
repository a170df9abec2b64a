package io.widerow.storage.cassandra.maintenance;

import io.widerow.event.Bucket;
import io.widerow.event.PartitionKey;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Deletes expired partitions whole, so that there is one tombstone for each and none for events.
///
/// ```
///  bucket ends        past retention                          10 d later
///  |------- kept -----|--- hidden, dropped, dropped again ----|--- not in the catalog
///                     | + 1 min: partitions deleted           |
///                     |   again each day, with all others     |
/// ```
///
/// A node that was away when a partition was deleted, and missed the hints, still has the rows. So
/// every expired partition is deleted again each day, and stays in the catalog for ten days
/// (`gc_grace_seconds`) after the first time. The [SweepLog] in the keyspace has that time. Events
/// that arrive late in a dropped bucket are hidden by the policy, and deleted the same way.
///
/// It does not start within a minute after a change of the policy, while every daemon learns it.
///
/// - Threads: one.
final class RetentionSweeper {
  /// So long after its expiry, or after a change of the policy, a bucket is dropped.
  static final Duration DELAY = Duration.ofMinutes(1);

  static final long DELAY_MILLIS = DELAY.toMillis();

  /// `gc_grace_seconds` of the tables: so long a tombstone is kept.
  static final long GRACE_MILLIS = Duration.ofDays(10).toMillis();

  private static final long FULL_MILLIS = Duration.ofDays(1).toMillis();
  private static final long PASS_MILLIS = 60_000;
  private static final long LOOK_MILLIS = Duration.ofHours(6).toMillis();
  private static final int IN_FLIGHT = 32;
  private static final String LEASE = "sweep";
  private static final long NANOS = 1_000_000;

  private final Keyspace keyspace;
  private final ClusterPolicies policies;
  private final Leases leases;
  private final ClockCheck clock;
  private final LongSupplier nowMillis;
  private final UpkeepCounters counters;
  private final ArrayDeque<String> spans = new ArrayDeque<>(); // left of the pass
  private final Map<String, Long> looks = new HashMap<>(); // when a span is due, in milliseconds
  private final Set<BucketRow> dropped = new HashSet<>(); // since the last full pass
  private @Nullable Pass pass;
  private SweepLog log = SweepLog.EMPTY;
  private long nextMillis;
  private @Nullable RetentionRules looked;
  private volatile @Nullable String paused;

  /// A pass in progress.
  private static final class Pass {
    final long startMillis;
    final RetentionRules rules;
    final boolean full;
    boolean complete = true;

    Pass(long startMillis, RetentionRules rules, boolean full) {
      this.startMillis = startMillis;
      this.rules = rules;
      this.full = full;
    }
  }

  RetentionSweeper(
      Keyspace keyspace,
      ClusterPolicies policies,
      Leases leases,
      ClockCheck clock,
      LongSupplier nowMillis,
      UpkeepCounters counters) {
    this.keyspace = keyspace;
    this.policies = policies;
    this.leases = leases;
    this.clock = clock;
    this.nowMillis = nowMillis;
    this.counters = counters;
  }

  /// Why something is not dropped although it is due, for people; null when nothing is held back.
  @Nullable String paused() {
    return paused;
  }

  /// Goes over one span. The caller has checked the clocks.
  ///
  /// @param writers read no longer than a minute ago
  /// @return true when there is more to do now
  boolean step(Writers writers) {
    long now = nowMillis.getAsLong();
    Pass current = pass;
    if (current == null || !isInForce(current.rules) || current.startMillis > now) {
      current = begin(now);
      pass = current;
      if (current == null) {
        return false;
      }
    }
    String span = spans.poll();
    if (span == null) {
      end(current, now);
      return false;
    }
    if (!leases.take(LEASE)) {
      pass = null;
      nextMillis = now + PASS_MILLIS;
      return false;
    }
    try {
      sweep(span, current, writers);
      return pass != null;
    } catch (KeyspaceException failed) {
      current.complete = false;
      throw failed;
    }
  }

  /// True when it is not time yet. A time that is too far ahead was taken from a wrong clock.
  private static boolean isLater(long dueMillis, long now, long mostMillis) {
    return dueMillis > now && dueMillis - now <= mostMillis;
  }

  private boolean isInForce(RetentionRules rules) {
    ClusterPolicies.Known known = policies.known();
    return known != null && known.rules().equals(rules);
  }

  /// Null when it is not time.
  private @Nullable Pass begin(long now) {
    spans.clear();
    ClusterPolicies.Known known = policies.known();
    if (known == null
        || now - known.sinceMillis() < DELAY_MILLIS
        || isLater(nextMillis, now, PASS_MILLIS)) {
      return null;
    }
    Duration shortest = known.rules().shortest();
    if (shortest == null || !leases.take(LEASE)) {
      nextMillis = now + PASS_MILLIS;
      return null;
    }
    if (!known.rules().equals(looked)) {
      looks.clear();
      looked = known.rules();
    }
    log = SweepLog.parse(Waits.of(keyspace.policies()).get(SweepLog.NAME));
    restore();
    boolean full =
        log.passes().isEmpty() || log.lastMillis() > now || now - log.lastMillis() >= FULL_MILLIS;
    long start = now - DELAY_MILLIS;
    long until = start - shortest.toMillis();
    Waits.of(keyspace.spans()).stream()
        .filter(span -> Bucket.parse(span).fromNanos() / NANOS < until)
        .filter(span -> full || !isLater(looks.getOrDefault(span, now), now, LOOK_MILLIS))
        .sorted(Comparator.comparing(Bucket::parse))
        .forEach(spans::add);
    paused = null;
    return new Pass(start, known.rules(), full);
  }

  private void end(Pass ended, long now) {
    if (ended.full && ended.complete) {
      write(log.with(new SweepLog.Pass(ended.startMillis, ended.rules), GRACE_MILLIS));
      dropped.clear();
    }
    pass = null;
    nextMillis = now + PASS_MILLIS;
    counters.lastSweepMillis.set(now);
  }

  private void sweep(String span, Pass current, Writers writers) {
    long now = nowMillis.getAsLong();
    List<BucketRow> all = Waits.of(keyspace.buckets(span));
    long next = now + LOOK_MILLIS;
    List<BucketRow> due = new ArrayList<>();
    Set<BucketRow> over = new HashSet<>();
    for (BucketRow row : Spans.widest(all)) {
      long expiry = current.rules.expiryNanos(row.type(), row.bucket().untilNanos());
      long expiryMillis = expiry == Long.MAX_VALUE ? Long.MAX_VALUE : expiry / NANOS;
      if (expiryMillis > current.startMillis) {
        next = Math.min(next, expiryMillis == Long.MAX_VALUE ? next : expiryMillis + DELAY_MILLIS);
      } else if (isHeld(row, expiryMillis, now, writers)) {
        current.complete = false;
        next = now;
      } else {
        long since = log.droppedMillis(row);
        boolean isOver = since <= now - GRACE_MILLIS;
        if (current.full || isOver || (since == Long.MAX_VALUE && !dropped.contains(row))) {
          due.add(row);
        }
        if (isOver) {
          over.add(row);
        }
      }
    }
    if (!due.isEmpty()) {
      Waits.of(policies.refresh());
      // A drop is final, so its reasons are checked once more: the policy, and the clock,
      // which may have jumped since the caller looked. Otherwise the next pass decides.
      if (!isInForce(current.rules) || clock.trouble() != null) {
        pass = null;
        nextMillis = now + PASS_MILLIS;
        return;
      }
      drop(due);
    }
    remove(span, all, over);
    looks.put(span, next);
  }

  /// True while a daemon may still bring events that came before the bucket expired. A daemon whose
  /// machine is gone for good, and that was not released, holds it for ten days only.
  private boolean isHeld(BucketRow row, long expiryMillis, long now, Writers writers) {
    String unapplied = writers.unappliedBefore(expiryMillis);
    if (unapplied == null || now - expiryMillis >= GRACE_MILLIS) {
      return false;
    }
    paused =
        "%s of %s is not dropped: %s".formatted(row.partitions().getFirst(), row.type(), unapplied);
    return true;
  }

  private void drop(List<BucketRow> rows) {
    List<CompletableFuture<Void>> underWay = new ArrayList<>();
    for (BucketRow row : rows) {
      for (PartitionKey partition : row.partitions()) {
        underWay.add(keyspace.deletePartition(partition));
        if (underWay.size() == IN_FLIGHT) {
          finish(underWay);
        }
      }
    }
    finish(underWay);
    dropped.addAll(rows);
  }

  private void finish(List<CompletableFuture<Void>> deletes) {
    deletes.forEach(Waits::of);
    counters.partitionsDropped.add(deletes.size());
    deletes.clear();
  }

  /// Takes rows, and a span without rows, out of the catalog. A bucket to which events are applied
  /// concurrently must stay in it: the log has the rows that are being removed, and [#restore]
  /// checks them afterwards.
  private void remove(String span, List<BucketRow> all, Set<BucketRow> over) {
    List<BucketRow> removed =
        all.stream()
            .filter(row ->
                over.stream()
                    .anyMatch(widest ->
                        widest.bucket().equals(row.bucket()) && widest.type().equals(row.type())))
            .toList();
    boolean emptied = removed.size() == all.size();
    if (removed.isEmpty() && !emptied) {
      return;
    }
    write(log.removing(removed, emptied ? span : null));
    removed.forEach(row -> Waits.of(keyspace.removeBucket(row)));
    if (emptied && Waits.of(keyspace.buckets(span)).isEmpty()) {
      Waits.of(keyspace.removeSpan(span));
    }
    dropped.removeAll(over);
    restore();
  }

  /// Puts removed rows back into the catalog when events were applied to them concurrently.
  private void restore() {
    String span = log.span();
    if (log.removing().isEmpty() && span == null) {
      return;
    }
    for (BucketRow row : log.removing()) {
      if (row.partitions().stream()
          .anyMatch(partition -> !Waits.of(keyspace.directory(partition)).rows().isEmpty())) {
        Waits.of(keyspace.addBucket(row));
      }
    }
    if (span != null) {
      Waits.of(keyspace.buckets(span)).forEach(row -> Waits.of(keyspace.addBucket(row)));
    }
    write(log.removing(List.of(), null));
  }

  private void write(SweepLog next) {
    if (!Objects.equals(log, next)) {
      Waits.of(keyspace.policy(SweepLog.NAME, next.text()));
      log = next;
    }
  }
}
