package io.widerow.storage.cassandra.maintenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Slice;
import io.widerow.faults.TestEvent;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.Damage;
import io.widerow.storage.cassandra.keyspace.Directory;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/// Two mergers, a daemon that applies, and a reader on one partition, interleaved at every
/// statement; and that a broken rule is found so.
class MergeRaceTest {
  private static final int SEEDS = 40;
  private static final int RACES = Slice.of(10, SEEDS);

  /// What happened in a race.
  private static final class Race {
    final TestCluster cluster;
    final Turns turns;
    final List<Callable<Void>> tasks = new ArrayList<>();
    final Random random;

    Race(long seed) {
      random = new Random(seed);
      cluster = new TestCluster(random, 2);
      turns = new Turns(random);
      for (int round = 0; round < 3; round++) {
        cluster.apply(round % 2, 20, round);
      }
    }

    void add(int task, UnaryOperator<Keyspace> plant, Task work) {
      Keyspace keyspace = plant.apply(turns.of(task, cluster.memory));
      tasks.add(() -> {
        work.on(keyspace);
        return null;
      });
    }

    void run() throws Exception {
      for (Throwable failure : turns.run(tasks)) {
        throw new AssertionError(failure);
      }
    }
  }

  @FunctionalInterface
  private interface Task {
    void on(Keyspace keyspace) throws Exception;
  }

  private static void merge(Keyspace keyspace, int daemon, long seed) {
    ClusterMerger merger =
        new ClusterMerger(keyspace, daemon, new Random(seed), 1_500, new UpkeepCounters());
    for (int i = 0; i < 2; i++) {
      ClusterMerger.Merged merged = ClusterMergerTest.merge(keyspace, merger);
      merger.clean(TestCluster.PARTITION, merged);
    }
  }

  private static void read(TestCluster cluster, Keyspace keyspace) {
    for (int i = 0; i < 3; i++) {
      ClusterArrivals view = TestCluster.view(keyspace);
      List<TestEvent> answer = TestCluster.read(keyspace, view, false);
      ClusterMergerTest.requireOldAnswer(cluster, view, answer);
    }
  }

  /// Fails when an answer is wrong on the way or at the end.
  private static void race(long seed, UnaryOperator<Keyspace> plant) throws Exception {
    Race race = new Race(seed);
    TestCluster cluster = race.cluster;
    List<List<TestEvent>> late = new ArrayList<>();
    for (int round = 0; round < 4; round++) {
      late.add(cluster.round(1, 20, round));
    }
    race.add(0, plant, keyspace -> merge(keyspace, 0, seed));
    race.add(1, plant, keyspace -> merge(keyspace, 1, seed));
    race.add(
        2,
        UnaryOperator.identity(),
        keyspace -> late.forEach(round -> cluster.apply(keyspace, 1, round, 8)));
    race.add(3, UnaryOperator.identity(), keyspace -> read(cluster, keyspace));
    race.run();

    ClusterMergerTest.requireAnswers(cluster, "after a race");
    List<Damage> damage =
        ClusterVerifier.verify(
                cluster.memory,
                new ClusterPolicies(cluster.memory, () -> 0),
                _ -> true,
                true,
                0,
                (_, _, _, _) -> {})
            .damage();
    assertEquals(List.of(), damage);
    ClusterMerger last = ClusterMergerTest.merger(cluster.memory, 0, seed);
    ClusterMerger.Merged merged = ClusterMergerTest.merge(cluster.memory, last);
    last.clean(TestCluster.PARTITION, merged);
    ClusterMergerTest.requireAnswers(cluster, "after the last merge");
    assertTrue(
        cluster.directory().rows().stream()
            .allMatch(row -> row.key().seq() == cluster.directory().generation()));
  }

  @Test
  void twoMergersADaemonAndAReaderAtEveryStatement() throws Exception {
    for (long seed = 0; seed < RACES; seed++) {
      try {
        race(seed, UnaryOperator.identity());
      } catch (Exception | AssertionError failed) {
        throw new AssertionError("seed " + seed, failed);
      }
    }
  }

  private static void requireFound(UnaryOperator<Keyspace> plant) {
    for (long seed = 0; seed < SEEDS; seed++) {
      try {
        race(seed, plant);
      } catch (Exception | AssertionError _) {
        return;
      }
    }
    throw new AssertionError("a planted bug was not found");
  }

