package io.widerow.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.CassandraNode;
import io.widerow.cluster.CassandraNodes;
import io.widerow.event.EventBatch;
import io.widerow.faults.Await;
import io.widerow.faults.ServeProcess;
import io.widerow.storage.Durability;
import io.widerow.storage.EventStore;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreStatistics;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.CassandraStore;
import io.widerow.storage.cassandra.ClusterReading;
import io.widerow.storage.cassandra.ClusterStores;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.keyspace.ClusterOptions;
import io.widerow.storage.cassandra.keyspace.DaemonRow;
import io.widerow.storage.cassandra.keyspace.DriverKeyspace;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.Stamp;
import io.widerow.storage.cassandra.keyspace.StoreUri;
import io.widerow.storage.cassandra.read.ClusterReader;
import io.widerow.storage.cassandra.read.ReadOptions;
import io.widerow.storage.embedded.EmbeddedStore;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: measurements of a store on real nodes, printed with the load of the machine. They hold
/// nothing to a time, because other programs may run here. `-Dfigure.runs=<n>`,
/// `-Dfigure.seconds=<n>`, `-Dcluster.events=<n>` at rest.
@Tag("cluster")
class ClusterFiguresTest {
  private static final int RUNS = Integer.getInteger("figure.runs", 5);
  private static final int SECONDS = Integer.getInteger("figure.seconds", 20);
  private static final int EVENTS = Integer.getInteger("cluster.events", 1_000_000);
  private static final int DAEMONS = 100;
  private static final int VIEWS = 2_000;
  private static final int RATE = 20_000;
  private static final int BATCH = 100;
  private static final int CHUNK = 1_000;
  private static final long START = 1_763_600_400_000_000_000L;
  private static final long SPAN = Duration.ofHours(2).toNanos();
  private static final Duration MERGED_WITHIN = Duration.ofMinutes(10);

  @BeforeAll
  static void nodes() {
    CassandraNode.require();
  }

