package io.widerow.storage.cassandra.maintenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.PartitionKey;
import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import io.widerow.faults.TestEvent;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import io.widerow.storage.cassandra.keyspace.Stamp;
import io.widerow.storage.cassandra.maintenance.ClusterMerger.Outcome;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/// Merges: the same answers before and after, wherever they are killed, and deletes by key.
class ClusterMergerTest {
  private static final int VALUE_BYTES = 3_000; // many parts

  static ClusterMerger merger(Keyspace keyspace, int daemon, long seed) {
    return new ClusterMerger(keyspace, daemon, new Random(seed), VALUE_BYTES, new UpkeepCounters());
  }

  /// One merge as a daemon makes it: view, directory, merge.
  static ClusterMerger.Merged merge(Keyspace keyspace, ClusterMerger merger) {
    Map<Integer, Long> stamps = new Writers(keyspace.daemons().join(), 0).stamps();
    return merger.merge(keyspace.directory(TestCluster.PARTITION).join(), stamps);
  }

  private static void clean(ClusterMerger merger, ClusterMerger.Merged merged) {
    merger.clean(TestCluster.PARTITION, merged);
  }

  static void requireAnswers(TestCluster cluster, String when) {
    ClusterArrivals view = TestCluster.view(cluster.memory);
    for (boolean descending : new boolean[] {false, true}) {
      assertEquals(
          cluster.expected(view, descending),
          TestCluster.read(cluster.memory, view, descending),
          when);
    }
  }

  @Test
  void everyAnswerIsTheSameBeforeAndAfterMergesWithLateDataBetween() {
    for (long seed : Seeds.of(Slice.of(1, 6))) {
      Random random = new Random(seed);
      TestCluster cluster = new TestCluster(random, 3);
      List<ClusterArrivals> views = new ArrayList<>();
      for (int merge = 0; merge < 4; merge++) {
        for (int round = 0; round < 12; round++) {
          cluster.apply(random.nextInt(3), 1 + random.nextInt(120), round);
          views.add(TestCluster.view(cluster.memory));
        }
        requireAnswers(cluster, "before merge " + merge);
        ClusterMerger merger = merger(cluster.memory, merge % 3, seed);
        ClusterMerger.Merged merged = merge(cluster.memory, merger);
        assertEquals(Outcome.MERGED, merged.outcome());
        assertTrue(merged.rows().size() > 1, "several parts");
        assertTrue(
            merged.rows().stream()
                .allMatch(row -> row.bytes() <= VALUE_BYTES || row.events() == 1));
        requireAnswers(cluster, "after merge " + merge);
        clean(merger, merged);
        requireAnswers(cluster, "after deletes " + merge);
        Directory directory = cluster.directory();
        assertEquals(merged.rows(), directory.rows(), "nothing else is left");
      }
      for (ClusterArrivals view : views) {
        requireOldAnswer(cluster, view, TestCluster.read(cluster.memory, view, false));
      }
    }
  }

  /// An old view shows what it showed, but for versions that were replaced since.
  static void requireOldAnswer(TestCluster cluster, ClusterArrivals view, List<TestEvent> answer) {
    List<TestEvent> expected = new ArrayList<>(cluster.expected(view, false));
    var shown = new HashSet<>(answer);
    expected.removeIf(event -> !shown.contains(event) && cluster.isReplacedAfter(view, event));
    assertEquals(expected, answer);
  }

  @Test
  void whatWasAppliedAfterTheViewStaysApplied() {
    TestCluster cluster = new TestCluster(new Random(1), 2);
    cluster.apply(0, 50, 1);
    Map<Integer, Long> stamps = new Writers(cluster.memory.daemons().join(), 0).stamps();
    cluster.apply(0, 50, 2);
    cluster.apply(1, 50, 3);
    ClusterMerger merger = merger(cluster.memory, 0, 1);
    ClusterMerger.Merged merged = merger.merge(cluster.directory(), stamps);
    assertEquals(Map.of(0, Stamp.of(1, 1)), cluster.directory().covered());
    clean(merger, merged);
    requireAnswers(cluster, "with later rounds");
    assertEquals(Outcome.MERGED, merge(cluster.memory, merger).outcome());
    assertEquals(Outcome.NOTHING, merge(cluster.memory, merger).outcome());
    assertEquals(Map.of(0, Stamp.of(1, 2), 1, Stamp.of(1, 1)), cluster.directory().covered());
  }

