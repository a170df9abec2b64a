package io.widerow.ingest.serve.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: pushed streams stay the sender's streams: each label keeps its name and its values, and
/// metadata is next to them, in open rows and in segments. Method: labels with the names that are
/// special elsewhere, in each kind of request, before and after a restart.
@Timeout(300)
class LokiStreamsTest {
  private static final long T = 1_780_000_000_000_000_000L;
  private static final String[] RANGE = {"start", "" + T, "end", "" + (T + 60_000_000_000L)};
  private static final List<String> NAMES =
      List.of("id", "type", "ts", "body", "level", "app", "k8s_pod_name", "custom");

  private static String[] asked(String... more) {
    String[] all = java.util.Arrays.copyOf(more, more.length + RANGE.length);
    System.arraycopy(RANGE, 0, all, more.length, RANGE.length);
    return all;
  }

  private static String at(int second) {
    return "" + (T + second * 1_000_000_000L);
  }

  private static void push(LokiDaemon loki) throws IOException, InterruptedException {
    for (String value : List.of("a", "b")) {
      StringBuilder labels = new StringBuilder("{\"service_name\":\"shop\"");
      NAMES.forEach(
          name -> labels.append(",\"").append(name).append("\":\"").append(value).append('"'));
      labels.append(",\"none\":\"\"}");
      loki.push(
          labels.toString(),
          "[\"%s\",\"one\"],[\"%s\",\"two\",{\"trace\":\"t%s\",\"app\":\"m\",\"id\":\"7\"}]"
              .formatted(at(1), at(2), value));
    }
  }

  private static void check(LokiDaemon loki) throws IOException, InterruptedException {
    String names = loki.get("labels", RANGE);
    for (String name : NAMES) {
      assertTrue(names.contains("\"" + name + "\""), names);
      assertEquals(
          "{\"status\":\"success\",\"data\":[\"a\",\"b\"]}",
          loki.get("label/" + name + "/values", asked("query", "{service_name=\"shop\"}"))
              .replace("\"7\",", "") // metadata of the name, in any selector
              .replace(",\"m\"", ""),
          name);
      String sums =
          loki.get(
              "query",
              "query",
              "sum by (%s) (count_over_time({service_name=\"shop\"}[1m]))".formatted(name),
              "time",
              at(30));
      for (String value : List.of("a", "b")) {
        String series =
            "{\"metric\":{\"%s\":\"%s\"},\"value\":[1780000030,\"2\"]}".formatted(name, value);
        assertTrue(sums.contains(series), name + ": " + sums);
      }
      String lines = loki.get("query_range", asked("query", "{" + name + "=\"a\"}"));
      assertTrue(lines.contains("\"one\"") && lines.contains("\"" + name + "\":\"a\""), lines);
      assertTrue(!lines.contains("\"" + name + "\":\"b\""), lines);
    }
    assertTrue(!names.contains("trace") && !names.contains("none") && !names.contains("_2"), names);
    String series = loki.get("series", asked("match[]", "{service_name=\"shop\"}"));
    StringBuilder stream = new StringBuilder("{");
    NAMES.stream().sorted().forEach(name -> stream.append('"').append(name).append("\":\"a\","));
    assertTrue(
        series.contains(
            stream
                .toString()
                .replace("\"ts\":", "\"service_name\":\"shop\",\"ts\":")
                .replaceFirst(",$", "}")),
        series);
    assertEquals(2, series.split("service_name", -1).length - 1, series);
    String counted =
        loki.get("query", "query", "count_over_time({service_name=\"shop\"}[1m])", "time", at(30));
    assertEquals(
        4, counted.split("\"metric\"", -1).length - 1, "2 streams, 2 with metadata: " + counted);
    assertTrue(
        counted.contains("\"app_extracted\":\"m\"") && counted.contains("\"id_extracted\":\"7\""),
        counted);
    assertTrue(
        counted.contains("\"detected_level\":\"a\"") && !counted.contains("widerow"), counted);
    String chosen =
        loki.get(
            "query",
            "query",
            "sum(count_over_time({id=\"b\"} | id_extracted=\"7\" [1m]))",
            "time",
            at(30));
    assertTrue(chosen.contains("[1780000030,\"1\"]"), chosen);
  }

