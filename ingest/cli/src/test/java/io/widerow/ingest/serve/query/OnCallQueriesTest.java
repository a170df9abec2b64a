package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.widerow.cli.CommandDaemon;
import io.widerow.faults.Seeds;
import io.widerow.ingest.Http;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the queries of an engineer on call, over logs as programs write them by default, have one
/// result by command, over HTTP, as the page sends them, and in LogQL; and it is the right one.
/// Method: a daemon; a model that counts while it writes.
@Timeout(300)
class OnCallQueriesTest {
  private static final Instant FROM = Instant.parse("2026-01-10T12:00:00Z");
  private static final Instant TO = Instant.parse("2026-01-10T13:00:00Z");

  /// A line of each logger, at a level: how its default layout writes it.
  private static final Map<String, List<String>> LOGGERS =
      Map.of(
          "log4j",
              List.of(
                  "2026-01-10 12:00:00,123 [main] %s com.shop.Pay - paid 7",
                  "DEBUG", "INFO", "WARN", "ERROR", "FATAL"),
          "logback",
              List.of(
                  "12:00:00.123 [http-1] %-5s c.s.Cart -- took 3 ms",
                  "DEBUG", "INFO", "WARN", "ERROR"),
          "python",
              List.of(
                  "2026-01-10 12:00:00,123 - shop.tax - %s - computed",
                  "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"),
          "zap",
              List.of(
                  "{\"level\":\"%s\",\"ts\":1768046400.1,\"caller\":\"a/b.go:7\",\"msg\":\"done\"}",
                  "debug", "info", "warn", "error", "dpanic", "fatal"),
          "nginx",
              List.of(
                  "2026/01/10 12:00:00 [%s] 12#13: *14 open() \"/x\" failed",
                  "debug", "info", "notice", "warn", "error", "crit", "alert", "emerg"),
          "postgres",
              List.of(
                  "2026-01-10 12:00:00.123 UTC [77] ann@shop %s:  something",
                  "DEBUG", "LOG", "WARNING", "ERROR", "FATAL", "PANIC"));

  private static final List<String> ERRORS =
      List.of("error", "fatal", "critical", "crit", "alert", "emerg", "dpanic", "panic");

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path directory = Path.of(".");

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /// Events to send.
  private static final class Events {
    private final StringBuilder lines = new StringBuilder();

    void add(Instant time, String type, String body) {
      ObjectNode event = JSON.createObjectNode();
      event.put("ts", time.toString());
      event.put("type", type);
      event.put("body", body);
      lines.append(event).append('\n');
    }

    void send(CommandDaemon to) throws IOException, InterruptedException {
      HttpResponse<String> taken = to.http.post("/v1/events", Http.NDJSON, lines.toString());
      assertEquals(200, taken.statusCode(), taken.body());
      lines.setLength(0);
    }
  }

  private static CommandDaemon.Ran run(CommandDaemon it, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--output=json");
    CommandDaemon.Ran ran = it.run("query", all.toArray(String[]::new));
    assertEquals(0, ran.code(), ran.err());
    return ran;
  }

  private static JsonNode tree(String json) {
    try {
      return JSON.readTree(json);
    } catch (IOException notJson) {
      throw new AssertionError(json, notJson);
    }
  }

  private static List<JsonNode> rows(String lines) {
    return lines
        .lines()
        .map(OnCallQueriesTest::tree)
        .filter(row -> !row.has("progress") && !row.has("warnings"))
        .toList();
  }

  /// The rows of a query by command, over HTTP, and as the page asks for them, which are equal.
  private static List<JsonNode> asked(CommandDaemon it, Map<String, String> parameters)
      throws IOException, InterruptedException {
    List<String> options = new ArrayList<>();
    StringBuilder path = new StringBuilder("/v1/query?");
    parameters.forEach((name, value) -> {
      if (name.equals("type")) {
        options.add(value);
      } else {
        options.add(value.equals("true") ? "--" + name : "--" + name + "=" + value);
      }
      path.append(name).append('=').append(encoded(value)).append('&');
    });
    List<JsonNode> rows = rows(run(it, options.toArray(String[]::new)).out());
    assertEquals(rows, rows(it.get(path.toString())), "over HTTP");
    assertEquals(rows, rows(it.get(path + "progress=1&damage=skip")), "as the page");
    return rows;
  }

  private static Map<String, String> range(String... more) {
    Map<String, String> parameters = new TreeMap<>();
    parameters.put("from", FROM.toString());
    parameters.put("to", TO.toString());
    for (int i = 0; i < more.length; i += 2) {
      parameters.put(more[i], more[i + 1]);
    }
    return parameters;
  }