  @Test
  void aRangeOfKeysThatIsTooWideIsFound() {
    requireFound(keyspace ->
        WatchedKeyspace.of(
            keyspace,
            (statement, arguments, inner) -> {
              if (statement.equals("delete") && arguments[1].equals(SegmentKey.APPLIED)) {
                arguments[4] = Long.MAX_VALUE;
              }
              return inner.call();
            }));
  }

  @Test
  void deletingWholePartitionsByTimeIsFound() {
    requireFound(keyspace ->
        WatchedKeyspace.of(
            keyspace,
            (statement, arguments, inner) -> {
              if (!statement.equals("delete") || arguments[1].equals(SegmentKey.MERGED)) {
                return inner.call();
              }
              for (int daemon = 0; daemon < 2; daemon++) {
                keyspace
                    .delete(TestCluster.PARTITION, SegmentKey.APPLIED, daemon, 0, Long.MAX_VALUE)
                    .join();
              }
              return CompletableFuture.completedFuture(null);
            }));
  }

  @Test
  void aMergeThatCoversNothingIsFound() {
    requireFound(keyspace ->
        WatchedKeyspace.of(
            keyspace,
            (statement, arguments, inner) -> {
              if (statement.equals("swap")) {
                arguments[3] = Map.of();
              }
              return inner.call();
            }));
  }

  @Test
  void deletingBeforeTheSwapIsFound() {
    requireFound(keyspace ->
        WatchedKeyspace.of(
            keyspace,
            (statement, arguments, inner) -> {
              if (statement.equals("swap")) {
                for (int daemon = 0; daemon < 2; daemon++) {
                  Object covered = ((Map<?, ?>) arguments[3]).get(daemon);
                  if (covered instanceof Long stamp) {
                    keyspace
                        .delete(TestCluster.PARTITION, SegmentKey.APPLIED, daemon, 0, stamp)
                        .join();
                  }
                }
              }
              return inner.call();
            }));
  }

  @Test
  void aViewThatIsTakenAfterTheDirectoryIsFound() {
    requireFound(keyspace -> {
      List<Directory> before = new ArrayList<>();
      return WatchedKeyspace.of(
          keyspace,
          (statement, _, inner) -> {
            if (statement.equals("daemons")) {
              before.add(keyspace.directory(TestCluster.PARTITION).join());
            } else if (statement.equals("directory") && !before.isEmpty()) {
              return CompletableFuture.completedFuture(before.removeLast());
            }
            return inner.call();
          });
    });
  }

  @Test
  void aDropWhileADaemonAppliesAndAnotherMergesLeavesWhatCameLaterWhole() throws Exception {
    for (long seed = 0; seed < RACES; seed++) {
      Race race = new Race(seed);
      TestCluster cluster = race.cluster;
      List<TestEvent> all = new ArrayList<>();
      List<List<TestEvent>> late = new ArrayList<>();
      for (int round = 0; round < 5; round++) {
        late.add(cluster.round(1, 15, round));
      }
      boolean[] dropped = {false};
      long number = seed;
      race.add(0, UnaryOperator.identity(), keyspace -> merge(keyspace, 0, number));
      race.add(
          1,
          UnaryOperator.identity(),
          keyspace -> {
            keyspace.deletePartition(TestCluster.PARTITION).join();
            dropped[0] = true;
          });
      race.add(
          2,
          UnaryOperator.identity(),
          keyspace -> {
            for (List<TestEvent> round : late) {
              boolean after = dropped[0];
              cluster.apply(keyspace, 1, round, 8);
              if (after) {
                all.addAll(round);
              }
            }
          });
      race.run();
      ClusterArrivals view = TestCluster.view(cluster.memory);
      List<TestEvent> answer = TestCluster.read(cluster.memory, view, false);
      for (TestEvent event : all) {
        boolean there =
            answer.stream()
                .anyMatch(
                    other -> other.id().equals(event.id()) && other.version() >= event.version());
        assertTrue(there, "seed " + seed + ": " + event.id());
      }
      assertEquals(
          answer.stream().sorted(Comparator.comparing(TestEvent::id)).distinct().toList(), answer);
      cluster.memory.deletePartition(TestCluster.PARTITION).join(); // the next day
      assertEquals(List.of(), TestCluster.read(cluster.memory, view, false));
    }
  }
}
