package io.widerow.storage.cassandra;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.CassandraNode;
import io.widerow.cluster.CassandraNodes;
import io.widerow.faults.Seeds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: on three nodes with three replicas, three stores lose nothing that they promised, show
/// nothing twice, and show the same bytes. Method: seeded events; stores are killed, nodes are
/// stopped, killed and started again at seeded moments, and once two of three nodes stand still for
/// 10 s. `-Dcluster.events=<n>`, `-Dcluster.faults=<n>`, `-Dseed=<n>`.
@Tag("cluster")
class ClusterOracleTest {
  private static final int EVENTS = Integer.getInteger("cluster.events", 2_000_000);
  private static final int FAULTS = Integer.getInteger("cluster.faults", 40);
  private static final int EVENTS_A_BATCH = 200;

  private int faults;
  private CompletableFuture<?> thawed = CompletableFuture.completedFuture(null);

  static List<Long> seeds() {
    return Seeds.of(1);
  }

  @BeforeAll
  static void nodes() {
    CassandraNode.require();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyAcknowledgedEventIsThereOnce(long seed, @TempDir Path directory) throws Exception {
    int batches = EVENTS / EVENTS_A_BATCH;
    int apart = Math.max(1, batches / (FAULTS + 2));
    try (CassandraNodes nodes = CassandraNodes.start(3);
        ClusterRun run =
            new ClusterRun(directory, nodes.uri("run"), 3, EVENTS, seed, Duration.ofMinutes(2))) {
      run.send((_, batch) -> {
        if (batch == batches / 2) {
          thawed.join();
          freeze(Duration.ofSeconds(10), nodes.node(1), nodes.node(2));
        } else if (batch > 0 && batch % apart == 0) {
          fault(nodes, run);
        }
      });
      thawed.join();
      BitSet there = run.requireSame();
      assertTrue(there.cardinality() > EVENTS * 9L / 10, there.cardinality() + " events");
      assertEquals(run.hashOnOneMachine(there), run.hash());
      System.out.printf(
          "seed %d: %d events, %d of them there; %d faults, %d kills of stores; asked %d times,"
              + " %d times reported missing events%n",
          seed, EVENTS, there.cardinality(), faults, run.kills(), run.looks(), run.looksRefused());
    }
  }

  private void fault(CassandraNodes nodes, ClusterRun run) throws InterruptedException {
    faults++;
    CassandraNode node = nodes.node(run.random.nextInt(nodes.size()));
    switch (run.random.nextInt(6)) {
      case 0, 1 -> run.kill(run.any());
      case 2 -> {
        thawed.join();
        freeze(Duration.ofSeconds(1 + run.random.nextInt(6)), node);
      }
      case 3 -> {
        thawed.join();
        node.restart();
      }
      case 4 -> run.stores.forEach(store -> store.tell("m"));
      default -> run.look();
    }
  }

  private void freeze(Duration time, CassandraNode... nodes) {
    for (CassandraNode node : nodes) {
      node.freeze();
    }
    thawed =
        CompletableFuture.runAsync(
            () -> {
              for (CassandraNode node : nodes) {
                node.thaw();
              }
            },
            CompletableFuture.delayedExecutor(time.toMillis(), TimeUnit.MILLISECONDS));
  }
}
