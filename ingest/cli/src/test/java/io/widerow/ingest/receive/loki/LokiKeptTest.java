package io.widerow.ingest.receive.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.cluster.MemoryKeyspace;
import io.widerow.faults.ServeProcess;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.cassandra.CassandraStore;
import io.widerow.storage.cassandra.ClusterReading;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.read.ReadOptions;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: labels of a pushed stream are labels for as long as their events exist, whatever their
/// names are. Method: the same requests before and after a kill, a merge, a repartition, and an
/// export with an import, and on a cluster.
@Timeout(300)
class LokiKeptTest {
  private static final long T = 1_780_000_000_000_000_000L;
  private static final int LINES = 60; // of a stream, one a minute
  private static final List<String> NAMES =
      List.of("id", "type", "ts", "body", "level", "my_label", "app");

  @TempDir private Path directory = Path.of(".");

  /// Sends a GET.
  private interface Get {
    String of(String path) throws IOException, InterruptedException;
  }

  private static String push() {
    StringBuilder streams = new StringBuilder();
    for (String value : List.of("a", "b")) {
      StringBuilder labels = new StringBuilder("\"service_name\":\"shop\"");
      NAMES.forEach(name -> labels.append(",\"%s\":\"%s\"".formatted(name, value)));
      streams.append(streams.isEmpty() ? "" : ",").append("{\"stream\":{").append(labels);
      streams.append("},\"values\":[");
      for (int i = 0; i < LINES; i++) {
        String line =
            "[\"%d\",\"l %d\",{\"trace\":\"t\",\"app\":\"m\"}]"
                .formatted(T + i * 60_000_000_000L, i);
        streams.append(i == 0 ? "" : ",").append(line);
      }
      streams.append("]}");
    }
    return "{\"streams\":[" + streams + "]}";
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static void check(Get get) throws IOException, InterruptedException {
    String range = "start=%d&end=%d".formatted(T, T + 3_600_000_000_000L);
    String names = get.of("/loki/api/v1/labels?" + range);
    assertTrue(!names.contains("trace") && !names.contains("extracted"), names);
    for (String name : NAMES) {
      assertTrue(names.contains("\"" + name + "\""), names);
      String values = get.of("/loki/api/v1/label/" + name + "/values?" + range);
      assertTrue(values.contains("[\"a\",\"b\""), () -> name + values);
      String sum = "sum by (%s) (count_over_time({%s=~\".+\"}[2h]))".formatted(name, name);
      String counted = get.of("/loki/api/v1/query?time=1780003600&query=" + encoded(sum));
      for (String value : List.of("a", "b")) {
        String series =
            "{\"metric\":{\"%s\":\"%s\"},\"value\":[1780003600,\"%d\"]}"
                .formatted(name, value, LINES);
        assertTrue(counted.contains(series), () -> series + counted);
        String selector = encoded("{" + name + "=\"" + value + "\"}");
        String asked = range + "&limit=1000&query=" + selector;
        String lines = get.of("/loki/api/v1/query_range?" + asked);
        assertEquals(LINES, lines.split("\"l \\d+\"", -1).length - 1, () -> name + lines);
        String streams = get.of("/loki/api/v1/series?" + range + "&match[]=" + selector);
        assertTrue(streams.contains("\"" + name + "\":\"" + value + "\""), streams);
        assertEquals(1, streams.split("service_name", -1).length - 1, streams);
      }
    }
  }

  private CommandDaemon daemon(String name) throws IOException {
    return new CommandDaemon(Files.createDirectory(directory.resolve(name)), Map.of());
  }

  @Test
  void afterMergesRepartitionsExportsAndImports() throws Exception {
    Path file = directory.resolve("events.ndjson");
    try (CommandDaemon daemon = daemon("a")) {
      assertEquals(
          204, daemon.http.post("/loki/api/v1/push", "application/json", push()).statusCode());
      check(daemon::get);
      daemon.merge();
      check(daemon::get);
      Ran layout = daemon.run("layout", "set", "shop", "--width", "15m");
      assertEquals(0, layout.code(), layout.err());
      Ran again = daemon.run("layout repartition", "shop");
      assertEquals(0, again.code(), again.err());
      check(daemon::get);
      Ran export = daemon.run("export", "--out", file.toString());
      assertEquals(0, export.code(), export.err());
    }
    try (CommandDaemon daemon = daemon("b")) {
      Ran load = daemon.run("import", file.toString());
      assertEquals(0, load.code(), load.err());
      check(daemon::get);
    }
  }

  /// The second daemon has nothing but the cluster.
  @Test
  void onACluster() throws Exception {
    MemoryKeyspace keyspace = new MemoryKeyspace();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (String name : List.of("first", "second")) {
        ClusterReading reading =
            new ClusterReading(
                keyspace,
                new ClusterReading.Settings(ReadOptions.DEFAULT, Duration.ofHours(1), null),
                threads,
                threads);
        StoreConfig local =
            StoreConfig.at(directory.resolve(name))
                .withLanes(1, 2)
                .withJournal(1 << 20, 8 << 20)
                .withDiskReserveBytes(0)
                .withAges(Duration.ZERO, null);
        Map<String, String> keys =
            Map.of("http", "127.0.0.1:0", "lanes", "1", "store", "cassandra://127.0.0.1/w?dc=a");
        try (CassandraStore store =
                CassandraStore.open(keyspace, local, ApplyOptions.of(name), reading, threads);
            Daemon daemon = Daemon.start(DaemonConfig.of(keys), store);
            Http http = new Http(daemon)) {
          if (name.equals("first")) {
            String quorum = "/loki/api/v1/push?durability=quorum";
            assertEquals(204, http.post(quorum, "application/json", push()).statusCode());
          }
          check(path -> http.get(path).body());
        }
      }
    }
  }

