package io.widerow.storage.cassandra;

import io.widerow.event.PartitionKey;
import io.widerow.event.RetentionPolicy;
import io.widerow.event.TypeGlob;
import io.widerow.event.Utf8;
import io.widerow.storage.FilteredRetention;
import io.widerow.storage.RetentionSettings;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.maintenance.ClusterPolicies;
import io.widerow.storage.cassandra.read.ClusterReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The retention policies of a store on a cluster, which hold for all of its daemons. A policy
/// without a filter is for one type, or `*` for all types without one, and limits the age only.
///
/// - Threads: any. Every call waits for the cluster.
public final class ClusterRetention implements RetentionSettings {
  private static final String ALL = "*";

  private final ClusterPolicies policies;
  private final ClusterReader reader;
  private final LongSupplier nowMillis;

  /// @param nowMillis the wall clock, milliseconds since the Unix epoch
  public ClusterRetention(ClusterPolicies policies, ClusterReader reader, LongSupplier nowMillis) {
    this.policies = policies;
    this.reader = reader;
    this.nowMillis = nowMillis;
  }

  /// Expired partitions are dropped a minute after any change, so that is the grace of policies
  /// without a filter.
  @Override
  public Duration grace(Duration configured, @Nullable Where where) {
    return where == null ? ClusterPolicies.DROPPED_AFTER : configured;
  }

  @Override
  public List<Standing> standings() {
    return asked(() -> {
      policies.refresh().join();
      List<Going> stored = reader.stored();
      List<Standing> all = new ArrayList<>();
      policies.unfiltered().forEach(policy -> all.add(standing(policy, stored)));
      policies.filtered().forEach(policy -> all.add(standing(policy, stored)));
      return all;
    });
  }

  /// True for the types for which a policy without a filter decides.
  private Predicate<String> decided(RetentionPolicy policy) {
    return policy.glob().equals(ALL)
        ? type ->
            policies.unfiltered().stream().noneMatch(each -> isOther(each) && each.matches(type))
        : policy::matches;
  }

  private static boolean isOther(RetentionPolicy policy) {
    return !policy.glob().equals(ALL);
  }

  private Standing standing(RetentionPolicy policy, List<Going> stored) {
    Predicate<String> decided = decided(policy);
    long now = nowNanos();
    Sum hidden = Sum.NONE;
    long dropsAt = 0;
    for (Going each : stored) {
      PartitionKey key = each.key();
      Duration age = policy.age();
      if (age != null
          && decided.test(key.type())
          && policies.isExpired(key.type(), key.untilNanos(), now)) {
        hidden = hidden.and(new Sum(1, each.events(), each.bytes()));
        Duration kept = age.plus(policy.grace());
        dropsAt = Math.max(dropsAt, key.untilNanos() + kept.toNanos());
      }
    }
    return standing(policy, null, decided, stored, hidden, dropsAt);
  }

  private Standing standing(FilteredRetention policy, List<Going> stored) {
    Sum hidden = Sum.NONE;
    for (Going each : hiddenBy(policy)) {
      hidden = hidden.and(new Sum(1, each.events(), 0));
    }
    return standing(
        policy.policy(),
        policy.where(),
        policy::matches,
        stored,
        hidden,
        hidden.events() == 0 ? 0 : policy.removesFromNanos());
  }

  private static Standing standing(
      RetentionPolicy policy,
      @Nullable String where,
      Predicate<String> types,
      List<Going> stored,
      Sum hidden,
      long dropsAtNanos) {
    List<Going> of = stored.stream().filter(each -> types.test(each.key().type())).toList();
    return new Standing(
        policy,
        where,
        types(of).size(),
        of.stream().mapToLong(Going::bytes).sum(),
        hidden,
        dropsAtNanos);
  }

  private static SortedSet<String> types(List<Going> stored) {
    SortedSet<String> types = new TreeSet<>(Utf8::compare);
    stored.forEach(each -> types.add(each.key().type()));
    return types;
  }

  @Override
  public Standing set(RetentionPolicy policy, @Nullable Where where) {
    return asked(() -> {
      List<Going> stored = reader.stored();
      if (where == null) {
        requireOfCluster(policy);
        policies.set(typeOf(policy.glob()), policy.age());
        return standing(policy, stored);
      }
      FilteredRetention filtered = filtered(policy, where, stored);
      policies.set(filtered);
      return standing(filtered, stored);
    });
  }

  private static void requireOfCluster(RetentionPolicy policy) {
    if (typeOf(policy.glob()) != null && !TypeGlob.isExact(policy.glob())) {
      throw new IllegalArgumentException(
          "type: on a cluster a policy without a filter is for one type or for *, got '%s'"
              .formatted(policy.glob()));
    }
    if (policy.bytes() != RetentionPolicy.UNLIMITED) {
      throw new IllegalArgumentException(
          "bytes: a cluster has policies of age only, got %d bytes".formatted(policy.bytes()));
    }
    if (!policy.grace().equals(ClusterPolicies.DROPPED_AFTER)) {
      throw new IllegalArgumentException(
          "grace: a cluster drops what has expired a minute after a change, got %d seconds"
              .formatted(policy.grace().toSeconds()));
    }
  }

  /// Null for the default.
  private static @Nullable String typeOf(String glob) {
    return glob.equals(ALL) ? null : glob;
  }

  private FilteredRetention filtered(RetentionPolicy policy, Where where, List<Going> stored) {
    TypeGlob.requireMatch(policy.glob(), types(stored));
    return FilteredRetention.of(policy, where.text(), where.filter(), nowNanos());
  }

  @Override
  public void unset(String glob, @Nullable Where where) {
    var _ =
        asked(() -> {
          if (where == null) {
            policies.unset(typeOf(glob));
          } else {
            policies.unset(glob, where);
          }
          return glob;
        });
  }

  @Override
  public List<Going> plan(RetentionPolicy policy, @Nullable Where where) {
    return asked(() -> {
      List<Going> stored = reader.stored();
      if (where != null) {
        return hiddenBy(filtered(policy, where, stored));
      }
      requireOfCluster(policy);
      policies.refresh().join();
      Predicate<String> decided = decided(policy);
      Duration age = policy.age();
      long now = nowNanos();
      return age == null
          ? List.of()
          : stored.stream()
              .filter(each -> decided.test(each.key().type()))
              .filter(each -> each.key().untilNanos() + age.toNanos() <= now)
              .filter(each -> !policies.isExpired(each.key().type(), each.key().untilNanos(), now))
              .toList();
    });
  }

  private List<Going> hiddenBy(FilteredRetention policy) {
    List<Going> hidden = new ArrayList<>();
    reader.hiddenBy(policy).forEach((key, events) -> hidden.add(new Going(key, events, 0)));
    return hidden;
  }

  private long nowNanos() {
    return nowMillis.getAsLong() * 1_000_000;
  }

  /// An answer of the cluster.
  private interface Answer<T> {
    T get();
  }

  private static <T> T asked(Answer<T> answer) {
    try {
      return answer.get();
    } catch (KeyspaceException failed) {
      throw new StorageException.Unreachable(
          "the retention cannot be read or set: " + failed.getMessage(), failed);
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof IllegalArgumentException unreadable) {
        throw unreadable;
      }
      throw new StorageException.Unreachable(
          "the policies cannot be read: " + failed.getCause(), failed);
    }
  }
}
