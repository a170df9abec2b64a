package io.widerow.storage.cassandra;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.CassandraNode;
import io.widerow.cluster.CassandraNodes;
import io.widerow.faults.Await;
import io.widerow.faults.Seeds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: whatever happens to nodes while two stores write and a reader queries, no acknowledged
/// event is lost, shown twice or out of order, and each result is complete or names the unread
/// parts. Method: three nodes with three replicas; one fault after the other, at seeded times:
/// standing still for 50 ms to 2 s, two of three for up to 3 s, one for longer than the driver
/// waits, two for longer than a reader waits, kill and start. The stores write as long as there are
/// faults. `-Dnode.faults=<n>`, `-Dcluster.events=<n>`, `-Dseed=<n>`.
@Tag("cluster")
class NodeFaultsTest {
  private static final int EVENTS = Integer.getInteger("cluster.events", 200_000);
  private static final int FAULTS = Integer.getInteger("node.faults", 200);
  private static final int EVENTS_A_BATCH = 200;
  private static final long GAP_MILLIS_MAX = 300;

  /// What happens to nodes.
  private enum Fault {
    SHORT_STILL,
    LONG_STILL,
    TWO_STILL,

    /// Longer than a reader waits.
    TWO_LONG_STILL,
    KILL
  }

  static List<Long> seeds() {
    return Seeds.of(1);
  }

  @BeforeAll
  static void nodes() {
    CassandraNode.require();
  }

  /// Makes the faults.
  private static final class Faults {
    private final CassandraNodes nodes;
    private final SplittableRandom random;
    private final Map<Fault, Integer> made = new EnumMap<>(Fault.class);
    private final AtomicInteger count = new AtomicInteger();

    Faults(CassandraNodes nodes, long seed) {
      this.nodes = nodes;
      this.random = new SplittableRandom(seed + 1);
    }

    void run() {
      while (count.get() < FAULTS) {
        Fault fault = next();
        make(fault);
        made.merge(fault, 1, Integer::sum);
        count.incrementAndGet();
        pause(random.nextLong(GAP_MILLIS_MAX));
      }
    }

    /// Few are slow ones.
    private Fault next() {
      int one = random.nextInt(40);
      if (one == 0) {
        return Fault.KILL;
      }
      if (one == 1) {
        return Fault.TWO_LONG_STILL;
      }
      if (one < 4) {
        return Fault.LONG_STILL;
      }
      return one < 12 ? Fault.TWO_STILL : Fault.SHORT_STILL;
    }

    private void make(Fault fault) {
      int node = random.nextInt(nodes.size());
      switch (fault) {
        case SHORT_STILL -> freeze(random.nextLong(50, 2_000), nodes.node(node));
        case LONG_STILL -> freeze(random.nextLong(5_000, 8_000), nodes.node(node));
        case TWO_STILL ->
            freeze(
                random.nextLong(50, 3_000),
                nodes.node(node),
                nodes.node((node + 1) % nodes.size()));
        case TWO_LONG_STILL ->
            freeze(
                random.nextLong(11_000, 14_000),
                nodes.node(node),
                nodes.node((node + 1) % nodes.size()));
        case KILL -> nodes.node(node).restart();
      }
    }

    private static void freeze(long millis, CassandraNode... still) {
      for (CassandraNode node : still) {
        node.freeze();
      }
      pause(millis);
      for (CassandraNode node : still) {
        node.thaw();
      }
    }

    private static void pause(long millis) {
      Await.pauseNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void nothingIsLostAndNoAnswerIsShort(long seed, @TempDir Path directory) throws Exception {
    int batches = EVENTS / EVENTS_A_BATCH;
    try (CassandraNodes nodes = CassandraNodes.start(3);
        ClusterRun run =
            new ClusterRun(directory, nodes.uri("run"), 2, EVENTS, seed, Duration.ofMinutes(6))) {
      run.awaitOpen();
      Faults faults = new Faults(nodes, seed);
      CompletableFuture<Void> making = inThread("faults", faults::run);
      CompletableFuture<Void> asking =
          inThread(
              "asking",
              () -> {
                while (!making.isDone()) {
                  run.look();
                  Faults.pause(200);
                }
              });
      run.send((_, batch) -> {
        while (batch * (long) FAULTS > (faults.count.get() + 1L) * batches && !making.isDone()) {
          Faults.pause(1);
        }
        if (batch % 10 == 0) {
          run.stores.forEach(store -> store.tell("m"));
        }
        requireNoFailure(making);
        requireNoFailure(asking);
      });
      making.join();
      asking.join();
      BitSet there = run.requireSame();
      assertEquals(EVENTS, there.cardinality());
      assertEquals(run.hashOnOneMachine(there), run.hash());
      List<String> kinds = new ArrayList<>();
      faults.made.forEach((fault, times) -> kinds.add(times + " " + fault));
      System.out.printf(
          "seed %d: %d faults (%s), %d events; asked %d times, %d times reported missing events%n",
          seed,
          faults.count.get(),
          String.join(", ", kinds),
          EVENTS,
          run.looks(),
          run.looksRefused());
      assertTrue(run.looks() - run.looksRefused() > FAULTS / 10, run.looks() + " looks");
    }
  }

  private static CompletableFuture<Void> inThread(String name, Runnable work) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name(name)
        .start(() -> {
          try {
            work.run();
            done.complete(null);
          } catch (Throwable failure) {
            done.completeExceptionally(failure);
          }
        });
    return done;
  }

  private static void requireNoFailure(CompletableFuture<Void> work) {
    if (work.isCompletedExceptionally()) {
      throw new CompletionException(work.exceptionNow());
    }
  }
}