  /// Series of LogQL at one instant, or at steps.
  private static JsonNode logql(CommandDaemon it, String path, String query, String times)
      throws IOException, InterruptedException {
    HttpResponse<String> answer =
        it.http.get("/loki/api/v1/%s?query=%s&%s".formatted(path, encoded(query), times));
    assertEquals(200, answer.statusCode(), answer.body());
    return tree(answer.body()).path("data").path("result");
  }

  private static String value(JsonNode sample) {
    return sample.get(1).asText();
  }

  private CommandDaemon daemon() {
    return new CommandDaemon(directory, Map.of("lanes", "1"));
  }

  /// Top ten clients by bytes of an access log of nginx, in its default format.
  @Test
  void topClientsByBytes() throws IOException, InterruptedException {
    Map<String, Long> model = new TreeMap<>();
    try (var it = daemon()) {
      Events events = new Events();
      List<String> lines = Files.readAllLines(Path.of("../../loadgen/logs/apache_access.log"));
      for (int i = 0; i < 1_500; i++) {
        String line = lines.get(i); // nginx' `combined` is Apache's
        events.add(FROM.plusMillis(1_000L * i + 7), "nginx", line);
        String bytes = line.replaceFirst(".*?\" \\d{3} (\\S+).*", "$1");
        model.merge(
            line.substring(0, line.indexOf(' ')),
            bytes.equals("-") ? 0 : Long.parseLong(bytes),
            Long::sum);
        if (i == 700) {
          events.send(it);
          it.merge();
        }
      }
      events.send(it);
      List<String> expected =
          model.entrySet().stream()
              .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
              .limit(10)
              .map(Object::toString)
              .toList();
      List<JsonNode> rows =
          asked(
              it,
              range(
                  "type", "nginx",
                  "where", "| parse as nginx",
                  "stats", "sum(bytes)",
                  "by", "client",
                  "order-by", "sum(bytes) desc",
                  "limit", "10"));
      assertEquals(
          expected,
          rows.stream()
              .map(row -> row.path("client").asText() + "=" + row.path("sum(bytes)").asLong())
              .toList());
      JsonNode series =
          logql(
              it,
              "query",
              "topk(10, sum by (client) (sum_over_time({service_name=\"nginx\"}"
                  + " | pattern `<client> - <_> [<_>] \"<_>\" <_> <bytes> <_>`"
                  + " | bytes != \"-\" | unwrap bytes [1h])))",
              "time=" + TO);
      List<String> found = new ArrayList<>();
      series.forEach(each ->
          found.add(
              "%s=%s"
                  .formatted(
                      each.path("metric").path("client").asText(), value(each.path("value")))));
      assertEquals(expected, found);
    }
  }

  /// The 99th percentile of a time that texts have. LogQL's quantile lies between two values unless
  /// its rank is whole, as it is for 1,001 events.
  @Test
  void percentileOfALatencyInText() throws IOException, InterruptedException {
    var random = new SplittableRandom(Seeds.one());
    List<Integer> model = new ArrayList<>();
    try (var it = daemon()) {
      Events events = new Events();
      for (int i = 0; i < 1_001; i++) {
        int took = random.nextInt(1_000);
        model.add(took);
        Instant time = FROM.plusMillis(3_000L * i + 7);
        events.add(time, "shop", "GET /cart of user %d took %d ms".formatted(i % 9, took));
        events.add(time.plusMillis(1), "shop", "nothing was slow");
        if (i == 600) {
          events.send(it);
          it.merge();
        }
      }
      events.send(it);
      String expected = String.valueOf(model.stream().sorted().toList().get(990));
      for (String parse :
          List.of(
              "regexp /took (?P<ms>\\d+) ms/",
              "grok `took %{INT:ms} ms`",
              "pattern `GET <_> of user <_> took <ms> ms`")) {
        List<JsonNode> rows =
            asked(it, range("type", "shop", "where", "| parse as " + parse, "stats", "p99(ms)"));
        assertEquals(1, rows.size());
        assertEquals(
            Double.parseDouble(expected), rows.getFirst().path("p99(ms)").asDouble(), parse);
      }
      JsonNode series =
          logql(
              it,
              "query",
              "quantile_over_time(0.99, {service_name=\"shop\"} |= `took`"
                  + " | regexp `took (?P<ms>\\d+) ms` | unwrap ms [1h]) by ()",
              "time=" + TO);
      assertEquals(1, series.size(), series.toString());
      assertEquals(expected, value(series.get(0).path("value")));
    }
  }

