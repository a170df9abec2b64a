package io.widerow.storage.cassandra.maintenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.event.Bucket;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.storage.cassandra.keyspace.BucketRow;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cassandra.keyspace.Stamp;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Dropping buckets past retention: when, what, how often, and what holds it back.
class RetentionSweeperTest {
  private static final long HOUR = Duration.ofHours(1).toMillis();
  private static final long DAY = Duration.ofDays(1).toMillis();
  private static final int START_MINUTES = 29_400_000; // of the first bucket

  private final MemoryKeyspace memory = new MemoryKeyspace();
  private final List<String> deletes = new ArrayList<>();
  private int failures;
  private long now = (START_MINUTES + 60) * 60_000L;
  private ClusterPolicies policies = policies(memory);
  private RetentionSweeper sweeper = sweeper(memory);

  private ClusterPolicies policies(Keyspace keyspace) {
    return new ClusterPolicies(keyspace, () -> now, nanos -> now += nanos / 1_000_000);
  }

  private RetentionSweeper sweeper(Keyspace keyspace) {
    Keyspace watched =
        WatchedKeyspace.of(
            keyspace,
            (statement, arguments, inner) -> {
              if (statement.equals("deletePartition")) {
                deletes.add(arguments[0].toString());
              }
              return inner.call();
            });
    return new RetentionSweeper(
        watched,
        policies,
        new Leases(watched, 0, () -> now),
        new ClockCheck(watched, () -> now),
        () -> now,
        new UpkeepCounters());
  }

  @BeforeEach
  void aDaemonIsAlive() {
    memory.begin(0, null, new UUID(3, 4), "host", 1, 0).join();
    alive(0);
  }

  private void alive(long oldest) {
    memory.seen(0, oldest, now).join();
  }

  /// A bucket of an hour with events of each of two shards.
  private PartitionKey bucket(int hour, String type) {
    PartitionKey key = new PartitionKey(START_MINUTES + 60 * hour, 60, type, 0);
    memory.addBucket(new BucketRow(Bucket.of(key), type, 2)).join();
    for (int shard = 0; shard < 2; shard++) {
      row(new PartitionKey(key.bucketMinutes(), 60, type, shard), Stamp.of(1, 1));
    }
    return key;
  }

  private void row(PartitionKey key, long stamp) {
    EventId id = EventId.leastOf(key.fromNanos());
    SegmentKey segment = new SegmentKey(key, SegmentKey.APPLIED, 0, stamp, 0);
    DirectoryRow row = new DirectoryRow(segment, id, id, 1, 3, false, 0);
    memory.write(row, ByteBuffer.wrap(new byte[] {1, 2, 3}), 0).join();
  }

  private boolean isThere(PartitionKey key) {
    return !memory.directory(key).join().rows().isEmpty();
  }

  private void sweep(RetentionSweeper by) {
    policies.refresh().join();
    memory.setClockMillis(now);
    Writers writers = new Writers(memory.daemons().join(), now);
    try {
      for (int i = 0; by.step(writers); i++) {
        assertTrue(i < 10_000, "a sweep without end");
      }
    } catch (KeyspaceException failed) {
      failures++;
    }
  }

  /// Lets time pass, with a sweep each hour.
  private void pass(long millis) {
    for (long until = now + millis; now < until; ) {
      now += HOUR;
      alive(0);
      sweep(sweeper);
    }
  }

  @Test
  void aBucketIsDroppedWhenItsEndPlusRetentionIsPast() {
    PartitionKey old = bucket(0, "log");
    PartitionKey kept = bucket(0, "cpu");
    PartitionKey young = bucket(1, "log");
    policies.set(null, Duration.ofHours(10));
    policies.set("cpu", null);
    now += 10 * HOUR + RetentionSweeper.DELAY_MILLIS - 1;
    alive(0);
    sweep(sweeper);
    assertTrue(isThere(old));

    now += 60_001;
    alive(0);
    sweep(sweeper);
    assertFalse(isThere(old));
    assertEquals(List.of(old.toString(), old.toString().replace("|0", "|1")), deletes);
    assertTrue(isThere(kept));
    assertTrue(isThere(young));
    assertEquals(2, memory.buckets(span(old)).join().size(), "the catalog still names it");
  }

