package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.widerow.faults.ServeProcess;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: however many types senders name, by whatever protocol, a daemon with a heap of 256 MiB
/// lives, every event can be read, with the name that was sent, and every route that lists
/// something answers, or refuses with a sentence; also after a restart. Method: a daemon as a
/// process of its own, two events of each of `-Dtypes=<n>` names, and a limit of `-Dtypes.max=<n>`.
@Timeout(3_600)
@Tag("process")
class ManyTypesTest {
  private static final int NAMES = Integer.getInteger("types", 700);
  private static final int TYPES_MAX = Integer.getInteger("types.max", 400);
  private static final int PER_REQUEST = 2_000;
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final List<String> ROUTES =
      List.of(
          "/v1/types",
          "/v1/types?format=csv",
          "/v1/partitions",
          "/v1/fields",
          "/v1/fields?where=ms+%3E+1",
          "/v1/fields/type",
          "/v1/patterns",
          "/v1/query?limit=5",
          "/v1/query?limit=5&order=desc",
          "/v1/query?limit=5&where=body+~+%27line%27",
          "/v1/query?stats=count&by=type",
          "/v1/query?stats=count&every=1m",
          "/v1/query?explain=true&limit=5",
          "/v1/query?progress=true&stats=count",
          "/loki/api/v1/labels",
          "/loki/api/v1/label/service_name/values",
          "/loki/api/v1/series",
          "/loki/api/v1/index/stats?query=%7Bservice_name%3D~%22.%2B%22%7D",
          "/loki/api/v1/index/volume?query=%7Bservice_name%3D~%22.%2B%22%7D",
          "/loki/api/v1/detected_labels",
          "/loki/api/v1/query_range?query=%7Bservice_name%3D~%22.%2B%22%7D&limit=5",
          "/api/v1/labels",
          "/api/v1/label/__name__/values",
          "/api/v1/series?match%5B%5D=%7B__name__%3D~%22influx.%2B%22%7D",
          "/v1/status",
          "/metrics");

  @TempDir Path directory = Path.of(".");

  private ServeProcess start() throws IOException {
    return ServeProcess.startWith(
        List.of("-Xmx256m"),
        directory.resolve("store"),
        "--set",
        "types-max=" + TYPES_MAX,
        "--set",
        "types-per-hour=" + TYPES_MAX,
        "--set",
        "disk-reserve-bytes=0");
  }

  /// A way in, which takes one event for each of some names.
  @FunctionalInterface
  private interface Entrance {
    void send(ServeProcess daemon, List<String> names) throws IOException, InterruptedException;
  }

  private static Entrance ofBody(String path, String contentType, Function<String, String> line) {
    return ofBody(path, contentType, "", line, "\n", "\n");
  }

  private static Entrance ofBody(
      String path,
      String contentType,
      String begin,
      Function<String, String> each,
      String between,
      String end) {
    return (daemon, names) -> {
      String body = names.stream().map(each).collect(Collectors.joining(between, begin, end));
      HttpResponse<String> answer = daemon.post(path, contentType, body);
      assertTrue(answer.statusCode() / 100 == 2, () -> path + ": " + answer.body());
    };
  }

  /// Another time at each call: a body that comes twice is stored once.
  private static String now() {
    Instant now = Instant.now();
    return String.format(Locale.ROOT, "%d%09d", now.getEpochSecond(), now.getNano());
  }

  private static final Map<String, Entrance> ENTRANCES = new LinkedHashMap<>();

  static {
    ENTRANCES.put(
        "json",
        ofBody("/v1/events", Http.NDJSON, "{\"type\":\"%s\",\"body\":\"line\"}"::formatted));
    ENTRANCES.put(
        "text",
        (daemon, names) -> {
          for (String name : names) {
            int status = daemon.post("/v1/events?type=" + name, Http.TEXT, "line").statusCode();
            assertEquals(200, status);
          }
        });
    ENTRANCES.put(
        "loki",
        ofBody(
            "/loki/api/v1/push",
            "application/json",
            "{\"streams\":[",
            name ->
                "{\"stream\":{\"service_name\":\"%s\"},\"values\":[[\"%s\",\"line\"]]}"
                    .formatted(name, now()),
            ",",
            "]}"));
    ENTRANCES.put(
        "otlp",
        ofBody(
            "/v1/logs",
            "application/json",
            "{\"resourceLogs\":[",
            name ->
                ("{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":"
                        + "{\"stringValue\":\"%s\"}}]},\"scopeLogs\":[{\"logRecords\":["
                        + "{\"timeUnixNano\":\"%s\",\"body\":{\"stringValue\":\"line\"}}]}]}")
                    .formatted(name, now()),
            ",",
            "]}"));
    ENTRANCES.put(
        "influx", ofBody("/api/v2/write?bucket=b", Http.TEXT, name -> name + " value=1i " + now()));
    ENTRANCES.put(
        "elastic",
        ofBody(
            "/_bulk",
            Http.NDJSON,
            name -> "{\"create\":{\"_index\":\"%s\"}}\n{\"message\":\"line\"}".formatted(name)));
    ENTRANCES.put(
        "datadog",
        ofBody(
            "/api/v2/logs",
            "application/json",
            "[",
            "{\"service\":\"%s\",\"message\":\"line\"}"::formatted,
            ",",
            "]"));
  }

