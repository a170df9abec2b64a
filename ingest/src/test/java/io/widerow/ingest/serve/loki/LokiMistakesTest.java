package io.widerow.ingest.serve.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a mistake in a parameter is one sentence with the value, and no mistake is an internal
/// error; numbers are written as in Go. Method: wrong values for each parameter of each endpoint,
/// and values in several forms.
@Timeout(300)
class LokiMistakesTest {
  private static final String[][] TOLD = {
    {
      "query_range",
      "query={}",
      "start=x",
      "could not parse 'start' parameter: strconv.ParseInt: parsing \\\"x\\\": invalid syntax: not"
          + " a"
    },
    {"query_range", "query={}", "limit=0", "limit must be a positive value, got 0"},
    {"query_range", "query={}", "limit=1000001", "max entries limit per query exceeded, limit >"},
    {"query_range", "query={}", "after=w1.x", "after: not a token: w1.x"},
    {"query_range", "query={}", "limit=-5", "limit must be a positive value, got -5"},
    {
      "query_range",
      "query={}",
      "direction=up",
      "invalid direction 'up', must be forward or backward"
    },
    {
      "query_range",
      "query=vector(1)",
      "step=0",
      "zero or negative query resolution step widths are not accepted"
    },
    {
      "query_range",
      "query=vector(1)",
      "step=1e9999",
      "cannot parse \\\"1e9999\\\" to a valid duration"
    },
    {
      "query_range",
      "query=vector(1)",
      "step=1ms",
      "exceeded maximum resolution of 11,000 points per time series"
    },
    {
      "query_range",
      "query={}",
      "since=later",
      "could not parse 'since' parameter: not a valid duration string: \\\"later\\\""
    },
    {"query", "query={}", "time=5", "log queries are not supported as an instant"},
    {"series", "match[]={a=\"b\"} | json", "start=1", "only label matchers are supported"},
    {"query", "query=rate({}[99y])", "time=5", "parse error at line 1, col 9"},
    {"labels", "query=rate({}[1m])", "start=1", "only label matchers are supported"},
    {"series", "match[]={", "start=1", "parse error at line 1, col 2"},
    {
      "index/volume",
      "query={}",
      "aggregateBy=x",
      "invalid aggregation option: must be series or labels"
    },
    {"detected_fields", "query=vector(1)", "start=1", "is a metric query, a log query is required"}
  };

  /// A parameter, and texts of one value.
  private static final String[][] SAME = {
    {"step", "1000", "1e3", "1E+3", "+1000", "1000.", "16m40s"},
    {"start", "0.5", ".5", "+.5", "+0.5", "5e-1", "+500000000000e-12", "1970-01-01T00:00:00.5Z"},
    {"end", "5000", "+5000", "+5000000000000", "5000000000000"},
    {"since", "0", "0s", "+0"},
    {"limit", "5", "+5"}
  };

  private static final List<String> PATHS =
      List.of(
          "query",
          "query_range",
          "labels",
          "label/a/values",
          "series",
          "index/stats",
          "index/volume",
          "index/volume_range",
          "detected_labels",
          "detected_fields",
          "detected_field/a/values",
          "patterns");
  private static final String[] EXTREMES = {
    "0",
    "-1",
    "9223372036854775807",
    "-9223372036854775808",
    "1e300",
    "99999999999999999999",
    ",",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z"
  };

  private static String[] parameters(String... pairs) {
    String[] parameters = new String[2 * pairs.length];
    for (int i = 0; i < pairs.length; i++) {
      int equals = pairs[i].indexOf('=');
      parameters[2 * i] = pairs[i].substring(0, equals);
      parameters[2 * i + 1] = pairs[i].substring(equals + 1);
    }
    return parameters;
  }

  private static String[] pairs(Map<String, String> parameters) {
    return parameters.entrySet().stream()
        .flatMap(pair -> Stream.of(pair.getKey(), pair.getValue()))
        .toArray(String[]::new);
  }

  @Test
  void eachMistakeIsASentence(@TempDir Path directory) throws IOException, InterruptedException {
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      for (String[] mistake : TOLD) {
        String message = loki.refusal(400, mistake[0], parameters(mistake[1], mistake[2]));
        String what = String.join(" ", mistake) + ": " + message;
        assertTrue(message.startsWith(mistake[3]), what);
      }
      assertEquals(
          "parse error : syntax error: unexpected $end",
          loki.refusal(400, "query_range", "start", "1", "end", "2"));
    }
  }

  @Test
  void numbersAreWrittenAsInGo(@TempDir Path directory) throws IOException, InterruptedException {
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      for (String[] texts : SAME) {
        Map<String, String> asked =
            new TreeMap<>(Map.of("query", "vector(1)", "end", "5000", "step", "500"));
        asked.put(texts[0], texts[1]);
        String expected = loki.get("query_range", pairs(asked));
        for (String text : List.of(texts).subList(2, texts.length)) {
          asked.put(texts[0], text);
          String found = loki.get("query_range", pairs(asked));
          assertEquals(expected, found, texts[0] + "=" + text);
        }
      }
    }
  }

  @Test
  void extremesAreNoInternalErrors(@TempDir Path directory)
      throws IOException, InterruptedException {
    try (LokiDaemon loki = new LokiDaemon(directory.resolve("d"))) {
      loki.push("{\"app\":\"a\"}", "[\"1780000000000000000\",\"line\"]");
      for (String path : PATHS) {
        for (String query : new String[] {"{app=\"a\"}", "rate({app=\"a\"}[50y] offset 50y)"}) {
          for (String extreme : EXTREMES) {
            for (String name : new String[] {"start", "end", "time", "step", "targetLabels"}) {
              int status = loki.ask(path, "query", query, name, extreme).statusCode();
              String what = path + " " + query + " " + name + "=" + extreme + ": " + status;
              assertTrue(status == 200 || status == 400, what);
            }
          }
        }
      }
    }
  }
}
