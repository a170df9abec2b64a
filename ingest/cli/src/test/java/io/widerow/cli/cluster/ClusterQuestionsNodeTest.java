package io.widerow.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.CassandraNode;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Await;
import io.widerow.faults.Seeds;
import io.widerow.questions.OracleEvents;
import io.widerow.questions.QuestionSeeds;
import io.widerow.storage.EventStore;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.CassandraStore;
import io.widerow.storage.cassandra.ClusterReading;
import io.widerow.storage.cassandra.ClusterStores;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.keyspace.ClusterOptions;
import io.widerow.storage.cassandra.keyspace.DriverKeyspace;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.StoreUri;
import io.widerow.storage.cassandra.migrate.Migration;
import io.widerow.storage.cassandra.migrate.MigrationOutcome;
import io.widerow.storage.cassandra.migrate.MigrationWatch;
import io.widerow.storage.cassandra.migrate.Settings;
import io.widerow.storage.cassandra.read.ClusterReader;
import io.widerow.storage.cassandra.read.ReadOptions;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a store on a real node gives every answer that one on this machine gives for the same
/// events, byte for byte: as applied, while and after they are merged, migrated there and back, and
/// after retention. Method: seeded events with late ones and replaced ones, and seeded questions of
/// all kinds; answers are compared by their SHA-256. `-Dcluster.events=<n>`,
/// `-Dcluster.questions=<n>`, `-Dseed=<n>`.
@Tag("cluster")
class ClusterQuestionsNodeTest {
  private static final int EVENTS = Integer.getInteger("cluster.events", 1_000_000);
  private static final int QUESTIONS = Integer.getInteger("cluster.questions", 500);
  private static final int LANES = 2;
  private static final List<String> RETAINED = List.of("access", "cpu", "own.b", "own|d");

  /// Every round has late events for hundreds of partitions. Rounds of 250 ms would make a question
  /// one of small segments only.
  private static final Duration ROUND = Duration.ofSeconds(2);

  private static final Duration WITHIN = Duration.ofMinutes(30);

  @TempDir Path temporary = Path.of("");

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledExecutorService ticks = Executors.newScheduledThreadPool(1);
  private final ExecutorService upkeep = Executors.newSingleThreadExecutor();

  static List<Long> seeds() {
    return Seeds.of(1);
  }

  @BeforeAll
  static void node() {
    CassandraNode.require();
  }

  private StoreConfig config(String name) {
    return StoreConfig.at(temporary.resolve(name))
        .withLanes(LANES, 4)
        .withBuckets(60, Map.of("cpu", 1_440, "disk", 15, "own.a", 240))
        .withMemory(16L << 20, Duration.ofHours(1))
        .withDiskReserveBytes(0)
        .withAges(Duration.ZERO, null);
  }

  private static ClusterOptions options(String uri) {
    return ClusterOptions.at(StoreUri.parse(uri)).withRequestTimeout(Duration.ofSeconds(30));
  }

  private CassandraStore cluster(Keyspace keyspace) {
    StoreConfig local = config("cluster");
    ReadOptions options = ReadOptions.DEFAULT.withBucketMinutes(local::bucketMinutesOf);
    ClusterReading reading =
        new ClusterReading(
            keyspace, new ClusterReading.Settings(options, Duration.ZERO, null), threads, upkeep);
    ApplyOptions rounds =
        ApplyOptions.of("here").withPacing(new ApplyOptions.Pacing(ROUND, 64, 32L << 20));
    return ClusterStores.open(keyspace, local, rounds, reading, threads);
  }

  private static void awaitApplied(CassandraStore store) {
    Await.until(
        () -> store.cluster().pendingEvents() == 0,
        Duration.ofMinutes(30),
        "the backlog is applied");
  }

  private static String position(EventStore store) {
    try (StoreView view = store.view()) {
      return view.arrivals().toString();
    }
  }

  private void toCluster(String uri, Path directory) {
    try (Keyspace keyspace = DriverKeyspace.open(options(uri));
        ClusterReader reader =
            new ClusterReader(keyspace, RetentionLookup.FOREVER, ReadOptions.DEFAULT, threads)) {
      assertClean(
          new Migration(keyspace, reader::view, Settings.of(threads, 2), MigrationWatch.NONE)
              .toCluster(directory));
    }
  }

  private void toDirectory(String uri, Path directory) {
    try (Keyspace keyspace = DriverKeyspace.openExisting(options(uri));
        ClusterReader reader =
            new ClusterReader(keyspace, RetentionLookup.FOREVER, ReadOptions.DEFAULT, threads)) {
      assertClean(
          new Migration(keyspace, reader::view, Settings.of(threads, 2), MigrationWatch.NONE)
              .toDirectory(directory));
    }
  }

