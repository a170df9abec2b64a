package io.widerow.ingest.serve.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Slice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: `index/stats` of any selector is exact, in open rows and in segments. Method: random lines
/// of many streams, twenty selectors, and sums over the lines; `-Dloki.stats.lines=1000000` for
/// more of them.
@Timeout(1_200)
class LokiStatsTest {
  private static final int LINES = Slice.of("loki.stats.lines", 2_000, 20_000);
  private static final int OF_PUSH = 1_000;
  private static final long T = 1_780_000_000_000_000_000L;

  /// @param stream the labels as text; hashes of such maps collide
  private record Line(Map<String, String> labels, String stream, int bytes) {
    String label(String name) {
      return labels.getOrDefault(name, "");
    }
  }

  private static final Map<String, Predicate<Line>> SELECTORS =
      Map.ofEntries(
          Map.entry("{}", _ -> true),
          Map.entry("{service_name=\"a0\"}", line -> line.label("app").equals("a0")),
          Map.entry("{service_name!=\"a0\"}", line -> !line.label("app").equals("a0")),
          Map.entry("{service_name=~\"a[12]\"}", line -> line.label("app").matches("a[12]")),
          Map.entry("{app=\"a1\"}", line -> line.label("app").equals("a1")),
          Map.entry("{app=~\".+\"}", _ -> true),
          Map.entry("{app=\"none\"}", _ -> false),
          Map.entry("{env=\"e0\"}", line -> line.label("env").equals("e0")),
          Map.entry("{env!=\"e0\"}", line -> !line.label("env").equals("e0")),
          Map.entry("{env=\"\"}", line -> line.label("env").isEmpty()),
          Map.entry("{env!=\"\"}", line -> !line.label("env").isEmpty()),
          Map.entry("{env=~\"e1|e2\"}", line -> line.label("env").matches("e1|e2")),
          Map.entry("{env!~\"e1|e2\"}", line -> !line.label("env").matches("e1|e2")),
          Map.entry(
              "{env=~\"e.*\", app=\"a2\"}",
              line -> line.label("env").startsWith("e") && line.label("app").equals("a2")),
          Map.entry("{id=\"7\"}", line -> line.label("id").equals("7")),
          Map.entry(
              "{id!=\"7\", app!=\"a0\"}",
              line -> !line.label("id").equals("7") && !line.label("app").equals("a0")),
          Map.entry("{k8s_pod_name=\"p3\"}", line -> line.label("k8s_pod_name").equals("p3")),
          Map.entry(
              "{k8s_pod_name=~\"p[0-4]\"}", line -> line.label("k8s_pod_name").matches("p[0-4]")),
          Map.entry("{my_label=\"x\"}", line -> line.label("my_label").equals("x")),
          Map.entry(
              "{my_label!=\"x\", env=\"e1\"}",
              line -> !line.label("my_label").equals("x") && line.label("env").equals("e1")));

  private static Map<String, String> labels(SplittableRandom random) {
    Map<String, String> labels = new TreeMap<>();
    labels.put("app", "a" + random.nextInt(4));
    labels.put("k8s_pod_name", "p" + random.nextInt(8));
    if (random.nextInt(4) > 0) {
      labels.put("env", "e" + random.nextInt(3));
    }
    if (random.nextInt(3) == 0) {
      labels.put("id", "" + random.nextInt(10));
    }
    if (random.nextInt(3) == 0) {
      labels.put("my_label", random.nextBoolean() ? "x" : "y");
    }
    return labels;
  }

  private static List<Line> push(LokiDaemon loki) throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(7);
    List<Line> lines = new ArrayList<>();
    while (lines.size() < LINES) {
      StringBuilder streams = new StringBuilder();
      for (int i = 0; i < OF_PUSH; i++) {
        Map<String, String> labels = labels(random);
        StringBuilder stream = new StringBuilder();
        labels.forEach((name, value) ->
            stream
                .append(stream.isEmpty() ? "" : ",")
                .append("\"%s\":\"%s\"".formatted(name, value)));
        String text = "x".repeat(random.nextInt(40)) + (random.nextInt(5) == 0 ? "\u00fc" : "");
        int bytes = text.length() + (text.endsWith("\u00fc") ? 1 : 0);
        streams.append(streams.isEmpty() ? "" : ",");
        streams.append(
            "{\"stream\":{%s},\"values\":[[\"%d\",\"%s\"]]}"
                .formatted(stream, T + random.nextLong(60_000_000_000L), text));
        lines.add(new Line(labels, stream.toString().intern(), bytes));
      }
      assertEquals(
          204,
          loki.http
              .post("/loki/api/v1/push", "application/json", "{\"streams\":[" + streams + "]}")
              .statusCode());
    }
    return lines;
  }

  private static void check(LokiDaemon loki, List<Line> lines)
      throws IOException, InterruptedException {
    assertEquals(20, SELECTORS.size());
    for (Map.Entry<String, Predicate<Line>> selector : SELECTORS.entrySet()) {
      List<Line> found = lines.stream().filter(selector.getValue()).toList();
      long streams = found.stream().map(Line::stream).distinct().count();
      String stats =
          loki.get(
              "index/stats",
              "query",
              selector.getKey(),
              "start",
              "" + T,
              "end",
              "" + (T + 60_000_000_000L));
      String end =
          ",\"bytes\":%d,\"entries\":%d}"
              .formatted(found.stream().mapToLong(Line::bytes).sum(), found.size());
      assertTrue(stats.startsWith("{\"streams\":" + streams + ","), selector.getKey() + stats);
      assertTrue(stats.endsWith(end), selector.getKey() + stats + end);
    }
  }

  @Test
  void statsAreThoseOfTheLines(@TempDir Path directory) throws IOException, InterruptedException {
    List<Line> lines;
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      lines = push(loki);
      check(loki, lines);
    }
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      check(loki, lines); // from segments
    }
  }
}
