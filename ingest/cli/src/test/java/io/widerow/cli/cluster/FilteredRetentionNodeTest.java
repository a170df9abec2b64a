package io.widerow.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.CassandraNode;
import io.widerow.faults.Await;
import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import io.widerow.storage.cassandra.keyspace.ClusterOptions;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.DriverKeyspace;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.StoreUri;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: on a real node a policy with a filter hides events at once from each daemon, merges remove
/// them and nothing else, and taking the policy back shows what is still there, while daemons are
/// killed. Method: two daemons as processes; events of buckets that are closed, each second one at
/// `debug`; the rows of the keyspace are counted until only the others are left. `-Dseed=<n>`.
///
/// Nothing merges before the cluster has all events: later ones would wait for an hour. The lease
/// of a killed daemon may make the other one wait for ten minutes.
@Tag("process")
@Tag("deep")
@Timeout(2_400)
class FilteredRetentionNodeTest {
  private static final int EVENTS = 2_000;
  private static final int HOURS = 4;
  private static final String WHERE = "level <= debug";
  private static final String WHERE_ENCODED = "level+%3C%3D+debug";
  private static final Duration WITHIN = Duration.ofMinutes(30);

  private final Cli cli = new Cli(Map.of());

  static List<Long> seeds() {
    return Seeds.of(1);
  }

  @BeforeAll
  static void node() {
    CassandraNode.require();
  }

  private static ServeProcess daemon(Path data, String uri, String mergeAfter) throws IOException {
    return ServeProcess.start(
        data, "--set", "store=" + uri, "--set", "lanes=1", "--set", "merge-after=" + mergeAfter);
  }

  /// Sends each second event of a list to a daemon.
  private static void send(ServeProcess daemon, int first) throws Exception {
    StringBuilder lines = new StringBuilder();
    Instant newest = Instant.now().minus(Duration.ofHours(30));
    for (int i = first; i < EVENTS; i += 2) {
      lines.append(line(newest.minusSeconds(3_600L * HOURS * i / EVENTS), i));
    }
    HttpResponse<String> answer =
        daemon.post("/v1/events", "application/x-ndjson", lines.toString());
    assertTrue(answer.body().contains("\"accepted\":" + EVENTS / 2), answer.body());
  }

  /// Pairs of events alternate, so that each daemon has those of each level.
  private static String line(Instant time, int number) {
    String level = number / 2 % 2 == 0 ? "debug" : "error";
    return "{\"ts\":\"%s\",\"type\":\"shop.%s\",\"level\":\"%s\",\"n\":%d}%n"
        .formatted(time, number % 3 == 0 ? "a" : "b", level, number);
  }

  /// The counts by level that a daemon has, as lines of CSV.
  private static List<String> levels(ServeProcess daemon) throws Exception {
    HttpResponse<String> answer = daemon.get("/v1/query?stats=count&by=level&format=csv");
    assertEquals(200, answer.statusCode(), answer.body());
    return answer.body().lines().skip(1).sorted().toList();
  }

  /// Asked until it is so: a daemon follows the policies of the others within ten seconds.
  private static void awaitLevels(ServeProcess daemon, List<String> expected) {
    Await.until(() -> levels(daemon).equals(expected), "a daemon counts " + expected);
  }

  private static boolean isTaken(ServeProcess daemon, String line) throws Exception {
    return daemon
        .post("/v1/events", "application/x-ndjson", line)
        .body()
        .contains("\"accepted\":1");
  }

  private static long stored(Keyspace keyspace) {
    return MergeWait.partitions(keyspace).stream()
        .flatMap(key -> keyspace.directory(key).join().rows().stream())
        .mapToLong(DirectoryRow::events)
        .sum();
  }

  /// Looks once a second.
  private static boolean isRemoved(Keyspace keyspace) {
    Await.pause(Duration.ofSeconds(1));
    return stored(keyspace) == EVENTS / 2;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatAFilterHidesIsRemovedFromANode(long seed, @TempDir Path directory) throws Exception {
    String uri = CassandraNode.shared().uri("filtered");
    SplittableRandom random = new SplittableRandom(seed);
    List<String> all = List.of("debug," + EVENTS / 2, "error," + EVENTS / 2);
    List<String> kept = List.of("error," + EVENTS / 2);
    List<ServeProcess> daemons = new ArrayList<>();
    try (Keyspace keyspace =
        DriverKeyspace.open(
            ClusterOptions.at(StoreUri.parse(uri)).withRequestTimeout(Duration.ofSeconds(30)))) {
      daemons.add(daemon(directory.resolve("0"), uri, "3d"));
      daemons.add(daemon(directory.resolve("1"), uri, "3d"));
      send(daemons.get(0), 0);
      send(daemons.get(1), 1);
      awaitLevels(daemons.get(0), all);
      awaitLevels(daemons.get(1), all);

      String policy = "/v1/retention?type=shop.*&age=1d&grace=0s&where=" + WHERE_ENCODED;
      HttpResponse<String> set = daemons.get(0).send("PUT", policy);
      assertEquals(200, set.statusCode(), set.body());
      assertTrue(set.body().contains("\"hiddenEvents\":" + EVENTS / 2), set.body());
      assertEquals(kept, levels(daemons.get(0)), "hidden at once");
      awaitLevels(daemons.get(1), kept);
      String late = line(Instant.now().minus(Duration.ofHours(26)), 0);
      HttpResponse<String> refused =
          daemons.get(1).post("/v1/events", "application/x-ndjson", late);
      assertTrue(refused.body().contains("older than the retention of 1d"), refused.body());

      for (int kill = 0; kill < 6; kill++) {
        Await.pause(Duration.ofMillis(kill < 2 ? 0 : random.nextInt(20_000)));
        daemons.get(kill % 2).kill();
        daemons.set(kill % 2, daemon(directory.resolve("" + kill % 2), uri, "1s"));
        assertEquals(kept, levels(daemons.get(kill % 2)), "after a kill");
      }
      Await.until(() -> isRemoved(keyspace), WITHIN, "half of the events are left in the keyspace");
      String back =
          cli.answer("cluster", "retain", "shop.*", "forever", "--where", WHERE, "--store", uri);
      assertTrue(back.contains("shop.*"), back);
      awaitLevels(daemons.get(0), kept);
      Await.until(() -> isTaken(daemons.get(1), late), "it takes such events again");
      awaitLevels(daemons.get(1), List.of("debug,1", "error," + EVENTS / 2));
    } finally {
      daemons.forEach(ServeProcess::close);
    }
  }
}
