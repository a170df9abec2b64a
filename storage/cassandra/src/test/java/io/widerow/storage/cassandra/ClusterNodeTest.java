package io.widerow.storage.cassandra;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.CassandraNode;
import io.widerow.faults.Seeds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: on a real node, two stores lose nothing that they promised, show nothing twice, and show
/// the same bytes as each other, as a reader, and as a store on one machine. Method: 20,000 seeded
/// events, a third of the batches to both stores, one with a clock 30 s ahead; each store is killed
/// once, the node stands still for 3 s and is killed and started again. `-Dseed=<n>` replays.
@Timeout(300)
@Tag("process")
class ClusterNodeTest {
  private static final int EVENTS = 20_000;
  private static final long STILL_MILLIS = 3_000;

  static List<Long> seeds() {
    return Seeds.of(1);
  }

  @BeforeAll
  static void node() {
    CassandraNode.require();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyAcknowledgedEventIsThereOnce(long seed, @TempDir Path directory) throws Exception {
    try (CassandraNode node = CassandraNode.start();
        ClusterRun run =
            new ClusterRun(directory, node.uri("run"), 2, EVENTS, seed, Duration.ofSeconds(60))) {
      CompletableFuture<?>[] thawed = {CompletableFuture.completedFuture(null)};
      run.send((_, batch) -> {
        switch (batch) {
          case 15 -> run.kill(run.stores.get(0));
          case 30 -> {
            node.freeze();
            thawed[0] =
                CompletableFuture.runAsync(
                    node::thaw,
                    CompletableFuture.delayedExecutor(STILL_MILLIS, TimeUnit.MILLISECONDS));
          }
          case 45 -> run.stores.forEach(store -> store.tell("m"));
          case 60 -> {
            thawed[0].join();
            node.restart();
          }
          case 70 -> run.kill(run.stores.get(1));
          case 80 -> run.look();
          default -> {}
        }
      });
      BitSet there = run.requireSame();
      assertTrue(there.cardinality() > EVENTS * 9 / 10, there.cardinality() + " events");
      assertEquals(run.hashOnOneMachine(there), run.hash());
      assertEquals(2, run.kills());
    }
  }
}