  @Test
  void killedAtAnyStatementNothingIsLostOrShownTwice() {
    int statements = 0;
    for (boolean made : new boolean[] {false, true}) {
      boolean killed = true;
      for (int at = 0; killed; at++) {
        TestCluster cluster = new TestCluster(new Random(7), 2);
        for (int round = 0; round < 8; round++) {
          cluster.apply(round % 2, 40, round);
        }
        ClusterMerger first = merger(cluster.memory, 0, 1);
        clean(first, merge(cluster.memory, first));
        for (int round = 0; round < 4; round++) {
          cluster.apply(round % 2, 40, round);
        }
        Keyspace mortal = WatchedKeyspace.of(cluster.memory, WatchedKeyspace.killedAt(at, made));
        try {
          ClusterMerger merger = merger(mortal, 1, 2);
          clean(merger, merge(mortal, merger));
          killed = false;
        } catch (WatchedKeyspace.Killed _) {
          statements++;
        }
        requireAnswers(cluster, "killed at " + at);
        cluster.apply(0, 10, 9);
        ClusterMerger next = merger(cluster.memory, at % 2, 3);
        ClusterMerger.Merged merged = merge(cluster.memory, next);
        assertEquals(Outcome.MERGED, merged.outcome());
        requireAnswers(cluster, "merged after a kill at " + at);
        clean(next, merged);
        requireAnswers(cluster, "cleaned after a kill at " + at);
        assertEquals(merged.rows(), cluster.directory().rows(), "nothing abandoned is left");
      }
    }
    assertTrue(statements > 30, "statements of a merge: " + statements);
  }

  @Test
  void aFailedStatementLeavesTheAnswersAsTheyWere() {
    boolean failed = true;
    for (int at = 0; failed; at++) {
      TestCluster cluster = new TestCluster(new Random(8), 2);
      for (int round = 0; round < 8; round++) {
        cluster.apply(round % 2, 40, round);
      }
      int[] seen = {0};
      int failsAt = at;
      Keyspace unreliable =
          WatchedKeyspace.of(
              cluster.memory,
              (_, _, inner) -> {
                CompletableFuture<?> answer =
                    inner.call(); // it was applied, and the answer is lost
                return seen[0]++ == failsAt
                    ? CompletableFuture.failedFuture(
                        new KeyspaceException(KeyspaceException.Kind.TIMEOUT, "no answer"))
                    : answer;
              });
      ClusterMerger merger = merger(unreliable, 0, 1);
      failed = false;
      try {
        clean(merger, merge(unreliable, merger));
      } catch (KeyspaceException | CompletionException _) {
        failed = true;
      }
      requireAnswers(cluster, "failed at " + at);
      ClusterMerger next = merger(cluster.memory, 0, 2);
      clean(next, merge(cluster.memory, next));
      requireAnswers(cluster, "again after " + at);
    }
  }

  @Test
  void aRowThatComesBackLateIsNotShownAndIsDeletedAgain() {
    TestCluster cluster = new TestCluster(new Random(9), 1);
    cluster.apply(0, 60, 1);
    Directory before = cluster.directory();
    DirectoryRow row = before.rows().getFirst();
    ByteBuffer value = cluster.memory.value(row.key(), true).join();
    ClusterMerger merger = merger(cluster.memory, 0, 1);
    clean(merger, merge(cluster.memory, merger));
    assertFalse(cluster.directory().rows().contains(row));
    cluster.memory.write(row, value, 0).join(); // a hint, a late retry
    requireAnswers(cluster, "with a row that came back");
    assertEquals(List.of(row), ClusterMerger.obsolete(cluster.directory()));
    clean(merger, ClusterMerger.Merged.UNKNOWN);
    assertFalse(cluster.directory().rows().contains(row));
    requireAnswers(cluster, "after the repeated delete");
  }

  @Test
  void aMergeUnderWayIsNotCleanedAndOneThatWasOvertakenIs() {
    TestCluster cluster = new TestCluster(new Random(10), 2);
    cluster.apply(0, 60, 1);
    Directory seen = cluster.directory();
    Map<Integer, Long> stamps = new Writers(cluster.memory.daemons().join(), 0).stamps();
    int slow = Generations.next(seen, 1, new Random(1));
    TestCluster.write(
        cluster.memory,
        new SegmentKey(TestCluster.PARTITION, SegmentKey.MERGED, 1, slow, 0),
        cluster.expected(TestCluster.view(cluster.memory), false));
    clean(merger(cluster.memory, 0, 1), ClusterMerger.Merged.UNKNOWN);
    assertEquals(
        seen.rows().size() + 1, cluster.directory().rows().size(), "it may come into force");

    ClusterMerger merger = merger(cluster.memory, 0, 2);
    ClusterMerger.Merged merged = merger.merge(cluster.directory(), stamps);
    assertTrue(Generations.rank(merged.generation()) > Generations.rank(slow));
    clean(merger, merged);
    assertEquals(merged.rows(), cluster.directory().rows());
    assertFalse(cluster.memory.swap(TestCluster.PARTITION, 0, slow, Map.of()).join());
  }

