package io.widerow.ingest.serve.prometheus;

import static io.widerow.ingest.decode.ProtobufBytes.fixed64;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.decode.ProtobufBytes.number;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.OperatedDaemon;
import io.widerow.ingest.receive.prometheus.Messages;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
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

/// Goal: each endpoint that Grafana's Prometheus source uses has the response of Prometheus.
/// Method: requests as Grafana sends them, as a form where it does so.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PrometheusApiTest {
  private static final String OK = "{\"status\":\"success\",\"data\":";

  private OperatedDaemon daemon;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException, InterruptedException {
    daemon = new OperatedDaemon(directory, Map.of());
    byte[] exemplar =
        message(
            3,
            Messages.labels("trace_id", "4bf9"),
            fixed64(2, Double.doubleToRawLongBits(0.25)),
            number(3, 1_700_000_000_500L));
    byte[] series =
        Messages.series(
            Messages.labels("__name__", "took_bucket", "job", "a", "le", "1"),
            Messages.sample(7, 1_700_000_000_000L),
            exemplar);
    var written = daemon.http.post("/api/v1/write", RemoteRead.TYPE, Messages.packed(series));
    assertEquals(204, written.statusCode(), written.body());
    String histogram =
        """
        {"resourceMetrics":[{"resource":{"attributes":[
          {"key":"service.name","value":{"stringValue":"shop"}}]},
         "scopeMetrics":[{"metrics":[
          {"name":"http.latency","unit":"s","histogram":{"aggregationTemporality":2,"dataPoints":[
           {"timeUnixNano":"1700000000000000000","count":"6","sum":7.5,"bucketCounts":[1,2,3],
            "explicitBounds":[0.5,2],"exemplars":[{"timeUnixNano":"1700000001000000000",
             "asDouble":1.5,"spanId":"b7ad6b7169203331",
             "traceId":"0af7651916cd43dd8448eb211c80319c",
             "filteredAttributes":[{"key":"user.id","value":{"stringValue":"u"}}]}]}]}}]}]}]}
        """;
    assertEquals(200, daemon.http.post("/v1/metrics", "application/json", histogram).statusCode());
  }

  @AfterAll
  void stop() {
    daemon.close();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private String post(String path, String form) throws IOException, InterruptedException {
    HttpResponse<String> response =
        daemon.http.post("/api/v1/" + path, "application/x-www-form-urlencoded", form);
    assertEquals(200, response.statusCode(), response.body());
    return response.body().strip();
  }

  @Test
  void exemplarsOfRemoteWrite() throws IOException, InterruptedException {
    String wanted =
        "[{\"seriesLabels\":{\"__name__\":\"took_bucket\",\"job\":\"a\",\"le\":\"1\"},"
            + "\"exemplars\":[{\"labels\":{\"trace_id\":\"4bf9\"},\"value\":\"0.25\","
            + "\"timestamp\":1700000000.5}]}]";
    String query = "histogram_quantile(0.9, sum(rate(took_bucket{job=\"a\"}[5m])) by (le))";
    assertEquals(
        OK + wanted + "}",
        post("query_exemplars", "query=" + encoded(query) + "&start=1699999990&end=1700000010"));
    assertEquals(
        OK + "[]}", post("query_exemplars", "query=" + encoded("took_bucket") + "&start=1&end=2"));
  }

  /// An exemplar of a histogram belongs to a bucket.
  @Test
  void exemplarsOfOtlp() throws IOException, InterruptedException {
    String found =
        post(
            "query_exemplars", "query=http_latency_seconds_bucket&start=1699999990&end=1700000010");
    assertEquals(
        OK
            + "[{\"seriesLabels\":{\"__name__\":\"http_latency_seconds_bucket\",\"job\":\"shop\","
            + "\"le\":\"2\",\"service_name\":\"shop\"},\"exemplars\":[{\"labels\":{"
            + "\"span_id\":\"b7ad6b7169203331\",\"trace_id\":\"0af7651916cd43dd8448eb211c80319c\","
            + "\"user_id\":\"u\"},\"value\":\"1.5\",\"timestamp\":1700000001}]}]}",
        found);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "1|{\"type\":\"numberLiteral\",\"val\":\"1\"}",
        "-(\"x\")|",
        "sum by (a)"
            + " (up)|{\"expr\":{\"anchored\":false,\"matchers\":[{\"name\":\"__name__\",\"type\":"
            + "\"=\",\"value\":\"up\"}],\"name\":\"up\",\"offset\":0,\"smoothed\":false,"
            + "\"startOrEnd\":null,\"timestamp\":null,\"type\":\"vectorSelector\"},\"grouping\":"
            + "[\"a\"],\"op\":\"sum\",\"param\":null,\"type\":\"aggregation\",\"without\":false}",
        "rate(x[5m] offset -1m)|{\"args\":[{\"anchored\":false,\"matchers\":[{\"name\":"
            + "\"__name__\",\"type\":\"=\",\"value\":\"x\"}],\"name\":\"x\",\"offset\":-60000,"
            + "\"range\":300000,\"smoothed\":false,\"startOrEnd\":null,\"timestamp\":null,\"type\":"
            + "\"matrixSelector\"}],\"func\":{\"argTypes\":[\"matrix\"],\"name\":\"rate\","
            + "\"returnType\":\"vector\",\"variadic\":0},\"type\":\"call\"}",
        "1 + 2|{\"bool\":false,\"lhs\":{\"type\":\"numberLiteral\",\"val\":\"1\"},"
            + "\"matching\":null,\"op\":\"+\",\"rhs\":{\"type\":\"numberLiteral\","
            + "\"val\":\"2\"},\"type\":"
            + "\"binaryExpr\"}",
      })
  void aQueryIsATree(String query, String tree) throws IOException, InterruptedException {
    HttpResponse<String> response =
        daemon.http.post(
            "/api/v1/parse_query", "application/x-www-form-urlencoded", "query=" + encoded(query));
    if (tree == null) {
      assertEquals(400, response.statusCode(), response.body());
    } else {
      assertEquals(OK + tree + "}", response.body().strip());
    }
  }

  @Test
  void theServerIsPrometheus() throws IOException, InterruptedException {
    String build = daemon.get("/api/v1/status/buildinfo");
    assertTrue(build.startsWith(OK + "{\"version\":\"3.14.0\",\"revision\":\"widerow "), build);
    String runtime = daemon.get("/api/v1/status/runtimeinfo");
    assertTrue(runtime.startsWith(OK + "{\"startTime\":\"20"), runtime);
    assertEquals(OK + "{\"yaml\":\"\"}}", daemon.get("/api/v1/status/config").strip());
    for (String path : new String[] {"status/flags", "status/tsdb", "targets?state=active"}) {
      assertTrue(daemon.get("/api/v1/" + path).startsWith(OK + "{"), path);
    }
    assertEquals(OK + "{\"scrapePools\":[]}}", daemon.get("/api/v1/scrape_pools").strip());
    assertEquals(
        OK + "{\"activeAlertmanagers\":[],\"droppedAlertmanagers\":[]}}",
        daemon.get("/api/v1/alertmanagers").strip());
    assertTrue(daemon.get("/api/v1/metadata?limit=1").startsWith(OK + "{"));
  }

  @Test
  void theCostIsInTheResponse() throws IOException, InterruptedException {
    String body = post("query", "query=took_bucket&time=1700000000&stats=all");
    assertTrue(body.contains(",\"stats\":{\"timings\":{\"evalTotalTime\":"), body);
    assertTrue(body.contains("\"samples\":{\"totalQueryableSamples\":1,"), body);
  }

  @Test
  void aQueryThatRunsTooLongIs503() throws IOException, InterruptedException {
    HttpResponse<String> response =
        daemon.http.post(
            "/api/v1/query_range",
            "application/x-www-form-urlencoded",
            "query="
                + encoded("sum_over_time(vector(1)[10h:1s])")
                + "&start=1700000000&end=1700600000&step=60&timeout=1ms");
    assertEquals(503, response.statusCode(), response.body());
    assertTrue(response.body().contains("\"errorType\":\"timeout\""), response.body());
  }
}