  private static String span(PartitionKey key) {
    return key.toString().substring(0, key.toString().indexOf('|'));
  }

  @Test
  void aChangeOfThePolicyWaitsForAMinuteAndCanBeTakenBack() {
    PartitionKey old = bucket(0, "log");
    now += 100 * HOUR;
    alive(0);
    policies.set(null, Duration.ofHours(10));
    assertTrue(policies.isExpired("log", old.untilNanos(), now * 1_000_000), "hidden at once");
    now += RetentionSweeper.DELAY_MILLIS - 1;
    sweep(sweeper);
    policies.set(null, Duration.ofHours(1_000));
    assertFalse(policies.isExpired("log", old.untilNanos(), now * 1_000_000));
    now += HOUR;
    alive(0);
    sweep(sweeper);
    assertTrue(isThere(old));
    assertEquals(List.of(), deletes);
  }

  @Test
  void aDroppedBucketIsDeletedEachDayForTenDaysAndThenLeavesTheCatalog() {
    PartitionKey old = bucket(0, "log");
    PartitionKey kept = bucket(0, "cpu");
    policies.set("log", Duration.ofHours(1));
    pass(2 * HOUR);
    assertEquals(2, deletes.size());
    row(old, Stamp.of(1, 1)); // a node that was away brings it back
    pass(2 * DAY);
    assertFalse(isThere(old));
    assertTrue(deletes.size() >= 6, deletes::toString);

    sweeper = sweeper(memory); // another daemon goes on
    pass(6 * DAY);
    assertEquals(2, memory.buckets(span(old)).join().size());
    row(old, Stamp.of(1, 1));
    pass(4 * DAY);
    assertFalse(isThere(old));
    assertEquals(
        List.of("cpu"), memory.buckets(span(old)).join().stream().map(BucketRow::type).toList());
    assertEquals(List.of(span(old)), memory.spans().join());
    int before = deletes.size();
    assertTrue(before <= 2 * 14, deletes::toString);
    pass(3 * DAY);
    assertEquals(before, deletes.size());
    assertTrue(isThere(kept));
  }

  @Test
  void aSpanLeavesTheCatalogWithItsLastBucket() {
    bucket(0, "log");
    bucket(30 * 24, "log");
    policies.set(null, Duration.ofHours(1));
    pass(12 * DAY);
    assertEquals(1, memory.spans().join().size());
  }

  @Test
  void retentionRaisedMeanwhileStartsTheTenDaysAgain() {
    PartitionKey old = bucket(0, "log");
    policies.set(null, Duration.ofHours(1));
    pass(5 * DAY);
    policies.set(null, null);
    pass(3 * DAY);
    policies.set(null, Duration.ofDays(365));
    pass(3 * DAY);
    policies.set(null, Duration.ofHours(1));
    pass(8 * DAY);
    assertEquals(1, memory.buckets(span(old)).join().size());
    pass(3 * DAY);
    assertEquals(0, memory.buckets(span(old)).join().size());
  }

  @Test
  void unappliedEventsAndSilentDaemonsHoldADropBackForTenDaysAtMost() {
    PartitionKey old = bucket(0, "log");
    policies.set(null, Duration.ofHours(1));
    long expiry = now + HOUR;
    now += 2 * HOUR;
    alive(expiry - 1);
    sweep(sweeper);
    assertTrue(isThere(old));
    String paused = present(sweeper.paused());
    assertTrue(paused.contains("daemon 0 (host) has not applied events of"), paused);

    now += 2 * HOUR; // silent
    sweep(sweeper);
    assertTrue(isThere(old));
    assertTrue(present(sweeper.paused()).contains("daemon 0 (host) is silent since"));

    now = expiry + RetentionSweeper.GRACE_MILLIS;
    sweep(sweeper);
    assertFalse(isThere(old));
    assertNull(sweeper.paused());
  }

