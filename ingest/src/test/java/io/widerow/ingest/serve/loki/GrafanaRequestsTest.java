package io.widerow.ingest.serve.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: Grafana's Loki data source and Logs Drilldown work against the daemon. Method: each
/// request that they send, as `PROTOCOLS.md` lists them, with the answer that their code expects.
@Timeout(300)
class GrafanaRequestsTest {
  private static final String BASE = "1780000000"; // seconds
  private static final String START = BASE + "000000000";
  private static final String END = "1780000060000000000";
  private static final String SUCCESS = "{\"status\":\"success\",\"data\":";

  private final LokiDaemon loki;

  GrafanaRequestsTest(@TempDir Path directory) throws IOException, InterruptedException {
    loki = new LokiDaemon(directory.resolve("d"));
    loki.push(
        "{\"service_name\":\"shop\",\"env\":\"prod\",\"level\":\"info\"}",
        "[\""
            + BASE
            + "000000000\",\"GET /a took=5ms\",{\"trace_id\":\"t1\"}],"
            + "[\""
            + BASE
            + "100000000\",\"GET /b took=15ms\"],"
            + "[\""
            + BASE
            + "200000000\",\"GET /c took=25ms\"]");
    loki.push(
        "{\"service_name\":\"shop\",\"env\":\"prod\",\"level\":\"error\"}",
        "[\"1780000007000000000\",\"{\\\"msg\\\":\\\"failed\\\",\\\"code\\\":503}\"]");
    loki.push(
        "{\"app\":\"web\",\"env\":\"dev\"}",
        "[\"1780000010000000000\",\"level=warn msg=slow\"],[\"1780000010000000000\",\"twin\"]");
  }

  @AfterEach
  void stop() {
    loki.close();
  }

  @Test
  void theCheckOfTheDataSourceGetsOneSample() throws IOException, InterruptedException {
    assertEquals(
        SUCCESS
            + "{\"resultType\":\"vector\",\"result\":["
            + "{\"metric\":{},\"value\":[4000000000,\"2\"]}]}}",
        loki.get(
            "query",
            "query",
            "vector(1)+vector(1)",
            "time",
            "4000000000",
            "direction",
            "backward"));
    assertTrue(
        loki.get("status/buildinfo").startsWith("{\"version\":\"3.7.0\",\"revision\":\"widerow "));
  }

  @Test
  void menusOfLabels() throws IOException, InterruptedException {
    String[] range = {"start", START, "end", END};
    assertEquals(
        SUCCESS + "[\"app\",\"env\",\"level\",\"service_name\"]}", loki.get("labels", range));
    assertEquals(loki.get("labels", range), loki.get("label", range));
    assertEquals(SUCCESS + "[\"dev\",\"prod\"]}", loki.get("label/env/values", range));
    assertEquals(SUCCESS + "[\"shop\",\"web\"]}", loki.get("label/service_name/values", range));
    assertEquals(
        SUCCESS + "[\"error\",\"info\"]}",
        loki.get(
            "label/level/values", "start", START, "end", END, "query", "{service_name=\"shop\"}"));
    assertEquals(
        SUCCESS
            + "[{\"app\":\"web\",\"env\":\"dev\",\"service_name\":\"web\"},"
            + "{\"env\":\"prod\",\"level\":\"error\",\"service_name\":\"shop\"}]}",
        loki.get(
            "series",
            "match[]",
            "{app=\"web\"}",
            "match[]",
            "{level=~\"err.*\"}",
            "start",
            START,
            "end",
            END));
  }

