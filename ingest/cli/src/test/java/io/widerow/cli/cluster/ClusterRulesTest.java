package io.widerow.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.faults.Await;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.FakeAlertmanager;
import io.widerow.ingest.Http;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.cassandra.CassandraStore;
import io.widerow.storage.cassandra.ClusterReading;
import io.widerow.storage.cassandra.apply.ApplyOptions;
import io.widerow.storage.cassandra.read.ReadOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: of the daemons on a cluster one evaluates a group, and another continues without a gap
/// when it is gone; each evaluation is stored once, and an alert is sent with one start. Method:
/// two daemons over a keyspace in memory, and an Alertmanager in this process.
@Timeout(300)
@Tag("deep")
class ClusterRulesTest {
  private static final Pattern TIME = Pattern.compile("\"ts\":\"([^\"]*)\"");
  private static final Pattern STARTS = Pattern.compile("\"startsAt\":\"([^\"]*)\"");

  @TempDir private Path temporary = Path.of(".");
  private final MemoryKeyspace keyspace = new MemoryKeyspace();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private Daemon daemon(String name, String alertmanager) {
    ClusterReading reading =
        new ClusterReading(
            keyspace,
            new ClusterReading.Settings(ReadOptions.DEFAULT, Duration.ofHours(1), null),
            threads,
            threads);
    StoreConfig local =
        StoreConfig.at(temporary.resolve(name))
            .withLanes(1, 2)
            .withMemory(8L << 20, Duration.ofMinutes(1))
            .withJournal(1 << 20, 8 << 20)
            .withDiskReserveBytes(0);
    return Daemon.start(
        DaemonConfig.of(
            Map.of(
                "http",
                "127.0.0.1:0",
                "lanes",
                "1",
                "store",
                "cassandra://127.0.0.1/widerow?dc=dc1",
                "rules-dir",
                temporary.resolve("rules").toString(),
                "rules-settle",
                "0s",
                "alertmanagers",
                alertmanager)),
        CassandraStore.open(keyspace, local, ApplyOptions.of(name), reading, threads));
  }

  @AfterEach
  void end() {
    threads.close();
  }

  private static void send(Http http, double value) throws IOException, InterruptedException {
    String line = "{\"type\":\"x\",\"ts\":\"%s\",\"value\":%s}\n".formatted(Instant.now(), value);
    assertEquals(200, http.post("/v1/events", Http.NDJSON, line).statusCode());
  }

  private static List<Instant> evaluations(Http http) throws IOException, InterruptedException {
    String events = http.get("/v1/query?type=widerow.rules&since=1h").body();
    return TIME.matcher(events).results().map(each -> Instant.parse(each.group(1))).toList();
  }

  @Test
  void oneDaemonEvaluatesAGroupAndAnotherContinues() throws IOException, InterruptedException {
    Path rules = Files.createDirectories(temporary.resolve("rules"));
    Files.writeString(
        rules.resolve("c.yml"),
        """
        groups:
          - name: c
            interval: 1s
            rules:
              - {record: r, expr: x}
              - {alert: A, expr: x > 5, for: 2s}
        """);
    keyspace.setClockMillis(System.currentTimeMillis());
    try (FakeAlertmanager alertmanager = new FakeAlertmanager(0)) {
      Daemon first = daemon("one", alertmanager.url());
      try (Http toFirst = new Http(first)) {
        send(toFirst, 10);
      }
      Await.until(() -> !alertmanager.bodies().isEmpty(), "it fires");
      try (Daemon second = daemon("two", alertmanager.url());
          Http toSecond = new Http(second)) {
        Await.until(
            () -> toSecond.get("/api/v1/alerts").body().contains("firing"), "the other shows it");
        assertEquals(
            501, toSecond.send("PUT", "/v1/alerts?rule=n&stats=count&below=1").statusCode());
        Instant before = evaluations(toSecond).getLast();
        first.close();
        keyspace.setClockMillis(System.currentTimeMillis() + 60_000); // the lease is over
        Await.until(
            () -> evaluations(toSecond).getLast().isAfter(before.plusSeconds(8)), "it continues");
        List<Instant> made = evaluations(toSecond);
        for (int i = 1; i < made.size(); i++) {
          assertEquals(made.get(i - 1).plusSeconds(1), made.get(i), "each once: " + made);
        }
        String history = toSecond.get("/v1/alerts/history?from=1h").body();
        assertEquals(2, history.lines().count(), history);
        Set<String> starts =
            alertmanager.bodies().stream()
                .flatMap(body -> STARTS.matcher(body).results())
                .map(each -> each.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(1, starts.size(), starts.toString());
        assertTrue(
            toSecond
                .post("/v1/alerts/backtest?from=1h&as-seen=true", Http.TEXT, "groups: []\n")
                .body()
                .isEmpty());
      }
    }
  }
}