  private static String present(@Nullable String text) {
    assertNotNull(text);
    return text;
  }

  @Test
  void aReleasedDaemonHoldsNothingBack() {
    PartitionKey old = bucket(0, "log");
    policies.set(null, Duration.ofHours(1));
    DaemonRow row = memory.daemons().join().getFirst();
    memory.begin(0, row, null, "host", 1, 0).join();
    now += 2 * HOUR;
    sweep(sweeper);
    assertFalse(isThere(old));
  }

  @Test
  void anotherOneWithTheLeaseSweepsAlone() {
    PartitionKey old = bucket(0, "log");
    policies.set(null, Duration.ofHours(1));
    now += 2 * HOUR;
    alive(0);
    memory.setClockMillis(now);
    memory.lease("sweep", 7, Duration.ofSeconds(60)).join();
    sweep(sweeper);
    assertTrue(isThere(old));
    now += 61_000;
    alive(0);
    sweep(sweeper);
    assertFalse(isThere(old));
  }

  @Test
  void killedAnywhereTheNextSweepEndsAtTheSame() {
    for (int at = 0; at < 400; at++) {
      for (boolean made : new boolean[] {false, true}) {
        if (!sweepKilledAt(at, made)) {
          assertTrue(at > 30, "statements of a sweep: " + at);
          return;
        }
      }
    }
    throw new AssertionError("a sweep without end");
  }

  /// False when it was not killed.
  private static boolean sweepKilledAt(int at, boolean made) {
    RetentionSweeperTest test = new RetentionSweeperTest();
    test.aDaemonIsAlive();
    PartitionKey old = test.bucket(0, "log");
    PartitionKey kept = test.bucket(0, "cpu");
    PartitionKey alone = test.bucket(1, "log");
    test.policies.set("log", Duration.ofHours(1));
    test.pass(11 * DAY);
    test.row(old, Stamp.of(1, 9));
    boolean killed = false;
    test.sweeper =
        test.sweeper(WatchedKeyspace.of(test.memory, WatchedKeyspace.killedAt(at, made)));
    try {
      test.pass(2 * DAY);
    } catch (WatchedKeyspace.Killed _) {
      killed = true;
    }
    test.sweeper = test.sweeper(test.memory);
    test.pass(3 * DAY);
    assertFalse(test.isThere(old));
    assertFalse(test.isThere(alone));
    assertTrue(test.isThere(kept));
    assertEquals(List.of(span(old)), test.memory.spans().join());
    assertEquals(1, test.memory.buckets(span(old)).join().size());
    return killed;
  }

  @Test
  void aClockThatJumpsWhileSweepingDropsNothing() {
    boolean dropped = false;
    for (int at = 0; !dropped; at++) {
      assertTrue(at < 100);
      RetentionSweeperTest test = new RetentionSweeperTest();
      test.aDaemonIsAlive();
      PartitionKey old = test.bucket(0, "log");
      PartitionKey kept = test.bucket(30, "log");
      test.policies.set("log", Duration.ofHours(1));
      long right = test.now + 2 * HOUR;
      int[] seen = {0};
      int jumpsAt = at;
      test.sweeper =
          test.sweeper(
              WatchedKeyspace.of(
                  test.memory,
                  (_, _, inner) -> {
                    test.now += seen[0]++ == jumpsAt ? 400 * DAY : 0;
                    return inner.call();
                  }));
      test.now = right;
      test.alive(0);
      test.sweep(test.sweeper);
      dropped = test.now == right;
      assertTrue(test.isThere(kept), "jumped at " + at);
      test.now = right + HOUR; // somebody corrects it
      test.alive(0);
      test.sweep(test.sweeper);
      assertTrue(test.isThere(kept), "corrected after a jump at " + at);
      test.pass(2 * HOUR);
      assertFalse(test.isThere(old));
    }
  }