  @Test
  void exploreShowsLines() throws IOException, InterruptedException {
    String answer =
        loki.get(
            "query_range",
            "query",
            "{service_name=\"shop\", level=\"info\"} |= ``",
            "direction",
            "backward",
            "limit",
            "1000",
            "step",
            "1000ms",
            "start",
            START,
            "end",
            END);
    assertEquals(
        SUCCESS
            + "{\"resultType\":\"streams\",\"result\":["
            + "{\"stream\":{\"detected_level\":\"info\",\"env\":\"prod\",\"level\":\"info\","
            + "\"service_name\":\"shop\"},\"values\":["
            + "[\"1780000000200000000\",\"GET /c took=25ms\"],"
            + "[\"1780000000100000000\",\"GET /b took=15ms\"]]},"
            + "{\"stream\":{\"detected_level\":\"info\",\"env\":\"prod\",\"level\":\"info\","
            + "\"service_name\":\"shop\",\"trace_id\":\"t1\"},\"values\":["
            + "[\"1780000000000000000\",\"GET /a took=5ms\"]]}]}}",
        answer);
  }

  @Test
  void categorizedLabelsAreToldApart() throws IOException, InterruptedException {
    HttpResponse<String> answer =
        loki.http.get(
            "/loki/api/v1/query_range?"
                + LokiDaemon.form(
                    "query",
                    "{service_name=\"shop\"} |= \"code\" | json",
                    "start",
                    START,
                    "end",
                    END),
            "X-Loki-Response-Encoding-Flags",
            "categorize-labels");
    assertEquals(
        SUCCESS
            + "{\"resultType\":\"streams\",\"encodingFlags\":[\"categorize-labels\"],\"result\":["
            + "{\"stream\":{\"env\":\"prod\",\"level\":\"error\",\"service_name\":\"shop\"},"
            + "\"values\":[[\"1780000007000000000\",\"{\\\"msg\\\":\\\"failed\\\","
            + "\\\"code\\\":503}\",{\"structuredMetadata\":{\"detected_level\":\"error\"},"
            + "\"parsed\":{\"code\":\"503\",\"msg\":\"failed\"}}]]}]}}",
        LokiDaemon.withoutStats(answer.body()));
  }

  @Test
  void theHistogramCountsByLevel() throws IOException, InterruptedException {
    String answer =
        loki.get(
            "query_range",
            "query",
            "sum by (level, detected_level) (count_over_time({service_name=\"shop\"}"
                + " | drop __error__[5s]))",
            "start",
            START,
            "end",
            "1780000015000000000",
            "step",
            "5000ms");
    assertEquals(
        SUCCESS
            + "{\"resultType\":\"matrix\",\"result\":["
            + "{\"metric\":{\"detected_level\":\"error\",\"level\":\"error\"},"
            + "\"values\":[[1780000010,\"1\"]]},"
            + "{\"metric\":{\"detected_level\":\"info\",\"level\":\"info\"},"
            + "\"values\":[[1780000000,\"1\"],[1780000005,\"2\"]]}]}}",
        answer);
  }

  @Test
  void aFormAsksAsAUrlDoes() throws IOException, InterruptedException {
    String form =
        LokiDaemon.form("query", "count_over_time({env=\"prod\"}[1m])", "time", "1780000060");
    HttpResponse<String> answer =
        loki.http.post("/loki/api/v1/query", "application/x-www-form-urlencoded", form);
    assertEquals(
        SUCCESS
            + "{\"resultType\":\"vector\",\"result\":["
            + "{\"metric\":{\"detected_level\":\"error\","
            + "\"env\":\"prod\",\"level\":\"error\",\"service_name\":\"shop\"},"
            + "\"value\":[1780000060,\"1\"]},"
            + "{\"metric\":{\"detected_level\":\"info\","
            + "\"env\":\"prod\",\"level\":\"info\",\"service_name\":\"shop\"},"
            + "\"value\":[1780000060,\"2\"]}]}}",
        LokiDaemon.withoutStats(answer.body()));
  }

  @Test
  void aPageThatEndsWithinEqualTimesShowsAllOfThem() throws IOException, InterruptedException {
    for (String direction : new String[] {"forward", "BACKWARD"}) {
      String answer =
          loki.get(
              "query_range",
              "query",
              "{app=\"web\"}",
              "limit",
              "1",
              "direction",
              direction,
              "start",
              START,
              "end",
              END);
      assertTrue(answer.contains("slow") && answer.contains("twin"), answer);
    }
  }

