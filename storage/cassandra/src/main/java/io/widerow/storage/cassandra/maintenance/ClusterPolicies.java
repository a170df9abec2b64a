package io.widerow.storage.cassandra.maintenance;

import io.widerow.event.RetentionPolicy;
import io.widerow.storage.FilteredRetention;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.RetentionSettings.Where;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The retention that all daemons of a store share: the policies `retention` and
/// `retention.filtered` of the keyspace, see [RetentionRules] and [FilteredRules]. Its owner calls
/// [#refreshIfDue] about once a second, so a change is in force everywhere within ten seconds: a
/// lower retention hides expired events at once, although they are still there; a higher one shows
/// again events that were not swept.
///
/// While the cluster is away the rules that were read last count. Before any were read nothing is
/// hidden and nothing is dropped. A text that this program cannot read changes nothing either, and
/// [#trouble] reports it.
///
/// - Threads: any. Only [#set] waits.
public final class ClusterPolicies implements RetentionLookup {
  /// The policy's name.
  public static final String RETENTION = "retention";

  /// The policy's name for retention by filters.
  public static final String FILTERED = "retention.filtered";

  /// So long after a change, or after their expiry, partitions are dropped.
  public static final Duration DROPPED_AFTER = RetentionSweeper.DELAY;

  private static final String LEASE = "policies";
  private static final Duration LEASE_KEPT = Duration.ofSeconds(2);
  private static final long REFRESH_MILLIS = 10_000;
  private static final int TRIES = 100;
  private static final long PAUSE_NANOS = 100_000_000;

  private final Keyspace keyspace;
  private final int holder = new SecureRandom().nextInt(); // of the lease; of no other process
  private final LongSupplier nowMillis;
  private final LongConsumer pause;
  private volatile @Nullable Known known;
  private volatile @Nullable String trouble;
  private volatile long askedMillis = Long.MIN_VALUE;
  private final Object changes = new Object();
  private long asked; // guarded by this, as is the next
  private long answered;

  /// Rules that were read.
  ///
  /// @param shortestNanos no retention of the rules is shorter
  /// @param sinceMillis when this process read them first, in milliseconds since the Unix epoch
  /// @param filtered policies that hide events of the types that are kept
  record Known(
      RetentionRules rules,
      boolean isSet,
      long shortestNanos,
      long sinceMillis,
      FilteredRules filtered) {}

  /// @param nowMillis the wall clock, milliseconds since the Unix epoch
  public ClusterPolicies(Keyspace keyspace, LongSupplier nowMillis) {
    this(keyspace, nowMillis, LockSupport::parkNanos);
  }

  /// @param pause waits for so many nanoseconds
  ClusterPolicies(Keyspace keyspace, LongSupplier nowMillis, LongConsumer pause) {
    this.keyspace = keyspace;
    this.nowMillis = nowMillis;
    this.pause = pause;
  }

  /// Reads the policies when they were not asked for within ten seconds. Does not wait.
  public void refreshIfDue() {
    long now = nowMillis.getAsLong();
    long before = askedMillis;
    if (before == Long.MIN_VALUE || now - before >= REFRESH_MILLIS || now < before) {
      var _ = refresh(); // trouble() reports a failure
    }
  }

  /// Reads the policies. Does not wait.
  ///
  /// @return completes when they are in force here; with a [KeyspaceException] when they could not
  ///   be read, and with an [IllegalArgumentException] when they cannot be understood. The rules
  ///   before stay in force then
  public CompletableFuture<Void> refresh() {
    askedMillis = nowMillis.getAsLong();
    long number;
    synchronized (this) {
      number = ++asked;
    }
    return keyspace
        .policies()
        .whenComplete((_, failed) -> {
          if (failed != null) {
            trouble = "policies cannot be read: " + failed.getMessage();
          }
        })
        .thenAccept(policies -> accept(policies, number));
  }

  private synchronized void accept(Map<String, String> policies, long number) {
    if (number < answered) {
      return; // a later answer came first
    }
    answered = number;
    String text = policies.get(RETENTION);
    RetentionRules rules;
    FilteredRules filtered;
    try {
      rules = text == null ? RetentionRules.FOREVER : RetentionRules.parse(text);
      filtered = filtered(policies);
    } catch (PolicyException unreadable) {
      trouble = unreadable.getMessage();
      throw unreadable;
    }
    Known before = known;
    long since =
        before != null && before.rules.equals(rules) ? before.sinceMillis : nowMillis.getAsLong();
    Duration shortest = rules.shortest();
    long nanos = shortest == null ? KEPT_FOREVER : shortest.toNanos();
    known = new Known(rules, text != null, nanos, since, filtered);
    trouble = null;
  }