  private static String load() {
    return "load %.1f"
        .formatted(ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  private static double quantile(double[] sorted, double share) {
    return sorted[(int) Math.min(sorted.length - 1, share * sorted.length)];
  }

  private static ClusterOptions options(String uri) {
    return ClusterOptions.at(StoreUri.parse(uri)).withRequestTimeout(Duration.ofSeconds(30));
  }

  /// Goal of the design: at most 5 ms at the median.
  @Test
  void aViewOfManyDaemons() {
    try (CassandraNode node = CassandraNode.start();
        Keyspace keyspace = DriverKeyspace.open(options(node.uri("views")));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        ClusterReader reader =
            new ClusterReader(keyspace, RetentionLookup.FOREVER, ReadOptions.DEFAULT, threads)) {
      for (int daemon = 0; daemon < DAEMONS; daemon++) {
        UUID owner = new UUID(7, daemon);
        assertTrue(keyspace.begin(daemon, null, owner, "host" + daemon, 1, 1 << 28).join());
        keyspace
            .applied(
                daemon,
                new DaemonRow.Applied(Stamp.of(1, 40 + daemon), 1L << 40, List.of(9_000L, 9_001L)))
            .join();
        keyspace.seen(daemon, 0, System.currentTimeMillis()).join();
      }
      for (int run = 0; run < RUNS; run++) {
        double[] millis = new double[VIEWS];
        for (int i = 0; i < VIEWS; i++) {
          long began = System.nanoTime();
          try (StoreView view = reader.view()) {
            millis[i] = (System.nanoTime() - began) / 1e6;
            assertTrue(view.arrivals().toString().length() > DAEMONS);
          }
        }
        Arrays.sort(millis);
        System.out.printf(
            "view of %d daemons, run %d: p50 %.2f ms, p99 %.2f ms, %d views; %s%n",
            DAEMONS, run, quantile(millis, 0.5), quantile(millis, 0.99), VIEWS, load());
      }
    }
  }

  /// Goal of the design: at most 100 ms at p99.
  @Test
  void quorumOnThreeNodes(@TempDir Path directory) throws Exception {
    try (CassandraNodes nodes = CassandraNodes.start(3);
        ServeProcess daemon =
            ServeProcess.start(
                directory.resolve("data"), "--set", "store=" + nodes.uri("quorum"))) {
      PacedSender sender = new PacedSender(daemon.port(), RATE, BATCH);
      int batches = SECONDS * RATE / BATCH;
      double[] medians = new double[RUNS];
      for (int run = -1; run < RUNS; run++) { // the first one warms up
        int from = (run + 1) * batches;
        List<PacedSender.Answer> answers = sender.send(from, from + batches, _ -> true);
        double[] millis =
            answers.stream().mapToDouble(PacedSender.Answer::latencyMillis).sorted().toArray();
        long late = answers.stream().filter(answer -> answer.status() != 200).count();
        System.out.printf(
            "quorum at %d events/s in batches of %d, three nodes, run %d: p50 %.1f ms, p90 %.1f ms,"
                + " p99 %.1f ms, max %.1f ms, %d of %d not in time; %s%n",
            RATE,
            BATCH,
            run,
            quantile(millis, 0.5),
            quantile(millis, 0.9),
            quantile(millis, 0.99),
            millis[millis.length - 1],
            late,
            batches,
            load());
        if (run >= 0) {
          medians[run] = quantile(millis, 0.99);
        }
      }
      Arrays.sort(medians);
      System.out.printf("quorum: p99 %.1f ms, median of %d runs%n", medians[RUNS / 2], RUNS);
    }
  }

  private static StoreConfig config(Path directory) {
    return StoreConfig.at(directory)
        .withLanes(2, 4)
        .withBuckets(60, Map.of())
        .withMemory(32L << 20, Duration.ofSeconds(2))
        .withDiskReserveBytes(0)
        .withAges(Duration.ZERO, null);
  }

  /// Goal of the design: at most 1.1 times the store on one machine.
  @Test
  void bytesAtRest(@TempDir Path directory) throws Exception {
    try (CassandraNode node = CassandraNode.start();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        EmbeddedStore embedded =
            EmbeddedStore.open(config(directory.resolve("embedded")), Runnable::run);
        Keyspace looking = DriverKeyspace.open(options(node.uri("rest")))) {
      Keyspace keyspace = DriverKeyspace.open(options(node.uri("rest")));
      ClusterReading reading =
          new ClusterReading(
              keyspace,
              new ClusterReading.Settings(ReadOptions.DEFAULT, Duration.ZERO, null),
              threads,
              threads);
      try (CassandraStore cluster =
          ClusterStores.open(
              keyspace,
              config(directory.resolve("cluster")),
              ApplyOptions.of("here"),
              reading,
              threads)) {
        write(embedded);
        long here = settle(embedded);
        write(cluster);
        Await.until(
            () -> cluster.cluster().pendingEvents() == 0,
            Duration.ofMinutes(30),
            "the backlog is applied");
        node.compact("rest");
        long applied = node.liveBytes("rest");
        MergeWait.untilMerged(cluster, looking, MERGED_WITHIN);
        node.compact("rest");
        long merged = node.liveBytes("rest");
        System.out.printf(
            "at rest, %d events: one machine %d bytes (%.1f an event); on a node as applied %d"
                + " (%.2f times), in final form %d (%.1f an event, %.3f times)%n",
            EVENTS,
            here,
            (double) here / EVENTS,
            applied,
            (double) applied / here,
            merged,
            (double) merged / EVENTS,
            (double) merged / here);
      }
    }
  }

  /// Bytes of segments when nothing is left to flush or to merge.
  private static long settle(EmbeddedStore store) {
    StoreStatistics before = store.statistics();
    int same = 0;
    while (same < 5) {
      Await.pauseNanos(TimeUnit.SECONDS.toNanos(1));
      store.maintain();
      for (int lane = 0; lane < store.lanes(); lane++) {
        store.lane(lane).commit(Durability.MEMORY); // a lane flushes when its writer comes by
      }
      StoreStatistics now = store.statistics();
      boolean settled =
          now.openEvents() == 0
              && now.merged() == before.merged()
              && now.segments() == before.segments();
      same = settled ? same + 1 : 0;
      before = now;
    }
    assertEquals(EVENTS, before.segmentEvents());
    return before.segmentBytes();
  }

  private static void write(EventStore store) {
    SplittableRandom random = new SplittableRandom(11);
    byte[] type = utf8("nginx.access");
    byte[] name = utf8("body");
    try (EventBatch batch = new EventBatch(1 << 12, 1 << 21)) {
      for (int i = 0; i < EVENTS; i++) {
        batch.begin(type, 0, type.length, START + SPAN / EVENTS * i);
        byte[] body = utf8(line(random, i));
        batch.putString(name, 0, name.length, body);
        assertEquals(null, batch.end());
        if (batch.count() == CHUNK || i == EVENTS - 1) {
          int lane = i / CHUNK % store.lanes();
          store
              .lane(lane)
              .append(
                  batch,
                  i / CHUNK,
                  (index, why) -> {
                    throw new AssertionError(index + ": " + why);
                  });
          store.lane(lane).commit(Durability.MEMORY);
          batch.clear();
        }
      }
    }
  }

  /// A line of an access log: a few hosts, many paths, numbers.
  private static String line(SplittableRandom random, int number) {
    int visitor = random.nextInt(1 + random.nextInt(50_000));
    return ("10.%d.%d.%d - - \"GET /shop/item/%d?ref=%s HTTP/1.1\" %d %d"
            + " \"https://shop.example/%d\" \"%s\" %d.%03d")
        .formatted(
            visitor >> 16 & 255,
            visitor >> 8 & 255,
            visitor & 255,
            random.nextInt(1 + random.nextInt(20_000)),
            Long.toHexString(random.nextLong(1L << 24)),
            random.nextInt(20) == 0 ? 404 : 200,
            200 + random.nextInt(30_000),
            number / 1_000,
            "Mozilla/5.0 (X11; Linux x86_64; rv:" + (100 + visitor % 40) + ".0) Gecko/20100101",
            random.nextInt(3),
            random.nextInt(1_000));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