  private static List<String> names(String entrance) {
    return IntStream.range(0, NAMES / ENTRANCES.size()).mapToObj(i -> entrance + "_x" + i).toList();
  }

  private static void sendAll(ServeProcess daemon) throws IOException, InterruptedException {
    for (Map.Entry<String, Entrance> each : ENTRANCES.entrySet()) {
      List<String> names = names(each.getKey());
      for (int from = 0; from < names.size(); from += PER_REQUEST) {
        int until = Math.min(names.size(), from + PER_REQUEST);
        each.getValue().send(daemon, names.subList(from, until));
      }
    }
  }

  private static List<JsonNode> lines(String body) throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : body.lines().toList()) {
      lines.add(JSON.readTree(line));
    }
    return lines;
  }

  private static long count(ServeProcess daemon) throws IOException, InterruptedException {
    return lines(daemon.get("/v1/query?stats=count").body()).getFirst().path("count").asLong();
  }

  /// How many events have each name, as their type or as the type that was sent.
  private static Map<String, Long> byName(ServeProcess daemon)
      throws IOException, InterruptedException {
    Map<String, Long> counts = new HashMap<>();
    for (JsonNode type : lines(daemon.get("/v1/types").body())) {
      counts.put(type.path("type").asText(), type.path("events").asLong());
    }
    for (JsonNode event : lines(daemon.get("/v1/query?type=overflow&fields=sender_type").body())) {
      if (event.has("sender_type")) {
        counts.merge(event.path("sender_type").asText(), 1L, Long::sum);
      }
    }
    return counts;
  }

  private static void assertEachNameHas(ServeProcess daemon, long events)
      throws IOException, InterruptedException {
    Map<String, Long> counts = byName(daemon);
    for (String entrance : ENTRANCES.keySet()) {
      for (String name : names(entrance)) {
        assertEquals(events, counts.get(name), name);
      }
    }
    long types = lines(daemon.get("/v1/types").body()).size();
    boolean overflows = NAMES > TYPES_MAX;
    assertEquals(overflows ? TYPES_MAX + 1 : counts.size(), types);
  }

  /// Fails unless each route answers, or refuses with a sentence.
  private static void assertRoutesAnswer(ServeProcess daemon)
      throws IOException, InterruptedException {
    for (String route : ROUTES) {
      HttpResponse<String> answer = daemon.get(route);
      String body = answer.body();
      if (answer.statusCode() != 200) {
        JsonNode error = JSON.readTree(body);
        assertTrue(error.has("error") || error.has("message"), () -> route + ": " + body);
        assertTrue(body.contains("memory"), () -> route + ": " + body);
      }
      assertTrue(daemon.isAlive(), route);
    }
  }

  @Test
  void aDaemonLivesWithAnyNumberOfTypes() throws IOException, InterruptedException {
    long sent = names("json").size() * (long) ENTRANCES.size();
    try (ServeProcess daemon = start()) {
      sendAll(daemon);
      sendAll(daemon);
      assertEquals(2 * sent, count(daemon));
      assertEachNameHas(daemon, 2);
      assertRoutesAnswer(daemon);
      if (sent > TYPES_MAX) {
        String status = daemon.get("/v1/status").body();
        assertTrue(status.contains("\"code\":\"type-overflow\",\"severity\":\"warn\""), status);
        long moved = 2 * (sent - TYPES_MAX);
        String metric = "widerow_types_overflowed_total " + (double) moved;
        assertTrue(daemon.get("/metrics").body().contains(metric), metric);
      }
      assertEquals(0, daemon.stop(60), daemon.output());
    }
    try (ServeProcess daemon = start()) {
      assertEquals(2 * sent, count(daemon));
      assertRoutesAnswer(daemon);
      sendAll(daemon);
      assertEquals(3 * sent, count(daemon));
      assertEachNameHas(daemon, 3);
      assertEquals(0, daemon.stop(60), daemon.output());
    }
  }
}
