package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.widerow.faults.Await;
import io.widerow.faults.ServeProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what Prometheus and an npm client send is stored exactly once, also when the daemon is
/// killed meanwhile. Method: the programs themselves; Prometheus' own store says how many samples
/// each metric has. When a program is missing, its test is skipped and names the Debian package.
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("process")
class PrometheusClientsTest {
  private static final Pattern NAME = Pattern.compile("\"__name__\":\"([^\"]+)\"");
  private static final Pattern TYPE = Pattern.compile("\"type\":\"([^\"]+)\",\"count\":(\\d+)");
  private static final long STEP_NANOS = 100_000_000;

  @TempDir private Path directory = Path.of(".");

  private final HttpClient client = HttpClient.newHttpClient();

  private static void requireProgram(String name, String debianPackage) {
    boolean there =
        Arrays.stream(String.valueOf(System.getenv("PATH")).split(":", -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    assumeTrue(there, "needs %s (Debian: apt-get install %s)".formatted(name, debianPackage));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private String get(int port, String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
  }

  private Process start(String name, String... command) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve(name + ".log").toFile())
        .start();
  }

  private ServeProcess daemon(int port) throws IOException {
    return ServeProcess.start(directory.resolve("d"), "--set", "http=127.0.0.1:" + port);
  }

  /// The sum of the samples of a metric of Prometheus itself; 0 when there is none.
  private double own(int port, String metric) throws IOException, InterruptedException {
    return get(port, "/metrics")
        .lines()
        .filter(line -> line.startsWith(metric + "{") || line.startsWith(metric + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /// Waits until a metric of Prometheus is at least so high; the time-out of the class ends it.
  private void await(int port, String metric, double wanted)
      throws IOException, InterruptedException {
    Await.until(() -> own(port, metric) >= wanted, wanted + " samples of " + metric);
  }

  @Test
  void prometheusIsStoredExactlyOnceAcrossAKill() throws IOException, InterruptedException {
    requireProgram("prometheus", "prometheus");
    requireProgram("prometheus-node-exporter", "prometheus-node-exporter");
    int ours = freePort();
    int theirs = freePort();
    int exporter = freePort();
    Path config = directory.resolve("prometheus.yml");
    String writing =
        """
        global: {scrape_interval: 1s, external_labels: {region: eu}}
        remote_write:
          - url: http://127.0.0.1:%d/api/v1/write
            queue_config: {max_backoff: 200ms, max_samples_per_send: 100, batch_send_deadline: 1s}
            metadata_config: {send_interval: 1s}
        """
            .formatted(ours);
    String scraping =
        """
        scrape_configs:
          - job_name: all
            static_configs: [{targets: ['127.0.0.1:%d', '127.0.0.1:%d']}]
        """
            .formatted(theirs, exporter);
    Files.writeString(config, writing + scraping);
    ServeProcess daemon = daemon(ours);
    Process node =
        start("node", "prometheus-node-exporter", "--web.listen-address=127.0.0.1:" + exporter);
    Process prometheus =
        start(
            "prometheus",
            "prometheus",
            "--config.file=" + config,
            "--storage.tsdb.path=" + directory.resolve("tsdb"),
            "--web.enable-lifecycle",
            "--web.listen-address=127.0.0.1:" + theirs);
    try {
      awaitReady(theirs);
      await(theirs, "prometheus_remote_storage_samples_total", 5_000);
      for (int i = 0; i < 2; i++) {
        double retried = own(theirs, "prometheus_remote_storage_samples_retried_total");
        daemon.kill();
        await(theirs, "prometheus_remote_storage_samples_retried_total", retried + 1);
        daemon = daemon(ours);
        double sent = own(theirs, "prometheus_remote_storage_samples_total");
        await(theirs, "prometheus_remote_storage_samples_total", sent + 3_000);
      }
      String described = get(theirs, "/api/v1/metadata?metric=go_goroutines");
      assertTrue(described.contains("gauge"), described);
      assertEquals(described.strip(), get(ours, "/api/v1/metadata?metric=go_goroutines").strip());
      Files.writeString(config, writing); // no more scrapes
      HttpRequest reload =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + theirs + "/-/reload"))
              .POST(BodyPublishers.noBody())
              .build();
      HttpResponse<String> reloaded = client.send(reload, BodyHandlers.ofString());
      assertEquals(200, reloaded.statusCode(), reloaded.body());
      assertEqualCounts(ours, theirs);
    } finally {
      prometheus.destroyForcibly();
      node.destroyForcibly();
      daemon.close();
    }
  }

  private void awaitReady(int port) throws InterruptedException {
    boolean ready = false;
    while (!ready) {
      Await.pauseNanos(STEP_NANOS);
      try {
        ready = get(port, "/-/ready").contains("Ready");
      } catch (IOException notYet) {
        ready = false;
      }
    }
  }

  /// Compares the number of samples of each metric, once no request is in progress.
  private void assertEqualCounts(int ours, int theirs) throws IOException, InterruptedException {
    Map<String, Long> wanted = Map.of();
    Map<String, Long> stored = Map.of("none", 0L);
    for (int i = 0; i < 200 && !wanted.equals(stored); i++) {
      Await.pauseNanos(STEP_NANOS);
      wanted = samples(get(theirs, "/api/v1/query?query=" + encoded("{__name__=~\".+\"}[1h]")));
      stored =
          counts(
              get(
                  ours,
                  "/v1/query?stats=count&by=type&limit=100000&where=" + encoded("stale != true")));
    }
    assertEquals(wanted, stored);
    long samples = wanted.values().stream().mapToLong(count -> count).sum();
    assertTrue(wanted.size() > 300 && samples > 10_000, wanted.size() + ": " + samples);
    assertEquals(0, own(theirs, "prometheus_remote_storage_samples_failed_total"));
    System.out.printf("%d samples of %d metrics, each once%n", samples, wanted.size());
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /// Counts the samples of each metric in an answer of Prometheus; stale markers are none of them.
  private static Map<String, Long> samples(String json) {
    Map<String, Long> counts = new TreeMap<>();
    String series = "{\"metric\":";
    for (int at = json.indexOf(series); at >= 0; at = json.indexOf(series, at + 1)) {
      int values = json.indexOf("\"values\":[[", at);
      int end = json.indexOf("]]", values);
      Matcher name = NAME.matcher(json).region(at, values);
      assertTrue(name.find());
      long count = json.substring(values, end).chars().filter(c -> c == '[').count() - 1;
      counts.merge(name.group(1), count, Long::sum);
    }
    return counts;
  }

  private static Map<String, Long> counts(String json) {
    Map<String, Long> counts = new TreeMap<>();
    for (MatchResult each : TYPE.matcher(json).results().toList()) {
      counts.put(each.group(1), Long.valueOf(each.group(2)));
    }
    return counts;
  }

  @Test
  void npmPrometheusRemoteWrite() throws IOException, InterruptedException {
    requireProgram("npm", "npm");
    Process install =
        start(
            "npm",
            "npm",
            "install",
            "--prefix",
            directory.toString(),
            "prometheus-remote-write@0.5.1",
            "node-fetch@2");
    assumeTrue(install.waitFor() == 0, "needs the npm package prometheus-remote-write");
    int port = freePort();
    try (ServeProcess _ = daemon(port)) {
      Path script = directory.resolve("send.js");
      Files.writeString(
          script,
          """
          const { pushTimeseries, pushMetrics } = require("prometheus-remote-write");
          const url = "http://127.0.0.1:%d/api/v1/write";
          (async () => {
            const samples = [...Array(100).keys()]
              .map((i) => ({ value: i / 4, timestamp: 1700000000000 + i }));
            const series = { labels: { __name__: "npm_test", type: "t" }, samples };
            const first = await pushTimeseries(series, { url, labels: { job: "j" } });
            const again = await pushTimeseries(series, { url, labels: { job: "j" } });
            const one = await pushMetrics({ npm_now: 7 }, { url });
            const bad = await pushTimeseries({ labels: { a: "b" }, samples }, { url });
            console.log(first.status, again.status, one.status, bad.status, bad.errorMessage);
          })();
          """
              .formatted(port));
      Process node = start("send", "node", script.toString());
      assertEquals(0, node.waitFor());
      assertEquals(
          "204 204 204 400 100 of 100 refused; the first: field 1: no label __name__, at byte 3",
          Files.readString(directory.resolve("send.log")).strip());
      assertEquals(100, get(port, "/v1/query?type=npm_test").lines().count() - 1);
      String last = get(port, "/v1/query?type=npm_test&order=desc&limit=1");
      assertTrue(
          last.contains(
              "\"ts\":\"2023-11-14T22:13:20.099000000Z\",\"type\":\"npm_test\",\"job\":\"j\","
                  + "\"label.type\":\"t\",\"value\":24.75}"),
          last);
      assertTrue(get(port, "/v1/query?type=npm_now").contains("\"value\":7"));
    }
  }
}
