package io.widerow.storage.cassandra.maintenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.RetentionPolicy;
import io.widerow.faults.TestEvent;
import io.widerow.storage.Filter;
import io.widerow.storage.FilteredRetention;
import io.widerow.storage.RetentionSettings.Where;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: merges remove the events that a policy with a filter has hidden for good, and no other:
/// not before the age and the grace, not when the policy is gone, not events with ids of clients.
/// Method: the upkeep of a daemon over generated events, by its clock; what is left is compared
/// with the events that were applied; kills at each statement.
class FilteredRemovalTest {
  private static final long MINUTE = 60_000;
  private static final long END = TestCluster.PARTITION.untilNanos() / 1_000_000;
  private static final AttributeName N = AttributeName.of("n");

  private final TestCluster cluster = new TestCluster(new Random(5), 2);
  private long now = END + 5 * MINUTE;
  private ClusterPolicies policies = new ClusterPolicies(cluster.memory, () -> now);
  private Upkeep upkeep = upkeep(cluster.memory);

  private Upkeep upkeep(Keyspace keyspace) {
    policies = new ClusterPolicies(keyspace, () -> now, nanos -> now += nanos / 1_000_000);
    return new Upkeep(keyspace, 0, policies, Duration.ofMinutes(5), () -> now);
  }

  @BeforeEach
  void roundsAreApplied() {
    for (int round = 0; round < 4; round++) {
      cluster.apply(round % 2, 60, round);
    }
  }

  /// A policy for events with a lesser number.
  private FilteredRetention below(int limit, Duration age, Duration grace) {
    return new FilteredRetention(
        new RetentionPolicy(
            "l*", age, RetentionPolicy.UNLIMITED, grace, RetentionPolicy.Source.API),
        "n < " + limit,
        new Filter.Compare(N, Filter.Comparison.LESS, new Filter.Literal.Whole(limit)),
        now * 1_000_000);
  }

  private void run(int minutes) {
    for (int i = 0; i < minutes; i++) {
      now += MINUTE;
      cluster.memory.setClockMillis(now);
      cluster.memory.seen(0, 0, now).join();
      cluster.memory.seen(1, 0, now).join();
      policies.refresh().join();
      for (int step = 0; step < 100 && upkeep.run(Duration.ofSeconds(5)); step++) {
        assertTrue(step < 99, "there is always more to do");
      }
      assertEquals(List.of(), upkeep.status().trouble());
    }
  }

  private List<TestEvent> left() {
    return TestCluster.read(cluster.memory, TestCluster.view(cluster.memory), false);
  }

  /// The events that were applied, without those of Widerow's ids whose numbers go.
  private List<TestEvent> without(IntPredicate goes) {
    List<TestEvent> all =
        new ArrayList<>(cluster.expected(TestCluster.view(cluster.memory), false));
    all.removeIf(event -> event.version() == 0 && goes.test(number(event)));
    return all;
  }

  private static int number(TestEvent event) {
    return event.attributes().get(N) instanceof TestEvent.Bits(AttributeKind _, long bits)
        ? (int) bits
        : -1;
  }

  @Test
  void eventsGoOnceTheBucketIsOlderThanTheAgeAndTheGraceIsOver() {
    run(3);
    policies.set(below(500, Duration.ofHours(1), Duration.ofMinutes(15)));
    run(45);
    assertEquals(without(_ -> false), left(), "the bucket ended 53 minutes ago");
    run(20);
    List<TestEvent> expected = without(n -> n < 500);
    assertTrue(expected.size() < without(_ -> false).size() * 3 / 4, "many go");
    assertEquals(expected, left());
    assertEquals(without(_ -> false).size() - expected.size(), upkeep.status().eventsRemoved());
    long merges = upkeep.status().merges();
    run(60);
    assertEquals(merges, upkeep.status().merges(), "it is removed once");
    policies.set(below(600, Duration.ofHours(1), Duration.ofMinutes(15)));
    run(10);
    assertEquals(expected, left(), "within the grace of the new policy");
    policies.unset(
        "l*", new Where("n < 600", below(600, Duration.ofHours(1), Duration.ZERO).filter()));
    run(30);
    assertEquals(expected, left(), "it is gone");
    cluster.apply(1, 60, 7);
    upkeep.touched(TestCluster.PARTITION);
    run(70);
    assertEquals(without(n -> n < 500), left(), "late events of the merged bucket, too");
  }