  @Test
  void aFailedStatementIsTriedAgain() {
    for (int at = 0; ; at++) {
      assertTrue(at < 400, "a sweep without end");
      RetentionSweeperTest test = new RetentionSweeperTest();
      test.aDaemonIsAlive();
      PartitionKey old = test.bucket(0, "log");
      PartitionKey kept = test.bucket(0, "cpu");
      test.policies.set("log", Duration.ofHours(1));
      int[] seen = {0};
      int failsAt = at;
      test.sweeper =
          test.sweeper(
              WatchedKeyspace.of(
                  test.memory,
                  (_, _, inner) ->
                      seen[0]++ == failsAt
                          ? CompletableFuture.failedFuture(
                              new KeyspaceException(KeyspaceException.Kind.TIMEOUT, "no answer"))
                          : inner.call()));
      test.pass(2 * HOUR);
      boolean failed = test.failures > 0;
      test.pass(8 * DAY);
      test.row(old, Stamp.of(1, 1));
      test.pass(5 * DAY);
      assertFalse(test.isThere(old));
      assertTrue(test.isThere(kept));
      assertEquals(1, test.memory.buckets(span(old)).join().size());
      if (!failed) {
        assertTrue(at > 5, "statements of a sweep: " + at);
        return;
      }
    }
  }

  @Test
  void whatIsAppliedWhileTheCatalogIsCleanedStaysInIt() {
    for (int at = 0; at < 400; at++) {
      if (!applyDuringSweepAt(at)) {
        return;
      }
    }
    throw new AssertionError("a sweep without end");
  }

  /// A daemon applies to the bucket, and to another type of the span, just before a statement, and
  /// the sweeper is killed right after it.
  private static boolean applyDuringSweepAt(int at) {
    RetentionSweeperTest test = new RetentionSweeperTest();
    test.aDaemonIsAlive();
    PartitionKey old = test.bucket(0, "log");
    test.policies.set("log", Duration.ofHours(1));
    test.pass(10 * DAY);
    int[] seen = {0};
    boolean[] applied = {false};
    PartitionKey[] late = {old};
    test.sweeper =
        test.sweeper(
            WatchedKeyspace.of(
                test.memory,
                (_, _, inner) -> {
                  if (seen[0]++ != at) {
                    return inner.call();
                  }
                  applied[0] = true;
                  late[0] = test.bucket(0, "late");
                  inner.call();
                  throw new WatchedKeyspace.Killed();
                }));
    try {
      test.pass(2 * DAY);
    } catch (WatchedKeyspace.Killed _) {
      assertTrue(applied[0]);
    }
    test.sweeper = test.sweeper(test.memory);
    test.pass(3 * DAY);
    if (applied[0]) {
      assertTrue(test.isThere(late[0]));
      assertEquals(List.of(span(old)), test.memory.spans().join(), "at statement " + at);
      assertEquals(
          List.of("late"),
          test.memory.buckets(span(old)).join().stream().map(BucketRow::type).toList(),
          "at statement " + at);
    }
    return applied[0];
  }

  @Test
  void theLogIsReadAsItWasWritten() {
    PartitionKey key = new PartitionKey(START_MINUTES, 60, "a b|c", 0);
    SweepLog log =
        SweepLog.EMPTY
            .with(new SweepLog.Pass(1, RetentionRules.FOREVER), 100)
            .with(new SweepLog.Pass(50, RetentionRules.FOREVER.with("x", Duration.ofDays(1))), 100)
            .removing(List.of(new BucketRow(Bucket.of(key), "a b|c", 32_768)), span(key));
    assertEquals(log, SweepLog.parse(log.text()));
    assertEquals(SweepLog.EMPTY, SweepLog.parse(SweepLog.EMPTY.text()));
    assertThrows(IllegalArgumentException.class, () -> SweepLog.parse("2\n"));
    assertThrows(IllegalArgumentException.class, () -> SweepLog.parse("1\nwhat\n"));
  }
}
