package io.widerow.storage.cassandra.maintenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// When upkeep merges, drops and deletes, and what it says of it.
class UpkeepTest {
  private static final long MINUTE = 60_000;
  private static final long END = TestCluster.PARTITION.untilNanos() / 1_000_000;
  private static final Duration MERGE_AFTER = Duration.ofMinutes(5);

  private final TestCluster cluster = new TestCluster(new Random(3), 2);
  private long now = END + 5 * MINUTE;
  private ClusterPolicies policies = new ClusterPolicies(cluster.memory, () -> now);
  private Upkeep upkeep = upkeep(cluster.memory);

  private Upkeep upkeep(Keyspace keyspace) {
    policies = new ClusterPolicies(keyspace, () -> now, nanos -> now += nanos / 1_000_000);
    return new Upkeep(keyspace, 0, policies, MERGE_AFTER, () -> now);
  }

  @BeforeEach
  void roundsAreApplied() {
    for (int round = 0; round < 4; round++) {
      cluster.apply(round % 2, 30, round);
    }
    alive(0);
  }

  private void alive(long oldest) {
    cluster.memory.seen(0, 0, now).join();
    cluster.memory.seen(1, oldest, now).join();
  }

  private void run() {
    cluster.memory.setClockMillis(now);
    policies.refresh().join();
    for (int i = 0; i < 100 && upkeep.run(Duration.ofSeconds(5)); i++) {
      assertTrue(i < 99, "there is always more to do");
    }
  }

  private long merges() {
    return upkeep.status().merges();
  }

  private long appliedRows() {
    return cluster.directory().rows().stream()
        .map(DirectoryRow::key)
        .filter(key -> key.tier() == SegmentKey.APPLIED)
        .count();
  }

  @Test
  void whatWaitsToBeMergedIsCounted() {
    upkeep.touched(TestCluster.PARTITION);
    now -= 1;
    assertEquals(0, upkeep.status().waiting(), "it is merged when it is closed");
    now += 1;
    assertEquals(1, upkeep.status().waiting());
    run();
    assertEquals(1, merges());
    assertEquals(0, upkeep.status().waiting());
  }

  @Test
  void aClosedBucketIsMergedAndAMinuteLaterWhatItCoversIsDeleted() {
    now -= 1;
    run();
    assertEquals(0, merges());
    now += MINUTE;
    alive(0);
    run();
    assertEquals(1, merges());
    assertTrue(appliedRows() > 0, "running queries still find them");
    assertEquals(now, upkeep.status().lastMergeMillis());
    now += MINUTE;
    run();
    assertEquals(0, appliedRows());
    assertTrue(upkeep.status().segmentsDeleted() > 0);
    ClusterMergerTest.requireAnswers(cluster, "after all");
    assertEquals(List.of(), upkeep.status().trouble());
    now += 60 * MINUTE;
    run();
    assertEquals(1, merges(), "nothing new");
  }

  @Test
  void deletesThatADeadDaemonOwedAreMadeByAnother() {
    run();
    assertTrue(appliedRows() > 0);
    upkeep = upkeep(cluster.memory); // restarted
    now += 11 * MINUTE;
    alive(0);
    run();
    assertTrue(appliedRows() > 0, "first it waits for a minute");
    now += MINUTE;
    run();
    assertEquals(0, appliedRows());
  }

  @Test
  void unappliedEventsHoldAMergeBackForTenMinutesAtMost() {
    alive(END - 1);
    run();
    assertEquals(0, merges());
    assertTrue(
        upkeep.status().paused().getFirst().contains("daemon 1 (host1) has not applied events"),
        () -> upkeep.status().toString());
    now += 2 * MINUTE;
    alive(END);
    run();
    assertEquals(1, merges());
    assertEquals(List.of(), upkeep.status().paused());
  }

  @Test
  void aSilentDaemonHoldsAMergeBackForTenMinutesAtMost() {
    now += 3 * MINUTE;
    run();
    assertEquals(0, merges());
    now = END + 15 * MINUTE;
    run();
    assertEquals(1, merges());
    ClusterMergerTest.requireAnswers(cluster, "after all");
  }

  @Test
  void lateRoundsAreMergedWhenThereAreEightOrAfterAnHour() {
    run();
    now += MINUTE;
    run();
    cluster.apply(0, 5, 3);
    upkeep.touched(TestCluster.PARTITION);
    now += MINUTE;
    alive(0);
    run();
    assertEquals(1, merges());
    now += 60 * MINUTE;
    alive(0);
    run();
    assertEquals(2, merges());
    for (int round = 0; round < MergeSchedule.LATE_SEGMENTS; round++) {
      cluster.apply(round % 2, 5, 3);
    }
    upkeep.touched(TestCluster.PARTITION);
    now += MINUTE;
    alive(0);
    run();
    assertEquals(3, merges());
    ClusterMergerTest.requireAnswers(cluster, "after late rounds");
  }