  @Test
  void tooFewEventsStayHidden() {
    run(3);
    policies.set(below(20, Duration.ofHours(1), Duration.ZERO));
    run(120);
    assertEquals(without(_ -> false), left());
    assertEquals(0, upkeep.status().eventsRemoved());
  }

  @Test
  void oneEventStaysWhereAllWouldGo() {
    run(3);
    policies.set(below(1_000, Duration.ofHours(1), Duration.ZERO));
    run(120);
    List<TestEvent> own = without(_ -> true);
    assertEquals(own, left(), "those with ids of clients");
    TestCluster other = new TestCluster(new Random(1), 1);
    List<TestEvent> round = new ArrayList<>(other.round(0, 40, 1));
    round.removeIf(event -> event.version() != 0);
    other.apply(other.memory, 0, round, 40);
    ClusterMerger merger = ClusterMergerTest.merger(other.memory, 0, 1);
    FilteredRemoval all =
        FilteredRemoval.of(
            List.of(below(1_000, Duration.ofHours(1), Duration.ZERO)),
            TestCluster.PARTITION,
            Long.MAX_VALUE);
    var stamps = new Writers(other.memory.daemons().join(), 0).stamps();
    assertEquals(
        ClusterMerger.Outcome.MERGED,
        merger.merge(other.directory(), stamps, all, () -> true).outcome());
    assertEquals(
        List.of(round.getFirst()),
        TestCluster.read(other.memory, TestCluster.view(other.memory), false));
    assertEquals(0, merger.removable(other.directory(), all));
  }

  /// Removal is final, so it asks for the policy once more before the merge comes into force.
  @Test
  void aPolicyThatIsRemovedDuringTheMergeRemovesNothing() {
    FilteredRetention policy = below(500, Duration.ofHours(1), Duration.ZERO);
    boolean[] unset = {false};
    upkeep =
        upkeep(
            WatchedKeyspace.of(
                cluster.memory,
                (statement, _, inner) -> {
                  if (statement.equals("write") && !unset[0] && !policies.filtered().isEmpty()) {
                    unset[0] = true;
                    cluster.memory.policy(ClusterPolicies.FILTERED, "1\n").join();
                  }
                  return inner.call();
                }));
    run(3);
    policies.set(policy);
    run(120);
    assertTrue(unset[0], "a merge wrote without the events");
    assertEquals(without(_ -> false), left());
    assertEquals(0, upkeep.status().eventsRemoved());
  }

  @Test
  void killedAtAnyStatementAllOrNothingIsRemoved() {
    run(3);
    policies.set(below(500, Duration.ofHours(1), Duration.ZERO));
    now = END + 61 * MINUTE;
    List<TestEvent> all = without(_ -> false);
    List<TestEvent> kept = without(n -> n < 500);
    boolean killed = true;
    int kills = 0;
    for (int at = 0; killed; at++) {
      upkeep = upkeep(WatchedKeyspace.of(cluster.memory, WatchedKeyspace.killedAt(at, true)));
      try {
        run(2);
        killed = false;
      } catch (WatchedKeyspace.Killed _) {
        kills++;
      }
      List<TestEvent> left = left();
      assertTrue(left.equals(all) || left.equals(kept), "killed at " + at);
    }
    assertTrue(kills > 10, kills + " kills");
    upkeep = upkeep(cluster.memory);
    run(30);
    assertEquals(kept, left());
  }
}