  @Test
  void labelsOfAnyNameAreKept(@TempDir Path directory) throws IOException, InterruptedException {
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      push(loki);
      check(loki);
    }
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      check(loki); // from the journal, or from segments
    }
  }

  @Test
  void eachSetOfLabelsIsASeriesUpToTheLimit(@TempDir Path directory)
      throws IOException, InterruptedException {
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"), "loki-max-series", "1000")) {
      for (int sets : new int[] {1_000, 1_001}) {
        StringBuilder streams = new StringBuilder();
        for (int i = sets == 1_000 ? 0 : 1_000; i < sets; i++) {
          streams.append(streams.isEmpty() ? "" : ",");
          streams.append(
              "{\"stream\":{\"app\":\"x\",\"pod\":\"p%d\"},\"values\":[[\"%s\",\"l\"]]}"
                  .formatted(i, at(1)));
        }
        assertEquals(
            204,
            loki.http
                .post("/loki/api/v1/push", "application/json", "{\"streams\":[" + streams + "]}")
                .statusCode());
        String query = "count_over_time({app=\"x\"}[1m])";
        if (sets == 1_000) {
          String found = loki.get("query", "query", query, "time", at(30));
          assertEquals(1_000, found.split("\"metric\"", -1).length - 1);
        } else {
          String refused = loki.refusal(400, "query", "query", query, "time", at(30));
          assertTrue(
              refused.startsWith("maximum number of series (1000) reached for a single query"),
              refused);
        }
      }
    }
  }

  /// The series are refused by their number, before they take the memory of queries.
  @Test
  void twelveThousandSetsOfLabelsAreRefused(@TempDir Path directory)
      throws IOException, InterruptedException {
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      for (int from = 0; from < 12_000; from += 1_000) {
        StringBuilder streams = new StringBuilder();
        for (int i = from; i < from + 1_000; i++) {
          streams.append(streams.isEmpty() ? "" : ",");
          streams.append(
              "{\"stream\":{\"app\":\"x\",\"pod\":\"p%d\"},\"values\":[[\"%s\",\"l\"]]}"
                  .formatted(i, at(1)));
        }
        assertEquals(
            204,
            loki.http
                .post("/loki/api/v1/push", "application/json", "{\"streams\":[" + streams + "]}")
                .statusCode());
      }
      for (String query :
          List.of("count_over_time({app=\"x\"}[1m])", "sum by (pod) (rate({app=\"x\"}[1m]))")) {
        String refused = loki.refusal(400, "query", "query", query, "time", at(30));
        assertTrue(
            refused.startsWith("maximum number of series (10000) reached for a single query"),
            refused);
      }
      String all =
          loki.get("query", "query", "sum(count_over_time({app=\"x\"}[1m]))", "time", at(30));
      assertTrue(all.contains("\"12000\""), all);
      String some =
          loki.get("query", "query", "count_over_time({pod=~\"p11.*\"}[1m])", "time", at(30));
      assertEquals(1_111, some.split("\"metric\"", -1).length - 1, "p11, p110, p1100, p11000");
    }
  }

  @Test
  void statsAndVolumesOfSelectorsAreExact(@TempDir Path directory)
      throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(3);
    long[][] expected = new long[6][2]; // by label, then by both: entries, bytes
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      for (int i = 0; i < 300; i++) {
        int env = random.nextInt(2);
        int team = random.nextInt(3);
        String line = "x".repeat(random.nextInt(50)) + (random.nextBoolean() ? "\u00fc" : "");
        int bytes = line.length() + (line.endsWith("\u00fc") ? 1 : 0);
        loki.push(
            "{\"app\":\"a\",\"env\":\"e%d\",\"team\":\"t%d\"}".formatted(env, team),
            "[\"%s\",\"%s\"]".formatted(at(i % 60), line));
        for (int at : new int[] {env, 2 + team, 5}) {
          expected[at][0]++;
          expected[at][1] += bytes;
        }
      }
      String[] selectors = {
        "{env=\"e0\"}", "{env=\"e1\"}", "{team=\"t0\"}", "{team=~\"t1\"}", "{team=\"t2\"}", "{}"
      };
      for (int i = 0; i < selectors.length; i++) {
        String stats = loki.get("index/stats", asked("query", selectors[i]));
        String end = ",\"bytes\":%d,\"entries\":%d}".formatted(expected[i][1], expected[i][0]);
        assertTrue(stats.endsWith(end), selectors[i] + " " + stats + " " + end);
      }
      String volume = loki.get("index/volume", asked("query", "{}", "targetLabels", "team"));
      for (int team = 0; team < 3; team++) {
        String one =
            "{\"team\":\"t%d\"},\"value\":[1780000060,\"%d\"]"
                .formatted(team, expected[2 + team][1]);
        assertTrue(volume.contains(one), volume + " " + one);
      }
    }
  }
}
