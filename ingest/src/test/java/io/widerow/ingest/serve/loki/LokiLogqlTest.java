package io.widerow.ingest.serve.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: LogQL over pushed streams has Loki's results and errors. Method: a table of queries at one
/// instant over a few lines, with the series or the beginning of the error. [LogqltestTest] asks
/// much more, when Loki's own tests are there.
@Timeout(300)
class LokiLogqlTest {
  private static final String AT = "1780000060";
  private static final String[][] RESULTS = {
    {"1 > 2", "0"},
    {"7 == 7", "1"},
    {"10 / 0", "NaN"},
    {"-2 ^ 2", "4"},
    {"sum(count_over_time({app=\"a\"}[1m])) % vector(0)", "{} NaN"},
    {"count_over_time({app=\"a\"} |= ip(\"10.0.0.0/8\") [1m])", "{app=a, pod=1} 2"},
    {"sum(count_over_time({app=\"a\"} != ip(\"10.0.0.0/8\") [1m]))", "{} 1"},
    {"count_over_time({app=\"a\"} |> \"<_> took <_>\" !> \"<_>9ms\" [1m])", "{app=a, pod=1} 2"},
    {
      "sum by (x) (count_over_time({app=\"a\"} | logfmt | x = ip(\"10.0.0.1\") [1m]))",
      "{x=10.0.0.1} 1"
    },
    {
      "label_replace(sum by (pod) (count_over_time({app=\"a\"}[1m])), \"n\", \"p$1\", \"pod\","
          + " \"(.)\")",
      "{n=p1, pod=1} 2; {n=p2, pod=2} 1"
    },
    {
      "sum by (app, pod) (count_over_time({app=\"a\"}[1m])) / on (app) group_left (team)"
          + " sum by (app, team) (count_over_time({app=\"a\"} | label_format team=`t` [1m]))",
      "{app=a, pod=1, team=t} 0.6666666666666666; {app=a, pod=2, team=t} 0.3333333333333333"
    },
    {"approx_topk(1, sum by (pod) (count_over_time({app=\"a\"}[1m])))", "{pod=1} 2"},
    {
      "rate_counter({app=\"c\"} | logfmt | unwrap n [1m])",
      "{app=c} 0.11666666666666665" // 1, 5, 2: an increase of 6 with a reset
    },
    {
      "sum by (e) (count_over_time({app=\"c\"} | label_format e=`{{.nope}}` [1m])) + on (e)"
          + " vector(1)",
      "{} 4" // a label without a value matches one that is not there
    },
    {
      "sum by (e) (count_over_time({app=\"c\"} | label_format e=`{{.nope}}` [1m])) unless"
          + " vector(1)",
      "nothing"
    },
    {
      "sum by (e) (count_over_time({app=\"c\"} | label_format e=`{{.nope}}` [1m])) and vector(1)",
      "{e=} 3"
    },
    {"count_over_time({app=\"j\"} | json [1m])", "{app=j, k=first, v=} 1"},
    {"count_over_time({app=\"j\"} | json w=\"nope\" [1m])", "{app=j, w=} 1"},
    {"count_over_time({app=\"a\"} | logfmt | x > 5 | __error__=\"\" [1m])", "nothing"},
    {"sum(bytes_over_time({app=\"j\"} | line_format `{{.app | repeat 5}}` [1m]))", "{} 5"},
    {"count_over_time({app=\"a\"} | took_ms > 5 or pod=\"2\" [1m])", "{app=a, pod=2} 1"}
  };
  private static final String[][] ERRORS = {
    {"count_over_time({app=\"a\"} | logfmt | x > 5 [1m])", "pipeline error: 'LabelFilterErr' for"},
    {
      "sum by (pod) (count_over_time({app=\"a\"}[1m])) / on ()"
          + " sum(count_over_time({app=\"a\"}[1m]))",
      "multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)"
    },
    {
      "vector(1) / on () sum by (pod) (count_over_time({app=\"a\"}[1m]))",
      "found duplicate series on the right hand-side"
    },
    {
      "sum by (pod) (count_over_time({app=\"a\"}[1m])) / on () group_right vector(1)",
      "found duplicate series on the left hand-side"
    },
    {
      "sum by (pod) (count_over_time({app=\"a\"}[1m])) * on () group_left (pod) vector(1)",
      "multiple matches for labels: grouping labels must ensure unique matches"
    },
    {"1 and vector(1)", "parse error : unexpected literal for left leg of logical/set binary"},
    {"{app=\"a\"}", "log queries are not supported as an instant query type"}
  };

  private static String shown(String answer) {
    StringBuilder text = new StringBuilder();
    var series =
        java.util.regex.Pattern.compile(
                "\"metric\":\\{([^}]*)},\"value\":\\[[0-9.]+,\"([^\"]*)\"]"
                    + "|\"result\":\\[[0-9.]+,\"([^\"]*)\"]")
            .matcher(answer);
    while (series.find()) {
      text.append(text.isEmpty() ? "" : "; ");
      String labels = series.group(1);
      text.append(
          labels == null
              ? series.group(3)
              : "{%s} %s"
                  .formatted(
                      labels
                          .replaceAll(",?\"service_name\":\"[^\"]*\"", "")
                          .replace("\":\"", "=")
                          .replace("\",\"", ", ")
                          .replace("\"", ""),
                      series.group(2)));
    }
    return text.isEmpty() ? "nothing" : text.toString();
  }

  @Test
  void queriesHaveTheResultsOfLoki(@TempDir Path directory)
      throws IOException, InterruptedException {
    try (LokiDaemon loki =
        new LokiDaemon(directory.resolve("d"), "loki-discover-levels", "false")) {
      loki.push(
          "{\"app\":\"a\",\"pod\":\"1\"}",
          "[\"1780000010000000000\",\"x=10.0.0.1 took 5ms\"],"
              + "[\"1780000020000000000\",\"x=10.0.0.2 took 6ms\"]");
      loki.push(
          "{\"app\":\"a\",\"pod\":\"2\"}", "[\"1780000030000000000\",\"x=110.0.0.1 took 9ms\"]");
      loki.push(
          "{\"app\":\"c\"}",
          "[\"1780000020000000000\",\"n=1\"],[\"1780000040000000000\",\"n=5\"],"
              + "[\"1780000060000000000\",\"n=2\"]");
      loki.push(
          "{\"app\":\"j\"}",
          "[\"1780000030000000000\",\"{\\\"k\\\":\\\"first\\\",\\\"k\\\":\\\"second\\\","
              + "\\\"v\\\":\\\"\\\",\\\"z\\\":null,\\\"l\\\":[1]}\"]");
      for (String[] each : RESULTS) {
        assertEquals(each[1], shown(loki.get("query", "query", each[0], "time", AT)), each[0]);
      }
      for (String[] each : ERRORS) {
        String refused = loki.refusal(400, "query", "query", each[0], "time", AT);
        assertTrue(refused.startsWith(each[1]), each[0] + ": " + refused);
      }
      String range =
          loki.refusal(
              400,
              "query_range",
              "query",
              "approx_topk(1, count_over_time({app=\"a\"}[1m]))",
              "start",
              "1780000000",
              "end",
              AT,
              "step",
              "30s");
      assertTrue(range.startsWith("approx_topk is only supported on instant queries"), range);
    }
  }
}