  @Test
  void nothingIsDeletedWhenTheMergeInForceIsNotWhole() {
    TestCluster cluster = new TestCluster(new Random(11), 1);
    cluster.apply(0, 300, -1);
    ClusterMerger merger = merger(cluster.memory, 0, 1);
    ClusterMerger.Merged merged = merge(cluster.memory, merger);
    SegmentKey lost = merged.rows().get(1).key();
    List<DirectoryRow> applied =
        cluster.directory().rows().stream().filter(row -> row.key().tier() == 0).toList();
    // A part in the middle, and then also the last ones, which only its writer misses.
    cluster.memory.delete(lost.partition(), 1, 0, lost.seq(), lost.seq()).join();
    assertThrows(StorageException.Corrupt.class, () -> clean(merger, ClusterMerger.Merged.UNKNOWN));
    TestCluster.write(
        cluster.memory,
        merged.rows().getFirst().key(),
        cluster.expected(TestCluster.view(cluster.memory), false).subList(0, 5));
    assertThrows(StorageException.Corrupt.class, () -> clean(merger, merged));
    assertTrue(cluster.directory().rows().containsAll(applied));
  }

  @Test
  void aDamagedOrMissingSourceIsNamedAndNothingIsChanged() {
    for (boolean missing : new boolean[] {false, true}) {
      TestCluster cluster = new TestCluster(new Random(12), 1);
      cluster.apply(0, 60, 1);
      SegmentKey bad = cluster.directory().rows().getFirst().key();
      Keyspace keyspace =
          WatchedKeyspace.of(
              cluster.memory,
              (statement, arguments, inner) -> {
                if (!statement.equals("value") || !arguments[0].equals(bad)) {
                  return inner.call();
                }
                ByteBuffer value = cluster.memory.value(bad, true).join();
                if (value == null || missing) {
                  return CompletableFuture.completedFuture(null);
                }
                value.put(value.limit() / 2, (byte) (value.get(value.limit() / 2) ^ 1));
                return CompletableFuture.completedFuture(value);
              });
      ClusterMerger merger = merger(keyspace, 0, 1);
      StorageException.Corrupt told =
          assertThrows(StorageException.Corrupt.class, () -> merge(keyspace, merger));
      assertTrue(told.toString().contains(": " + bad + ": corrupt"), told::toString);
      assertEquals(0, cluster.directory().generation());
      assertTrue(cluster.directory().rows().stream().allMatch(row -> row.key().tier() == 0));
      requireAnswers(cluster, "after a damaged source");
    }
  }

  @Test
  void aReplicaWithoutTheValueIsNotTheLastWord() {
    TestCluster cluster = new TestCluster(new Random(13), 1);
    cluster.apply(0, 60, 1);
    Keyspace keyspace =
        WatchedKeyspace.of(
            cluster.memory,
            (statement, arguments, inner) ->
                statement.equals("value") && arguments[1].equals(false)
                    ? CompletableFuture.completedFuture(null)
                    : inner.call());
    assertEquals(Outcome.MERGED, merge(keyspace, merger(keyspace, 0, 1)).outcome());
    requireAnswers(cluster, "with values that one replica lacks");
  }

  @Test
  void manyOverlappingRoundsAreMergedInSeveralMerges() {
    TestCluster cluster = new TestCluster(new Random(14), 2);
    int rounds = MergeSources.OPEN_MAX + 100;
    for (int round = 0; round < rounds; round++) {
      List<TestEvent> wide = new ArrayList<>(cluster.round(round % 2, 1, 0));
      wide.addAll(cluster.round(round % 2, 1, 59));
      wide.sort(Comparator.comparing(TestEvent::id));
      cluster.apply(cluster.memory, round % 2, wide, 40);
    }
    ClusterMerger merger = merger(cluster.memory, 0, 1);
    int merges = 0;
    Outcome outcome = Outcome.PARTLY;
    for (; outcome == Outcome.PARTLY; merges++) {
      ClusterMerger.Merged merged = merge(cluster.memory, merger);
      outcome = merged.outcome();
      requireAnswers(cluster, "after merge " + merges);
      clean(merger, merged);
      requireAnswers(cluster, "after deletes " + merges);
    }
    assertEquals(Outcome.MERGED, outcome);
    assertTrue(merges > 1, "merges: " + merges);
    assertTrue(cluster.directory().rows().stream().allMatch(row -> row.key().tier() == 1));
  }

  @Test
  void generationsRiseNameTheirWriterAndRunOut() {
    PartitionKey partition = TestCluster.PARTITION;
    Random random = new Random(15);
    int generation = 0;
    int merges = 0;
    while (true) {
      Directory directory = new Directory(partition, generation, Map.of(), List.of());
      int next = Generations.next(directory, 511, random);
      if (next < 0) {
        break;
      }
      assertTrue(Generations.rank(next) > Generations.rank(generation));
      assertEquals(511, next & 511);
      generation = next;
      merges++;
    }
    assertTrue(merges > 10_000, "merges: " + merges);
  }
}