  private static void assertClean(MigrationOutcome outcome) {
    assertEquals(List.of(), outcome.differences());
    assertTrue(outcome.copied() > 0, "nothing was copied");
  }

  private static String positionOf(Path directory) {
    try (EmbeddedStore store = EmbeddedStore.openForReading(directory)) {
      return position(store);
    }
  }

  private static String positionOf(String uri) {
    try (EventStore store = ClusterStores.openForReading(options(uri))) {
      return position(store);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyAnswerHasTheSameBytes(long seed) throws Exception {
    OracleEvents events = new OracleEvents(EVENTS, new SplittableRandom(seed));
    Path back = temporary.resolve("back");
    try (CassandraNode node = CassandraNode.start();
        EmbeddedStore embedded = EmbeddedStore.open(config("embedded"), Runnable::run);
        Keyspace looking = DriverKeyspace.open(options(node.uri("run")));
        CassandraStore cluster = cluster(DriverKeyspace.open(options(node.uri("run"))))) {
      String moved = node.uri("moved");
      events.write(embedded, 0, EVENTS / 2);
      events.write(cluster, 0, EVENTS / 2);
      awaitApplied(cluster);
      embedded.snapshot(temporary.resolve("half"));
      toCluster(moved, temporary.resolve("half"));
      toDirectory(node.uri("run"), back);
      String here = position(embedded);
      String there = position(cluster);
      String movedThere = positionOf(moved);
      String movedBack = positionOf(back);
      events.write(embedded, EVENTS / 2, EVENTS);
      events.write(cluster, EVENTS / 2, EVENTS);
      awaitApplied(cluster);
      embedded.snapshot(temporary.resolve("whole"));
      toCluster(moved, temporary.resolve("whole"));
      toDirectory(node.uri("run"), back);

      AnswerSheet sheet =
          new AnswerSheet(QuestionSeeds.of(seed, QUESTIONS, EVENTS), embedded, here, temporary);
      assertTrue(sheet.distinct() > QUESTIONS / 2, sheet.distinct() + " different answers");
      sheet.compare("as applied", cluster, there, QUESTIONS);
      try (EventStore other = ClusterStores.openForReading(options(moved))) {
        sheet.compare("migrated to the cluster", other, movedThere, QUESTIONS);
      }
      try (EventStore other = EmbeddedStore.openForReading(back)) {
        sheet.compare("migrated to a directory", other, movedBack, QUESTIONS);
      }

      var maintained =
          ticks.scheduleWithFixedDelay(cluster::maintain, 0, 200, TimeUnit.MILLISECONDS);
      sheet.compare("while merging", cluster, there, QUESTIONS / 5);
      MergeWait.untilMerged(cluster, looking, WITHIN);
      sheet.compare("merged", cluster, there, QUESTIONS);

      retain(embedded);
      embedded.maintain();
      retain(cluster);
      AnswerSheet less =
          new AnswerSheet(QuestionSeeds.of(seed, QUESTIONS, EVENTS), embedded, here, temporary);
      assertTrue(sheet.differences(less) > QUESTIONS / 4, "retention hides much");
      less.compare("after retention", cluster, there, QUESTIONS);
      awaitDropped(looking);
      less.compare("dropped", cluster, there, QUESTIONS);
      maintained.cancel(false);
      System.out.printf("seed %d: %d events, %s%n", seed, EVENTS, sheet + ", " + less);
    } finally {
      ticks.shutdownNow();
      upkeep.shutdown();
      threads.shutdown();
    }
  }

  /// Hides about half of the events of some types, for which no other bucket expires within the
  /// next hour.
  private static void retain(EventStore store) {
    long edge = (OracleEvents.START / PartitionKey.NANOS_PER_MINUTE / 60 + 6) * 60 + 1;
    long now = System.currentTimeMillis() * 1_000_000;
    Duration age = Duration.ofNanos(now - edge * PartitionKey.NANOS_PER_MINUTE);
    for (String type : RETAINED) {
      store.retain(type, age);
    }
  }

  /// Waits until the buckets that are past their retention have no rows.
  private static void awaitDropped(Keyspace keyspace) {
    long until = (OracleEvents.START / PartitionKey.NANOS_PER_MINUTE / 60 + 6) * 60;
    long began = System.nanoTime();
    while (true) {
      List<PartitionKey> left =
          MergeWait.partitions(keyspace).stream()
              .filter(key -> RETAINED.contains(key.type()))
              .filter(key -> key.untilNanos() <= until * PartitionKey.NANOS_PER_MINUTE)
              .filter(key -> !keyspace.directory(key).join().rows().isEmpty())
              .toList();
      if (left.isEmpty()) {
        return;
      }
      assertTrue(System.nanoTime() - began < WITHIN.toNanos(), () -> "not dropped: " + left);
      Await.pauseNanos(TimeUnit.SECONDS.toNanos(2));
    }
  }
}
