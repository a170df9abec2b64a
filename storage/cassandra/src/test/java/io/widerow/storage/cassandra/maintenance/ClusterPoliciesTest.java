package io.widerow.storage.cassandra.maintenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.event.AttributeName;
import io.widerow.event.RetentionPolicy;
import io.widerow.storage.Filter;
import io.widerow.storage.FilteredRetention;
import io.widerow.storage.RetentionSettings.Where;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/// Retention as a policy of the keyspace: known to all daemons, and when the cluster is away.
class ClusterPoliciesTest {
  private static final Filter A = new Filter.Exists(AttributeName.of("a"));
  private static final Filter B = new Filter.Exists(AttributeName.of("b"));
  private static final long DAY_NANOS = Duration.ofDays(1).toNanos();

  private final MemoryKeyspace memory = new MemoryKeyspace();
  private long now = 1_764_000_000_000L;

  private ClusterPolicies policies(Keyspace keyspace) {
    return new ClusterPolicies(keyspace, () -> now, this::pause);
  }

  private void pause(long nanos) {
    now += nanos / 1_000_000;
    memory.setClockMillis(now);
  }

  @Test
  void aChangeIsInForceAtAnotherDaemonWithinTenSeconds() {
    ClusterPolicies a = policies(memory);
    ClusterPolicies b = policies(memory);
    b.refreshIfDue();
    a.set(null, Duration.ofDays(7));
    a.set("cpu", null);
    assertEquals(Duration.ofDays(7), a.of("log"));
    assertNull(b.of("log"));

    now += 9_999;
    b.refreshIfDue();
    assertNull(b.of("log"), "not asked again before ten seconds are over");
    now += 1;
    b.refreshIfDue();
    assertEquals(Duration.ofDays(7), b.of("log"));
    assertNull(b.of("cpu"));
  }

  @Test
  void aBucketExpiresAtItsEndPlusRetentionAndComesBackWhenItIsRaised() {
    ClusterPolicies policies = policies(memory);
    policies.set(null, Duration.ofDays(7));
    long end = 20_000 * DAY_NANOS;
    assertFalse(policies.isExpired("log", end, end + 7 * DAY_NANOS - 1));
    assertTrue(policies.isExpired("log", end, end + 7 * DAY_NANOS));
    policies.set("log", Duration.ofDays(8));
    assertFalse(policies.isExpired("log", end, end + 7 * DAY_NANOS));
    policies.set("log", null);
    assertFalse(policies.isExpired("log", end, Long.MAX_VALUE));
  }

  @Test
  void theShortestRetentionOfAllTypesIsKnown() {
    ClusterPolicies policies = policies(memory);
    assertEquals(Long.MAX_VALUE, policies.shortestNanos());
    policies.set("log", Duration.ofDays(7));
    assertEquals(7 * DAY_NANOS, policies.shortestNanos());
    policies.set("cpu", Duration.ofDays(3));
    policies.set(null, Duration.ofDays(9));
    assertEquals(3 * DAY_NANOS, policies.shortestNanos());
    policies.set("cpu", null);
    policies.set("log", null);
    assertEquals(9 * DAY_NANOS, policies.shortestNanos());
    policies.set(null, null);
    assertEquals(Long.MAX_VALUE, policies.shortestNanos());
  }

  @Test
  void nothingExpiresBeforeAnyPolicyWasRead() {
    new ClusterPolicies(memory, () -> now).set(null, Duration.ofDays(1));
    ClusterPolicies policies = policies(memory);
    assertNull(policies.known());
    assertFalse(policies.isExpired("log", 0, Long.MAX_VALUE));
    policies.refresh().join();
    assertTrue(policies.isExpired("log", 0, Long.MAX_VALUE));
  }

  private static FilteredRetention filtered(String where, Filter filter, int days) {
    return new FilteredRetention(
        new RetentionPolicy(
            "shop.*",
            Duration.ofDays(days),
            RetentionPolicy.UNLIMITED,
            Duration.ZERO,
            RetentionPolicy.Source.API),
        where,
        filter,
        1_764_000_000_000_000_000L);
  }

  @Test
  void policiesWithAFilterAreSharedToo() {
    ClusterPolicies a = policies(memory);
    ClusterPolicies b = policies(memory);
    a.set(filtered("exists a", A, 1));
    a.set(filtered("exists\n a", A, 2));
    a.set(filtered("exists a", A, 3));
    a.set(filtered("exists b", B, 4));
    b.refresh().join();
    List<FilteredRetention> expected =
        List.of(filtered("exists a", A, 3), filtered("exists b", B, 4));
    assertEquals(expected, a.filtered());
    assertEquals(expected, b.filtered());
    assertNull(b.of("shop.a"), "others stay");
    b.unset("shop.*", new Where("(exists b)", B));
    expected = List.of(filtered("exists a", A, 3));
    assertEquals(expected, b.filtered());
    assertThrows(IllegalArgumentException.class, () -> b.unset("shop.*", new Where("exists b", B)));
    memory.policy(ClusterPolicies.FILTERED, "1\nx= shop.* PT1H exists a\n").join();
    assertThrows(CompletionException.class, () -> b.refresh().join());
    assertEquals("policy retention.filtered has the line 'x= shop.* PT1H exists a'", b.trouble());
    assertEquals(expected, b.filtered(), "the last that was read");
  }