  /// Errors by service and minute, from six loggers that write the level each in its own way.
  @Test
  void errorsByServiceAndMinute() throws IOException, InterruptedException {
    var random = new SplittableRandom(Seeds.one());
    Map<String, Long> model = new TreeMap<>();
    try (var it = daemon()) {
      Events events = new Events();
      for (int i = 0; i < 900; i++) {
        Instant time = FROM.plusMillis(4_000L * i + 7);
        for (Map.Entry<String, List<String>> logger : LOGGERS.entrySet()) {
          List<String> of = logger.getValue();
          String level = of.get(1 + random.nextInt(of.size() - 1));
          events.add(time, "shop." + logger.getKey(), of.getFirst().formatted(level));
          if (ERRORS.contains(level.toLowerCase(Locale.ROOT))) {
            model.merge(
                time.truncatedTo(ChronoUnit.MINUTES) + " shop." + logger.getKey(), 1L, Long::sum);
          }
        }
        if (i == 500) {
          events.send(it);
          it.merge();
        }
      }
      events.send(it);
      assertTrue(model.size() > 300, "most minutes of six loggers have errors");
      for (String where : List.of("level >= error", "| parse by sight | level >= error")) {
        Map<String, Long> found = new TreeMap<>();
        asked(
                it,
                range(
                    "type", "shop.*", "where", where, "stats", "count", "by", "type", "every",
                    "1m"))
            .forEach(row ->
                found.put(
                    Instant.parse(row.path("ts").asText()) + " " + row.path("type").asText(),
                    row.path("count").asLong()));
        assertEquals(model, found, where);
      }
      Map<String, Long> found = new TreeMap<>();
      logql(
              it,
              "query_range",
              "sum by (service_name) (count_over_time({service_name=~\"shop\\\\..*\"}"
                  + " | detected_level=~\"error|critical|fatal\" [1m]))",
              "step=60&start=%s&end=%s".formatted(FROM.plusSeconds(60), TO))
          .forEach(each -> {
            JsonNode of = each;
            String service = of.path("metric").path("service_name").asText();
            for (JsonNode sample : of.path("values")) {
              long end = sample.get(0).asLong();
              found.put(
                  Instant.ofEpochSecond(end - 60) + " " + service, Long.parseLong(value(sample)));
            }
          });
      assertEquals(model, found, "LogQL");
    }
  }

  /// Debug lines for a day, the others for longer: every way of asking shows the same events.
  @Test
  void debugForADay() throws IOException, InterruptedException {
    try (var it = daemon()) {
      Events events = new Events();
      Map<String, Long> kept = new TreeMap<>();
      Instant now = Instant.now();
      for (Map.Entry<String, List<String>> logger : LOGGERS.entrySet()) {
        List<String> of = logger.getValue();
        for (String level : of.subList(1, of.size())) {
          for (int hours = 1; hours < 60; hours += 5) {
            String type = "shop." + logger.getKey();
            events.add(now.minus(Duration.ofHours(hours)), type, of.getFirst().formatted(level));
            if (hours < 24 || !level.equalsIgnoreCase("debug")) {
              kept.merge(type, 1L, Long::sum);
            }
          }
        }
      }
      events.send(it);
      it.merge();
      CommandDaemon.Ran set =
          it.run("retention", "set", "shop.*", "--where=level <= debug", "--age=1d");
      assertEquals(0, set.code(), set.err());
      assertTrue(set.out().contains("\"hiddenEvents\":42,"), set.out());
      for (int round = 0; round < 2; round++) {
        Map<String, Long> found = new TreeMap<>();
        asked(it, Map.of("type", "shop.*", "stats", "count", "by", "type"))
            .forEach(row -> found.put(row.path("type").asText(), row.path("count").asLong()));
        assertEquals(kept, found);
        Map<String, Long> byLogql = new TreeMap<>();
        logql(
                it,
                "query",
                "sum by (service_name) (count_over_time({service_name=~\"shop\\\\..*\"}[10d]))",
                "time=" + now)
            .forEach(each ->
                byLogql.put(
                    each.path("metric").path("service_name").asText(),
                    Long.parseLong(value(each.path("value")))));
        assertEquals(kept, byLogql);
        List<JsonNode> old =
            asked(
                it,
                Map.of(
                    "type",
                    "shop.*",
                    "to",
                    now.minus(Duration.ofDays(1)).toString(),
                    "stats",
                    "count",
                    "where",
                    "level <= debug"));
        assertEquals(0, old.getFirst().path("count").asLong());
        it.merge();
      }
    }
  }
}