  private static FilteredRules filtered(Map<String, String> policies) {
    String text = policies.get(FILTERED);
    return text == null ? FilteredRules.NONE : FilteredRules.parse(text);
  }

  /// The rules in force; null before any were read.
  @Nullable Known known() {
    return known;
  }

  /// True when the policies were read.
  public boolean isKnown() {
    return known != null;
  }

  /// True when the keyspace has a retention policy. A new store has none until one is set.
  public boolean isSet() {
    Known now = known;
    return now != null && now.isSet;
  }

  /// Why the policies in force may be old ones, for people; null when they are not.
  public @Nullable String trouble() {
    return trouble;
  }

  /// Changes the retention for all daemons, and waits until the keyspace has it. Two processes that
  /// change at once, daemons or commands, do so one after the other.
  ///
  /// @param type null for the default
  /// @param age null to keep events indefinitely
  /// @throws IllegalArgumentException when the age is not positive or longer than 200 years, or
  ///   when the policy in force cannot be understood
  /// @throws KeyspaceException when the keyspace cannot be reached, or others change it all the
  ///   time; whether the change was made is then unknown, and the same call may be made again
  public void set(@Nullable String type, @Nullable Duration age) {
    RetentionRules.requireAge(age);
    change(
        RETENTION,
        policies -> {
          String text = policies.get(RETENTION);
          return (text == null ? RetentionRules.FOREVER : RetentionRules.parse(text))
              .with(type, age)
              .text();
        });
  }

  /// Removes the retention of a type, as [#set] does: the default then decides about it.
  ///
  /// @param type null for the default: what no other decides about is kept indefinitely
  /// @throws IllegalArgumentException when none was set
  public void unset(@Nullable String type) {
    change(
        RETENTION,
        policies -> {
          String text = policies.get(RETENTION);
          RetentionRules before =
              text == null ? RetentionRules.FOREVER : RetentionRules.parse(text);
          RetentionRules left = before.without(type);
          if (left.equals(before)) {
            throw new IllegalArgumentException(
                "type: no policy was set for '%s'; there are %s"
                    .formatted(
                        type == null ? RetentionRules.DEFAULT : type,
                        before.policies().stream().map(RetentionPolicy::glob).toList()));
          }
          return left.text();
        });
  }

  /// The policies without a filter, by precedence.
  public List<RetentionPolicy> unfiltered() {
    Known now = known;
    return now == null ? List.of() : now.rules.policies();
  }

  /// Hides the events of some types that a filter keeps, for all daemons, as [#set] does: once they
  /// are older than the age of the policy. They are removed by merges once the grace is over, see
  /// [FilteredRemoval].
  public void set(FilteredRetention policy) {
    change(FILTERED, policies -> filtered(policies).with(policy).text());
  }

  /// Shows the events again that the policy of these types and this filter hides, as [#set] does.
  ///
  /// @throws IllegalArgumentException when there is none
  public void unset(String glob, Where where) {
    change(
        FILTERED,
        policies -> {
          FilteredRules before = filtered(policies);
          FilteredRules left = before.without(glob, where.filter());
          if (left.equals(before)) {
            throw new IllegalArgumentException(
                "where: no policy was set for '%s' where %s; there are %s"
                    .formatted(
                        glob,
                        where.text(),
                        before.policies().stream()
                            .map(each -> each.glob() + " where " + each.where())
                            .toList()));
          }
          return left.text();
        });
  }

  private void change(String name, Function<Map<String, String>, String> changed) {
    awaitLease();
    synchronized (changes) { // other callers in this process have the same lease
      Waits.of(keyspace.policy(name, changed.apply(Waits.of(keyspace.policies()))));
    }
    Waits.of(refresh());
  }

  private void awaitLease() {
    for (int i = 0; i < TRIES; i++) {
      if (Waits.of(keyspace.lease(LEASE, holder, LEASE_KEPT))) {
        return;
      }
      pause.accept(PAUSE_NANOS);
    }
    throw new KeyspaceException(
        KeyspaceException.Kind.TIMEOUT, "others change the policies all the time; try again");
  }

  @Override
  public boolean isExpired(String type, long bucketEndNanos, long nowNanos) {
    Known now = known;
    if (now == null) {
      return false;
    }
    long expiry = now.rules.expiryNanos(type, bucketEndNanos);
    return expiry != Long.MAX_VALUE && expiry <= nowNanos;
  }

  @Override
  public long shortestNanos() {
    Known now = known;
    return now == null ? KEPT_FOREVER : now.shortestNanos;
  }

  @Override
  public List<FilteredRetention> filtered() {
    Known now = known;
    return now == null ? List.of() : now.filtered.policies();
  }

  @Override
  public @Nullable Duration of(String type) {
    Known now = known;
    return now == null ? null : now.rules.of(type);
  }
}