  @Test
  void aTrickleDoesNotWriteALargePartitionAgainEachMinute() {
    cluster.apply(cluster.memory, 0, cluster.round(0, 8_000, -1), 1_000);
    run();
    assertEquals(1, merges());
    for (int i = 0; i < 12; i++) {
      for (int round = 0; round < MergeSchedule.LATE_SEGMENTS; round++) {
        cluster.apply(round % 2, 1, 3);
      }
      upkeep.touched(TestCluster.PARTITION);
      now += MINUTE;
      alive(0);
      run();
    }
    long merges = merges();
    assertTrue(merges >= 2 && merges <= 7, "merges in twelve minutes: " + merges);
  }

  @Test
  void lateRoundsOfADaemonThatIsGoneAreFound() {
    run();
    cluster.apply(0, 5, 3);
    for (int i = 0; i < 300; i++) { // five hours
      now += MINUTE;
      alive(0);
      run();
    }
    assertEquals(2, merges());
    assertEquals(0, appliedRows());
  }

  @Test
  void nothingIsDoneWhileTheClocksDiffer() {
    policies.set(null, Duration.ofMinutes(1));
    for (long skew : new long[] {-10_001, 10_001}) {
      cluster.memory.setClockMillis(now + skew);
      upkeep.run(Duration.ofSeconds(5));
      assertEquals(-skew, upkeep.status().skewMillis());
      assertEquals(
          List.of(
              "merging and sweeping wait: this machine's clock and that of the nodes differ by"
                  + " 10001 ms, more than 10000"),
          upkeep.status().paused());
    }
    assertEquals(0, merges());
    assertTrue(appliedRows() > 0);
    policies.set(null, null);
    cluster.memory.setClockMillis(now + 10_000);
    upkeep.run(Duration.ofSeconds(5));
    assertEquals(1, merges());
  }

  @Test
  void whatExpiresSoonIsNotMergedAndIsDropped() {
    policies.set(null, Duration.ofMinutes(30));
    run();
    assertEquals(0, merges());
    now = END + 32 * MINUTE;
    alive(0);
    run();
    assertEquals(1, upkeep.status().partitionsDropped());
    assertEquals(now, upkeep.status().lastSweepMillis());
    assertEquals(List.of(), cluster.directory().rows());
    cluster.apply(1, 5, 3); // a late round of the dropped bucket
    now += 25 * 60 * MINUTE;
    alive(0);
    run();
    assertEquals(List.of(), cluster.directory().rows(), "dropped again");
  }

  @Test
  void aFailureIsToldAndTriedAgain() {
    boolean[] away = {true};
    upkeep =
        upkeep(
            WatchedKeyspace.of(
                cluster.memory,
                (statement, _, inner) ->
                    away[0] && statement.equals("swap")
                        ? CompletableFuture.failedFuture(
                            new KeyspaceException(KeyspaceException.Kind.UNREACHABLE, "no quorum"))
                        : inner.call()));
    cluster.memory.setClockMillis(now);
    policies.refresh().join();
    assertFalse(upkeep.run(Duration.ofSeconds(5)));
    assertEquals(List.of("merging: no quorum"), upkeep.status().trouble());
    ClusterMergerTest.requireAnswers(cluster, "after a failure");
    away[0] = false;
    now += 2 * MINUTE;
    alive(0);
    run();
    assertEquals(1, merges());
    now += MINUTE;
    run();
    assertEquals(0, appliedRows());
    assertEquals(List.of(), upkeep.status().trouble());
  }

  @Test
  void aPolicyOfANewerProgramStopsSweepingOnly() {
    policies.set(null, Duration.ofDays(1));
    cluster.memory.policy(SweepLog.NAME, "2\n").join();
    now += 2 * MINUTE;
    alive(0);
    run();
    assertEquals(1, merges());
    assertEquals(List.of("sweeping: policy sweeps of version '2'"), upkeep.status().trouble());
  }

  @Test
  void oneRunAtATimeOnTheOwnersThreads() {
    List<Runnable> tasks = new ArrayList<>();
    cluster.memory.setClockMillis(now);
    upkeep.maintain(tasks::add);
    upkeep.maintain(tasks::add);
    assertEquals(1, tasks.size());
    tasks.getFirst().run();
    assertEquals(1, merges());
    upkeep.maintain(tasks::add);
    assertEquals(2, tasks.size());
    tasks.get(1).run();
    upkeep.close();
    upkeep.maintain(tasks::add);
    assertEquals(2, tasks.size());
  }
}
