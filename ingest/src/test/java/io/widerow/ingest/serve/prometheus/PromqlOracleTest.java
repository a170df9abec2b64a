package io.widerow.ingest.serve.prometheus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.widerow.faults.Await;
import io.widerow.faults.Seeds;
import io.widerow.ingest.OperatedDaemon;
import io.widerow.ingest.decode.ProtobufBytes;
import io.widerow.ingest.receive.prometheus.Messages;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: PromQL over our samples has the results that it has over Prometheus' own, evaluated there
/// or here. Method: one Prometheus gets generated samples and writes them on to a daemon by remote
/// write; another one has none and reads them there. Both and the daemon evaluate the same
/// generated expressions. No sample lies on the edge of a window, which Prometheus counts before
/// version 3.
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("process")
class PromqlOracleTest {
  private static final int EXPRESSIONS = Integer.getInteger("promql.expressions", 30);
  private static final int FIRST = Integer.getInteger("promql.first", 0); // to begin at one again
  private static final long STEP_MILLIS = 5_000;
  private static final int STEPS = 100;
  private static final double ULPS = 1e-9; // sums of fractions depend on the order of series

  @TempDir private Path directory = Path.of(".");

  private final HttpClient client = HttpClient.newHttpClient();
  private final ObjectMapper mapper = new ObjectMapper();

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static boolean isThere() {
    return Arrays.stream(String.valueOf(System.getenv("PATH")).split(":", -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "prometheus")));
  }

  private Process prometheus(String name, int port, String config) throws IOException {
    Path file = directory.resolve(name + ".yml");
    Files.writeString(file, "global: {external_labels: {region: eu}}\n" + config);
    return new ProcessBuilder(
            "prometheus",
            "--config.file=" + file,
            "--storage.tsdb.path=" + directory.resolve(name),
            "--web.enable-remote-write-receiver",
            "--query.lookback-delta=30s",
            "--web.listen-address=127.0.0.1:" + port)
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve(name + ".log").toFile())
        .start();
  }

  private String get(int port, String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
  }

  private void awaitReady(int port) throws InterruptedException {
    Await.until(
        () -> {
          try {
            return get(port, "/-/ready").contains("Ready");
          } catch (IOException notYet) {
            return false;
          }
        },
        "Prometheus is ready");
  }

  /// Sends generated samples to a Prometheus, and returns how many.
  private long send(int port, long base, SplittableRandom random)
      throws IOException, InterruptedException {
    List<PromqlSeries> all = PromqlSeries.generated(random);
    long sent = 0;
    for (int from = 0; from < STEPS; from += 10) {
      List<byte[]> request = new ArrayList<>();
      for (PromqlSeries series : all) {
        List<byte[]> parts = new ArrayList<>();
        series.labels().forEach((name, value) -> parts.add(Messages.label(name, value)));
        for (int step = from; step < from + 10; step++) {
          Double value = series.at(step);
          if (value != null) {
            parts.add(Messages.sample(value, base + step * STEP_MILLIS));
            sent++;
          }
        }
        request.add(Messages.series(parts.toArray(byte[][]::new)));
      }
      byte[] body = Messages.packed(ProtobufBytes.join(request.toArray(byte[][]::new)));
      HttpRequest write =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/v1/write"))
              .header("content-encoding", "snappy")
              .POST(BodyPublishers.ofByteArray(body))
              .build();
      HttpResponse<String> answer = client.send(write, BodyHandlers.ofString());
      assertEquals(204, answer.statusCode(), answer.body());
    }
    return sent;
  }

  static List<Long> seeds() {
    return Seeds.of(Integer.getInteger("promql.seeds", 1));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void expressionsHaveTheSameResults(long seed) throws IOException, InterruptedException {
    assumeTrue(isThere(), "skipped: no prometheus; apt-get install prometheus");
    SplittableRandom random = new SplittableRandom(seed);
    int writing = freePort();
    int reading = freePort();
    List<Process> started = new ArrayList<>();
    try (OperatedDaemon daemon = new OperatedDaemon(directory, Map.of("lanes", "2"))) {
      String ours = daemon.url();
      started.add(
          prometheus(
              "writing",
              writing,
              """
              remote_write:
                - url: %s/api/v1/write
                  queue_config: {batch_send_deadline: 200ms}
              """
                  .formatted(ours)));
      started.add(
          prometheus(
              "reading",
              reading,
              "remote_read: [{url: '%s/api/v1/read', read_recent: true}]\n".formatted(ours)));
      awaitReady(writing);
      awaitReady(reading);
      // Remote write leaves out samples from before its own start.
      long base = (System.currentTimeMillis() / 1_000 + 5) * 1_000 + 250; // on no edge
      long sent = send(writing, base, random);
      String all = "{\"count\":" + sent + "}";
      Await.until(
          () -> daemon.get("/v1/query?stats=count").lines().findFirst().orElse("").equals(all),
          all);
      PromqlExpressions expressions = new PromqlExpressions(random);
      int found = 0;
      for (int i = 0; i < EXPRESSIONS; i++) {
        found += compare(i, expressions.next(), base, List.of(writing, reading), daemon, random);
        if (i == EXPRESSIONS / 2) {
          daemon.merge();
        }
      }
      assertTrue(found > EXPRESSIONS / 2, found + " of " + EXPRESSIONS + " find something");
      System.out.printf("%d expressions, %d with results%n", EXPRESSIONS, found);
    } finally {
      started.forEach(Process::destroyForcibly);
    }
  }

  /// Evaluates an expression at one instant and over a range; 1 when it finds something.
  private int compare(
      int number,
      String expression,
      long base,
      List<Integer> ports,
      OperatedDaemon daemon,
      SplittableRandom random)
      throws IOException, InterruptedException {
    String query = URLEncoder.encode(expression, StandardCharsets.UTF_8);
    double at = base / 1e3 + random.nextInt(-20, STEPS * 5 + 60) + 0.25;
    String instant = "/api/v1/query?query=%s&time=%.3f".formatted(query, at);
    String range =
        "/api/v1/query_range?query=%s&start=%.3f&end=%.3f&step=%d"
            .formatted(query, base / 1e3 - 6.75, base / 1e3 + STEPS * 5, 7 + random.nextInt(40));
    String shown = "expression %d: %s".formatted(number, expression);
    if (number < FIRST) {
      return 1;
    }
    int found = 0;
    for (String path : List.of(instant, range)) {
      JsonNode wanted = mapper.readTree(get(ports.getFirst(), path));
      JsonNode read = mapper.readTree(get(ports.getLast(), path));
      JsonNode evaluated = mapper.readTree(daemon.get(path + "&lookback_delta=30s"));
      assertEquals(wanted.path("status"), read.path("status"), () -> shown + read);
      assertTrue(read.path("warnings").isMissingNode(), () -> shown + read);
      assertEquals(wanted.path("error"), read.path("error"), shown);
      Map<String, JsonNode> left = bySeries(wanted.path("data"));
      Map<String, JsonNode> right = bySeries(read.path("data"));
      assertEquals(left.keySet(), right.keySet(), shown);
      left.forEach((series, values) ->
          assertValues(values, right.getOrDefault(series, values), shown + series));
      assertEquals(wanted.path("status"), evaluated.path("status"), () -> shown + evaluated);
      Map<String, JsonNode> here = bySeries(evaluated.path("data"));
      assertEquals(left.keySet(), here.keySet(), shown);
      left.forEach((series, values) ->
          assertValues(values, here.getOrDefault(series, values), shown + series));
      found |= left.isEmpty() ? 0 : 1;
    }
    return found;
  }

  private static Map<String, JsonNode> bySeries(JsonNode data) {
    Map<String, JsonNode> series = new TreeMap<>();
    JsonNode result = data.path("result");
    if (data.path("resultType").asText().equals("scalar")) {
      series.put("scalar", result);
      return series;
    }
    for (JsonNode each : result) {
      Map<String, String> labels = new TreeMap<>();
      each.path("metric").properties().forEach(l -> labels.put(l.getKey(), l.getValue().asText()));
      labels.remove("region"); // of the Prometheus that wrote them
      series.put(labels.toString(), each.has("value") ? each.path("value") : each.path("values"));
    }
    return series;
  }

  private static void assertValues(JsonNode wanted, JsonNode read, String shown) {
    assertEquals(wanted.size(), read.size(), shown);
    for (int i = 0; i < wanted.size(); i++) {
      JsonNode left = wanted.get(i);
      JsonNode right = read.get(i);
      if (left.isArray()) {
        assertValues(left, right, shown);
      } else if (left.isTextual()) {
        double one = number(left.asText());
        double other = number(right.asText());
        boolean same =
            Double.compare(one, other) == 0
                || Math.abs(one - other) <= ULPS * Math.max(Math.abs(one), Math.abs(other));
        assertTrue(same, () -> shown + ": " + left + " and " + right);
      } else {
        assertEquals(left.asDouble(), right.asDouble(), shown);
      }
    }
  }

  private static double number(String text) {
    return switch (text) {
      case "+Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }
}