  @Test
  void aMistakeIsToldWithItsPlace() throws IOException, InterruptedException {
    assertEquals(
        "parse error at line 1, col 5: syntax error: unexpected }",
        loki.refusal(400, "query_range", "query", "{app}"));
    assertEquals(
        "parse error at line 1, col 24: syntax error: unexpected ), expecting ,",
        loki.refusal(400, "query", "query", "label_replace(vector(1))"));
    assertEquals("parse error : syntax error: unexpected $end", loki.refusal(400, "query"));
    assertEquals(
        "end timestamp must not be before or equal to start time, got end 5000000000 and start"
            + " 9000000000",
        loki.refusal(400, "query_range", "query", "{}", "start", "9", "end", "5"));
  }

  @Test
  void howMuchThereIs() throws IOException, InterruptedException {
    String[] range = {"query", "{service_name=\"shop\"}", "start", START, "end", END};
    String stats = loki.get("index/stats", range);
    assertEquals("{\"streams\":2,\"chunks\":1,\"bytes\":74,\"entries\":4}", stats);
    assertEquals(
        "{\"streams\":1,\"chunks\":2,\"bytes\":23,\"entries\":2}",
        loki.get("index/stats", "query", "{env=\"dev\"}", "start", START, "end", END));
    assertEquals(
        SUCCESS
            + "{\"resultType\":\"vector\",\"result\":["
            + "{\"metric\":{\"service_name\":\"shop\"},\"value\":[1780000060,\"74\"]},"
            + "{\"metric\":{\"service_name\":\"web\"},\"value\":[1780000060,\"23\"]}]}}",
        loki.get(
            "index/volume",
            "query",
            "{service_name=~`.+`}",
            "targetLabels",
            "service_name",
            "start",
            START,
            "end",
            END));
    assertEquals(
        SUCCESS
            + "{\"resultType\":\"matrix\",\"result\":["
            + "{\"metric\":{\"env\":\"dev\"},\"values\":[[1780000030,\"23\"]]}]}}",
        loki.get(
            "index/volume_range",
            "query",
            "{env=\"dev\"}",
            "step",
            "30s",
            "start",
            START,
            "end",
            END));
  }

  @Test
  void drilldownFindsLabelsAndFields() throws IOException, InterruptedException {
    String[] range = {"query", "{service_name=\"shop\"}", "start", START, "end", END};
    assertEquals(
        "{\"detectedLabels\":[{\"label\":\"env\",\"cardinality\":1},"
            + "{\"label\":\"level\",\"cardinality\":2},"
            + "{\"label\":\"service_name\",\"cardinality\":1}]}",
        loki.get("detected_labels", range));
    assertEquals(
        "{\"fields\":[{\"label\":\"code\",\"type\":\"int\",\"cardinality\":1,"
            + "\"parsers\":[\"json\"],\"jsonPath\":[\"code\"]},"
            + "{\"label\":\"detected_level\",\"type\":\"string\",\"cardinality\":2,"
            + "\"parsers\":null},"
            + "{\"label\":\"msg\",\"type\":\"string\",\"cardinality\":1,\"parsers\":[\"json\"],"
            + "\"jsonPath\":[\"msg\"]},"
            + "{\"label\":\"took\",\"type\":\"duration\",\"cardinality\":3,"
            + "\"parsers\":[\"logfmt\"]},"
            + "{\"label\":\"trace_id\",\"type\":\"string\",\"cardinality\":1,\"parsers\":null}],"
            + "\"limit\":1000}",
        loki.get("detected_fields", range));
    assertEquals(
        "{\"values\":[\"15ms\",\"25ms\",\"5ms\"],\"limit\":1000}",
        loki.get("detected_field/took/values", range));
    String patterns = loki.get("patterns", range);
    assertTrue(patterns.startsWith("{\"status\":\"success\",\"data\":[{\"pattern\":\""), patterns);
    assertTrue(patterns.contains("\",\"level\":\"error\",\"samples\":[[1780000007,1]]"), patterns);
    String counted =
        loki.get(
            "query",
            "query",
            "sum(count_over_time({service_name=\"shop\"} | detected_level != \"\" [1m]))"
                + " by (detected_level)",
            "time",
            "1780000060");
    assertTrue(
        counted.contains("{\"detected_level\":\"error\"},\"value\":[1780000060,\"1\"]"), counted);
    String withFields =
        loki.get(
            "query_range",
            "query",
            "{service_name=\"shop\"} | json | logfmt | drop __error__, __error_details__"
                + " | took=\"15ms\"",
            "start",
            START,
            "end",
            END);
    assertTrue(withFields.contains("GET /b"), withFields);
    assertEquals(1, withFields.split("GET ", -1).length - 1, withFields);
  }