  @Test
  @Tag("process")
  void afterAKill() throws Exception {
    Path data = directory.resolve("d");
    try (ServeProcess daemon = ServeProcess.start(data)) {
      assertEquals(204, daemon.post("/loki/api/v1/push", "application/json", push()).statusCode());
      daemon.kill();
    }
    try (ServeProcess daemon = ServeProcess.start(data)) {
      check(path -> daemon.get(path).body());
    }
  }

  /// Texts that multiply are refused before they are made, and other queries get their responses.
  @Test
  @Tag("process")
  void hugeTextsAreRefusedInASmallHeap() throws Exception {
    Path data = directory.resolve("e");
    try (ServeProcess daemon = ServeProcess.startWith(List.of("-Xmx256m"), data)) {
      String line = "x".repeat(200);
      String push =
          "{\"streams\":[{\"stream\":{\"app\":\"a\"},\"values\":[[\"%d\",\"%s\"]]}]}"
              .formatted(T, line);
      assertEquals(204, daemon.post("/loki/api/v1/push", "application/json", push).statusCode());
      String range = "/loki/api/v1/query_range?start=%d&end=%d&query=".formatted(T, T + 1);
      String multiply = " | line_format `{{__line__}}{{__line__}}{{__line__}}{{__line__}}`";
      String large = " | line_format `{{$x := repeat 999999 \"x\"}}";
      Map<String, Integer> refusals = new LinkedHashMap<>();
      refusals.put(multiply.repeat(12), 422);
      refusals.put(" | line_format `{{repeat 1000000000 __line__}}`", 422);
      refusals.put(" | line_format `{{printf \"%999999999d\" 1}}`", 422);
      refusals.put(" | label_format b=`{{repeat 1000000000 .app}}`", 422);
      refusals.put(large + "{{print " + "$x ".repeat(20) + "}}`", 422);
      refusals.put(large + "{{regexReplaceAll \"x\" $x \"<$0$0>\"}}`", 422);
      refusals.put(large + "{{range 90000}}{{$n := count \"x+y\" $x}}{{end}}`", 400);
      refusals.put(large + "{{range 90000}}{{$y := trunc 99999 $x}}{{end}}`", 400);
      for (Map.Entry<String, Integer> stages : refusals.entrySet()) {
        var refused = daemon.get(range + encoded("{app=\"a\"}" + stages.getKey()));
        assertEquals(stages.getValue(), refused.statusCode(), refused.body());
        String limit = refused.statusCode() == 422 ? "logql-text-bytes" : "100000 steps";
        assertTrue(refused.body().contains(limit), refused.body());
        var other = daemon.get(range + encoded("{app=\"a\"}"));
        assertTrue(other.statusCode() == 200 && other.body().contains(line), other.body());
      }
    }
  }
}
