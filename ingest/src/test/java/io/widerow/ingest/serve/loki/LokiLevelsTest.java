package io.widerow.ingest.serve.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: every query of `detected_level` means the level that a line got when it was pushed, in
/// open rows and in segments. Method: lines of each kind, and each comparison of the label counted
/// by lines and by a metric, before and after a restart.
@Timeout(300)
class LokiLevelsTest {
  private static final long T = 1_780_000_000_000_000_000L;
  private static final String AT = "" + (T + 60_000_000_000L);

  /// The levels of the lines, and how many lines have each.
  private static final Map<String, Integer> LEVELS =
      Map.of("error", 3, "warn", 1, "Own", 2, "own too", 1, "unknown", 2, "bar", 1);

  private static void push(LokiDaemon loki, String labels, String... linesAndMetadata)
      throws IOException, InterruptedException {
    List<String> values = new ArrayList<>();
    for (String line : linesAndMetadata) {
      values.add("[\"" + (T + 1 + values.size()) + "\"," + line + "]");
    }
    loki.push("{\"app\":\"shop\"" + labels + "}", String.join(",", values));
  }

  private static void check(LokiDaemon loki) throws IOException, InterruptedException {
    String selector = "{service_name=\"shop\"}";
    String by = "sum by (detected_level) (count_over_time(" + selector + "[1h]))";
    String sums = loki.get("query", "query", by, "time", AT);
    LEVELS.forEach((level, count) -> {
      String series =
          "{\"detected_level\":\"%s\"},\"value\":[1780000060,\"%d\"]".formatted(level, count);
      assertTrue(sums.contains(series), () -> series + sums);
    });
    for (String value :
        List.of("error", "Own", "unknown", "bar", "", "none", "Own|unknown", ".+", "[a-z]+")) {
      for (String sign : List.of("=", "!=", "=~", "!~")) {
        int expected = 0;
        for (Map.Entry<String, Integer> level : LEVELS.entrySet()) {
          String of = level.getKey();
          boolean same = sign.endsWith("~") ? of.matches(value) : of.equals(value);
          expected += same == sign.startsWith("=") ? level.getValue() : 0;
        }
        String test = selector + " | detected_level" + sign + "\"" + value + "\"";
        String sum = "sum(count_over_time(" + test + "[1h]))";
        String counted = loki.get("query", "query", sum, "time", AT);
        String result = expected == 0 ? "[]" : "\"" + expected + "\"]";
        assertTrue(counted.contains(result), () -> test + counted);
        String lines = loki.get("query_range", "query", test, "start", "" + T, "end", AT);
        assertEquals(expected, lines.split("\"line ", -1).length - 1, () -> test + lines);
      }
    }
  }

  @Test
  void aLevelIsFoundWhenALineArrives(@TempDir Path directory)
      throws IOException, InterruptedException {
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      push(
          loki,
          "",
          "\"line error\"",
          "\"line level=err\"",
          "\"line [warn] x\"",
          "\"line error\",{\"detected_level\":\"Own\"}",
          "\"line of none\"",
          "\"line of <11>ERROR-x\"");
      push(loki, ",\"level\":\"ERROR\"", "\"line info\"");
      push(loki, ",\"lvl\":\"Own\"", "\"line info\"");
      push(loki, ",\"lvl\":\"own too\"", "\"line info\"");
      loki.http.post(
          "/v1/events",
          "application/x-ndjson",
          "{\"type\":\"shop\",\"ts\":%s,\"body\":\"line x\",\"level\":\"bar\"}".formatted(T + 20));
      check(loki);
    }
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      check(loki); // from the journal, or from segments
    }
  }
}