  @Test
  void theLastKnownPolicyCountsWhileTheClusterIsAway() {
    boolean[] away = {false};
    Keyspace keyspace =
        WatchedKeyspace.of(
            memory,
            (_, _, inner) ->
                away[0]
                    ? CompletableFuture.failedFuture(
                        new KeyspaceException(KeyspaceException.Kind.UNREACHABLE, "no node"))
                    : inner.call());
    ClusterPolicies policies = policies(keyspace);
    policies.set(null, Duration.ofDays(1));
    away[0] = true;
    assertThrows(CompletionException.class, () -> policies.refresh().join());
    assertEquals("policies cannot be read: no node", policies.trouble());
    assertThrows(KeyspaceException.class, () -> policies.set(null, Duration.ofDays(2)));
    assertEquals(Duration.ofDays(1), policies.of("log"));
    away[0] = false;
    policies.refresh().join();
    assertNull(policies.trouble());
  }

  @Test
  void aTextOfANewerProgramChangesNothing() {
    ClusterPolicies policies = policies(memory);
    policies.set(null, Duration.ofDays(1));
    memory.policy(ClusterPolicies.RETENTION, "2\n* P1D\n").join();
    assertThrows(CompletionException.class, () -> policies.refresh().join());
    assertEquals(
        "policy retention of version '2'; this program knows version 1", policies.trouble());
    assertThrows(IllegalArgumentException.class, () -> policies.set(null, null));
    assertEquals("2\n* P1D\n", memory.policies().join().get(ClusterPolicies.RETENTION));
    assertEquals(Duration.ofDays(1), policies.of("log"));
  }

  @Test
  void twoProcessesThatChangeDifferentTypesKeepBoth() {
    policies(memory).set("a", Duration.ofDays(1));
    long before = now;
    policies(memory).set("b", Duration.ofDays(2));
    assertTrue(now > before, "the second one waited for the lease of the first");
    ClusterPolicies third = policies(memory);
    third.refresh().join();
    assertEquals(Duration.ofDays(1), third.of("a"));
    assertEquals(Duration.ofDays(2), third.of("b"));
  }

  /// The second one begins when the first one has read what it is about to change.
  @Test
  void aChangeInTheMiddleOfAnotherWaits() {
    List<Runnable> second =
        new ArrayList<>(
            List.of(() ->
                new ClusterPolicies(memory, () -> now, nanos -> now += nanos / 1_000_000)
                    .set("b", Duration.ofDays(2))));
    Keyspace keyspace =
        WatchedKeyspace.of(
            memory,
            (method, _, inner) -> {
              CompletableFuture<?> answer = inner.call();
              if (method.equals("policies") && !second.isEmpty()) {
                KeyspaceException waits =
                    assertThrows(KeyspaceException.class, second.removeFirst()::run);
                assertEquals(KeyspaceException.Kind.TIMEOUT, waits.kind);
              }
              return answer;
            });
    // The nodes' clock stands still: the first one has the lease for ever.
    new ClusterPolicies(keyspace, () -> now, nanos -> now += nanos / 1_000_000)
        .set("a", Duration.ofDays(1));
    assertTrue(second.isEmpty());
    ClusterPolicies third = policies(memory);
    third.refresh().join();
    assertEquals(Duration.ofDays(1), third.of("a"));
    assertNull(third.of("b"), "it was told that it was not changed");
  }

  @Test
  void aLateAnswerDoesNotUndoANewerOne() {
    CompletableFuture<Object> first = new CompletableFuture<>();
    int[] asked = {0};
    Keyspace keyspace =
        WatchedKeyspace.of(memory, (_, _, inner) -> asked[0]++ == 0 ? first : inner.call());
    ClusterPolicies policies = policies(keyspace);
    CompletableFuture<Void> late = policies.refresh();
    memory.policy(ClusterPolicies.RETENTION, "1\n* PT24H\n").join();
    policies.refresh().join();
    first.complete(Map.of());
    late.join();
    assertEquals(Duration.ofDays(1), policies.of("log"));
  }

  @Test
  void theTextIsWhatTheDocumentationShows() {
    RetentionRules rules =
        RetentionRules.FOREVER
            .with(null, Duration.ofDays(7))
            .with("nginx.access", Duration.ofDays(30))
            .with("cpu", null)
            .with("a b*%\n", Duration.ofMillis(1_500));
    String text = "1\n* PT168H\na%20b%2A%25%0A PT1.5S\ncpu forever\nnginx.access PT720H\n";
    assertEquals(text, rules.text());
    assertEquals(rules, RetentionRules.parse(text));
    assertEquals(Duration.ofMillis(1_500), rules.shortest());
  }

  @Test
  void badAgesAndLinesAreRefusedWithTheValue() {
    ClusterPolicies policies = policies(memory);
    List<Duration> ages = List.of(Duration.ZERO, Duration.ofDays(-1), Duration.ofDays(80_000));
    for (Duration bad : ages) {
      assertEquals(
          "retention must be positive and at most 200 years, got " + bad,
          assertThrows(IllegalArgumentException.class, () -> policies.set(null, bad)).getMessage());
    }
    for (String bad : List.of("* 7d", "* PT0S", "cpu", "a b c")) {
      assertEquals(
          "policy retention has the line '%s'".formatted(bad),
          assertThrows(
                  IllegalArgumentException.class, () -> RetentionRules.parse("1\n" + bad + "\n"))
              .getMessage());
    }
    for (String bad : List.of("a%2", "a%ff")) {
      assertEquals(
          "not an escaped name: " + bad,
          assertThrows(IllegalArgumentException.class, () -> EscapedName.parse(bad)).getMessage());
    }
  }
}
