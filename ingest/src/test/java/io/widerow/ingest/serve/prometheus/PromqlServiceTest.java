package io.widerow.ingest.serve.prometheus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.OperatedDaemon;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a client of Prometheus' API gets results and errors in Prometheus' form. Method: requests
/// to a daemon with a few samples, and whole responses.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PromqlServiceTest {
  private static final long START = 1_763_668_800; // 2025-11-20T20:00:00Z

  private OperatedDaemon daemon;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException, InterruptedException {
    daemon = new OperatedDaemon(directory, Map.of());
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 10; i++) {
      for (String job : new String[] {"a", "b"}) {
        lines.append(
            "requests_total,job=%s value=%d %d000000000\n".formatted(job, i * 60, START + i * 60L));
      }
    }
    var written = daemon.http.post("/api/v2/write", "text/plain", lines.toString());
    assertEquals(204, written.statusCode(), written.body());
  }

  @AfterAll
  void stop() {
    daemon.close();
  }

  private String ask(String path, String query, String more)
      throws IOException, InterruptedException {
    String text = URLEncoder.encode(query, StandardCharsets.UTF_8);
    return daemon.get("/api/v1/" + path + "?query=" + text + more).strip();
  }

  private String instant(String query) throws IOException, InterruptedException {
    return ask("query", query, "&time=" + (START + 540) + ".5");
  }

  private static String data(String type, String result) {
    return "{\"status\":\"success\",\"data\":{\"resultType\":\"%s\",\"result\":[%s]}}"
        .formatted(type, result);
  }

  @Test
  void anInstantHasAVector() throws IOException, InterruptedException {
    assertEquals(
        data(
            "vector",
            "{\"metric\":{\"__name__\":\"requests_total\",\"job\":\"a\"},"
                + "\"value\":[1763669340.5,\"540\"]}"),
        instant("requests_total{job=\"a\"}"));
    assertEquals(
        data("vector", "{\"metric\":{},\"value\":[1763669340.5,\"2\"]}"),
        instant("sum(rate(requests_total[5m]))"));
    assertEquals(data("scalar", "1763669340.5,\"0.5\""), instant("1 / 2"));
    assertEquals(data("string", "1763669340.5,\"x\""), instant("\"x\""));
    assertEquals(
        data(
            "matrix",
            "{\"metric\":{\"__name__\":\"requests_total\",\"job\":\"b\"},"
                + "\"values\":[[1763669280,\"480\"],[1763669340,\"540\"]]}"),
        instant("requests_total{job=\"b\"}[2m]"));
    assertEquals(data("vector", ""), instant("nosuch"));
  }

  @Test
  void aRangeHasAMatrix() throws IOException, InterruptedException {
    assertEquals(
        data("matrix", "{\"metric\":{},\"values\":[[1763669280,\"960\"],[1763669340,\"1080\"]]}"),
        ask(
            "query_range",
            "sum(requests_total)",
            "&start=" + (START + 480) + "&end=" + (START + 540) + "&step=1m"));
    assertEquals(
        data("matrix", "{\"metric\":{},\"values\":[[1763668800,\"3\"],[1763668815,\"3\"]]}"),
        ask("query_range", "3", "&start=" + START + "&end=" + (START + 29) + "&step=15"));
  }

  @Test
  void whatIsOddIsReported() throws IOException, InterruptedException {
    String warned = instant("quantile(2, requests_total)");
    assertTrue(
        warned.endsWith(
            "\"warnings\":[\"PromQL warning: quantile value should be between 0 and 1, got 2"
                + " (1:10)\"]}"),
        warned);
    String limited = ask("query", "requests_total", "&limit=1&time=" + (START + 540));
    assertTrue(limited.contains("\"warnings\":[\"results truncated due to limit\"]"), limited);
    assertTrue(limited.contains("\"job\":\"a\"") && !limited.contains("\"job\":\"b\""), limited);
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "query?query=sum(|400|bad_data|invalid parameter \\\"query\\\": 1:5: parse error:"
            + " unexpected end of input",
        "query|400|bad_data|query: is missing",
        "query?query=up&time=x|400|bad_data|time: must be seconds or RFC 3339, got x",
        "query_range?query=up&start=1&end=2|400|bad_data|step: is missing",
        "query_range?query=up&start=1&end=2&step=5x|400|bad_data|invalid parameter \\\"step\\\":"
            + " 1:1: parse error: bad number or duration syntax: \\\"5x\\\"",
        "series?match[]=up%7B|400|bad_data|invalid parameter \\\"match[]\\\": 1:4: parse error:"
            + " unexpected end of input inside braces",
        "query_range?query=up&start=1&end=2&step=0|400|bad_data|invalid parameter \\\"step\\\":"
            + " zero or negative query resolution step widths are not accepted. Try a positive"
            + " integer",
        "query_range?query=up&start=2&end=1&step=1|400|bad_data|invalid parameter \\\"end\\\": end"
            + " timestamp must not be before start time",
        "query_range?query=up&start=0&end=100000&step=1|400|bad_data|exceeded maximum resolution of"
            + " 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)",
        "query_range?query=up%5B5m%5D&start=0&end=1&step=1|400|bad_data|invalid parameter"
            + " \\\"query\\\": invalid expression type \\\"range vector\\\" for range query, must"
            + " be Scalar or instant Vector",
        "query?query=label_replace(requests_total%2C%22job%22%2C%22%22%2C%22%22%2C%22%22)"
            + "&time=1763669340|422|execution|vector cannot contain metrics with the same labelset",
      })
  void mistakesHaveTheErrorsOfPrometheus(String path, int status, String type, String message)
      throws IOException, InterruptedException {
    var response = daemon.send("GET", "/api/v1/" + path);
    assertEquals(
        "{\"status\":\"error\",\"errorType\":\"%s\",\"error\":\"%s\"}".formatted(type, message),
        response.body().strip());
    assertEquals(status, response.statusCode());
  }

  /// A hundred million steps of a subquery.
  @Test
  void memoryIsBounded() throws IOException, InterruptedException {
    String refused = instant("sum_over_time(vector(1)[100000s:1ms])");
    assertTrue(refused.contains("\"errorType\":\"execution\""), refused);
    assertTrue(refused.contains("bytes of memory, shared by all queries"), refused);
    assertTrue(instant("1").contains("success"));
  }

  @Test
  void aQueryIsFormatted() throws IOException, InterruptedException {
    assertEquals(
        "{\"status\":\"success\",\"data\":\"sum by (job) (rate(x[5m]))\"}",
        ask("format_query", "SUM(rate(x[300s]))BY(job)", ""));
  }
}