  @Test
  void theContextOfALine() throws IOException, InterruptedException {
    String answer =
        loki.get(
            "query_range",
            "query",
            "{env=\"prod\",level=\"info\",service_name=\"shop\"}",
            "limit",
            "100",
            "direction",
            "FORWARD",
            "start",
            BASE + "100000000",
            "end",
            "1780007200000000000");
    assertTrue(answer.contains("GET /b") && answer.contains("GET /c"), answer);
    assertEquals(-1, answer.indexOf("GET /a"), answer);
  }

  @Test
  void aQueryIsShownInItsNormalForm() throws IOException, InterruptedException {
    assertEquals(
        SUCCESS + "\"{a=\\\"b\\\"} |= \\\"x\\\"\"}",
        loki.get("format_query", "query", "{ a=`b` }|=`x`"));
    HttpResponse<String> wrong = loki.ask("format_query", "query", "{a=}");
    assertEquals(400, wrong.statusCode());
    assertEquals(
        "{\"status\":\"invalid-query\",\"error\":\"parse error at line 1, col 4: syntax error:"
            + " unexpected }, expecting STRING\"}",
        wrong.body().strip());
  }

  @Test
  void rulesAndLimitsAreListed() throws IOException, InterruptedException {
    for (String path :
        new String[] {"/loki/api/v1/rules", "/loki/api/v1/rules/n/g", "/api/prom/rules"}) {
      HttpResponse<String> none = loki.http.get(path);
      assertEquals(404, none.statusCode(), path);
      assertEquals("no rule groups found", none.body().strip());
      assertEquals(405, loki.http.send("POST", path).statusCode(), path);
      assertEquals(405, loki.http.send("DELETE", path).statusCode(), path);
    }
    assertEquals(
        SUCCESS + "{\"groups\":[]}}", loki.http.get("/prometheus/api/v1/rules").body().strip());
    assertEquals(
        SUCCESS + "{\"alerts\":[]}}", loki.http.get("/prometheus/api/v1/alerts").body().strip());
    HttpResponse<String> set =
        loki.http.send("PUT", "/v1/alerts?rule=many&stats=count&every=1m&above=5");
    assertEquals(200, set.statusCode(), set.body());
    String rules = loki.http.get("/prometheus/api/v1/rules").body();
    assertEquals(rules, loki.http.get("/api/v1/rules").body(), "of a Prometheus data source");
    assertTrue(rules.contains("\"state\":\"inactive\",\"name\":\"many\""), rules);
    assertTrue(rules.contains("\"type\":\"alerting\""), rules);
    String limits = loki.get("drilldown-limits");
    assertTrue(limits.startsWith("{\"limits\":{\"discover_log_levels\":true,"), limits);
    assertTrue(limits.contains("\"max_query_series\":10000,"), limits);
    assertTrue(
        limits.endsWith(",\"pattern_ingester_enabled\":true,\"version\":\"3.7.0\"}"), limits);
  }
}
