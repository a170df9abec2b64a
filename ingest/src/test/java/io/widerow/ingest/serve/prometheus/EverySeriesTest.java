package io.widerow.ingest.serve.prometheus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.OperatedDaemon;
import io.widerow.ingest.receive.prometheus.Messages;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: every number is a series, whatever protocol sent it, with exact names. Method: events of
/// each protocol, and the results of queries, before and after sealing.
class EverySeriesTest {
  private static final long SECONDS = 1_700_000_000;
  private static final Pattern RESULT =
      Pattern.compile("\\{\"metric\":(\\{.*?\\}),\"value\":\\[[^,]*,\"([^\"]*)\"\\]");

  private final OperatedDaemon daemon;

  EverySeriesTest(@TempDir Path directory) throws IOException, InterruptedException {
    daemon = new OperatedDaemon(directory, Map.of("lanes", "1"));
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  private void lines(String text) throws IOException, InterruptedException {
    var written = daemon.http.post("/api/v2/write?precision=s", "text/plain", text);
    assertEquals(204, written.statusCode(), written.body());
  }

  private void events(String text) throws IOException, InterruptedException {
    var written = daemon.http.post("/v1/events", "application/x-ndjson", text);
    assertEquals(200, written.statusCode(), written.body());
  }

  private String get(String path, String parameter, String value)
      throws IOException, InterruptedException {
    return daemon.get(
        "/api/v1/%s%s=%s"
            .formatted(path, parameter, URLEncoder.encode(value, StandardCharsets.UTF_8)));
  }

  /// Labels and value of each series of an instant query.
  private List<String> ask(String query) throws IOException, InterruptedException {
    String body = get("query?time=" + SECONDS, "&query", query);
    assertTrue(body.startsWith("{\"status\":\"success\""), body);
    return RESULT
        .matcher(body)
        .results()
        .map(each -> each.group(1).replace("\"", "") + " " + each.group(2))
        .toList();
  }

  /// The measurements of Telegraf have texts that change, which make no series.
  @Test
  void fieldsOfMeasurementsAreSeries() throws IOException, InterruptedException {
    StringBuilder all = new StringBuilder();
    for (int time = 0; time < 3; time++) {
      for (int of = 0; of < 100; of++) {
        all.append("m%d,host=h,zone=z note=\"at %d\"".formatted(of, time));
        for (int field = 0; field < 10; field++) {
          all.append(",f%d=%d%s".formatted(field, field + time, field % 2 == 0 ? "" : "i"));
        }
        all.append(" %d\n".formatted(SECONDS - 20 + 10L * time));
      }
    }
    lines(all.toString());
    for (int sealed = 0; sealed < 2; sealed++) {
      assertEquals(
          List.of("{} 1000"), ask("count({__name__=~\"m.*\", host=\"h\", zone=\"z\", note=\"\"})"));
      assertEquals(List.of("{} 1000"), ask("count({__name__=~\"m.*\"})"));
      assertEquals(List.of("{__name__:m7_f3,host:h,zone:z} 5"), ask("m7_f3"));
      assertEquals(List.of("{} 3"), ask("sum(count_over_time(m99_f0{note=\"\"}[1m]))"));
      assertEquals(List.of(), ask("m99_f0{note=~\"at.*\"}"));
      String names = daemon.get("/api/v1/label/__name__/values");
      assertEquals(1_000, Pattern.compile("\"m\\d+_f\\d\"").matcher(names).results().count());
      assertFalse(daemon.get("/api/v1/labels").contains("note"));
      daemon.merge();
    }
  }

  @Test
  void numbersAndBooleansOfALine() throws IOException, InterruptedException {
    lines(
        """
        disk,host=a used_percent=42.5,free=100i,ok=t,mode="rw" %1$d
        disk,host=b used_percent=1 %1$d
        cpu,host=a value=3,count=7i,sum=2 %1$d
        x,a=t a=1 %1$d
        """
            .formatted(SECONDS));
    assertEquals(List.of("{__name__:disk_free,host:a} 100"), ask("disk_free"));
    assertEquals(List.of("{__name__:disk_ok,host:a} 1"), ask("disk_ok"));
    assertEquals(
        List.of(
            "{__name__:disk_used_percent,host:a} 42.5", "{__name__:disk_used_percent,host:b} 1"),
        ask("disk_used_percent"));
    assertEquals(
        List.of(
            "{__name__:cpu,host:a} 3",
            "{__name__:cpu_count,host:a} 7",
            "{__name__:cpu_sum,host:a} 2"),
        ask("{__name__=~\"cpu.*\"}"));
    assertEquals(List.of("{__name__:x_a,a:t} 1"), ask("x_a{a=\"t\"}"));
    assertEquals(
        "{\"status\":\"success\",\"data\":[{\"__name__\":\"disk_free\",\"host\":\"a\"}]}",
        get("series?", "match[]", "disk_free").strip());
  }

  /// Logs have the labels of Loki, and those that a query names.
  @Test
  void numbersOfLogsAreSeries() throws IOException, InterruptedException {
    events(
        """
        {"ts":"2023-11-14T22:13:19Z","type":"http","body":"x","host":"a","user":"u","bytes":5}
        {"ts":"2023-11-14T22:13:19Z","type":"http","body":"x","host":"b","user":"v","bytes":7}
        """);
    for (int sealed = 0; sealed < 2; sealed++) {
      assertEquals(
          List.of("{__name__:http_bytes,host:a} 5", "{__name__:http_bytes,host:b} 7"),
          ask("http_bytes"));
      assertEquals(
          List.of("{user:u} 5", "{user:v} 7"),
          ask("sum by (user) (sum_over_time(http_bytes[1m]))"));
      assertEquals(
          List.of("{__name__:http_bytes,host:b,user:v} 7"), ask("http_bytes{user!=\"u\"}"));
      daemon.merge();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "r13_load | {__name__:r13_load,k8s.pod:A} 3;{__name__:r13_load,k8s_pod:A} 4",
        "{\"r13.load\"} | {__name__:r13.load,k8s.pod:A} 1;{__name__:r13.load,k8s_pod:A} 2",
        "{\"r13.load\", \"k8s.pod\"=\"A\"} | {__name__:r13.load,k8s.pod:A} 1",
        "{\"r13.load\", k8s_pod=\"A\"} | {__name__:r13.load,k8s_pod:A} 2",
        "r13_load{\"k8s.pod\"=\"A\"} | {__name__:r13_load,k8s.pod:A} 3",
        "count by (\"k8s.pod\") ({__name__=~\"r13.load\"}) | {} 2;{k8s.pod:A} 2",
        "only_one | {__name__:only_one} 5",
        "{\"only.one\"} | {__name__:only.one} 5",
        "sum by (a_b) (dot{a_b=\"x\"}) | {a_b:x} 6",
      })
  void namesAreExact(String query, String wanted) throws IOException, InterruptedException {
    int value = 0;
    StringBuilder all = new StringBuilder();
    for (String type : List.of("r13.load", "r13_load")) {
      for (String label : List.of("k8s.pod", "k8s_pod")) {
        all.append("%s,%s=A value=%d %d\n".formatted(type, label, ++value, SECONDS));
      }
    }
    all.append("only.one value=5 %1$d\ndot,a.b=x value=6 %1$d\n".formatted(SECONDS));
    lines(all.toString());
    assertEquals(List.of(wanted.split(";", -1)), ask(query));
  }

  @Test
  void otlpHasTheNamesOfPrometheus() throws IOException, InterruptedException {
    String request =
        """
        {"resourceMetrics":[{"resource":{"attributes":[
          {"key":"service.name","value":{"stringValue":"shop"}},
          {"key":"service.namespace","value":{"stringValue":"eu"}},
          {"key":"service.instance.id","value":{"stringValue":"i1"}}]},
         "scopeMetrics":[{"metrics":[
          {"name":"http.requests","unit":"{request}","description":"d","sum":{
           "aggregationTemporality":2,"isMonotonic":true,"dataPoints":[{
           "timeUnixNano":"1700000000000000000","asInt":"7"}]}},
          {"name":"mem.used","unit":"By","gauge":{"dataPoints":[{
           "timeUnixNano":"1700000000000000000","asDouble":2.5}]}},
          {"name":"disk.io","unit":"By/s","gauge":{"dataPoints":[{
           "timeUnixNano":"1700000000000000000","asDouble":1}]}},
          {"name":"cpu.busy","unit":"1","gauge":{"dataPoints":[{
           "timeUnixNano":"1700000000000000000","asDouble":0.5}]}}]}]}]}
        """;
    assertEquals(200, daemon.http.post("/v1/metrics", "application/json", request).statusCode());
    String labels =
        ",instance:i1,job:eu/shop,service_instance_id:i1,service_name:shop,service_namespace:eu} ";
    for (int sealed = 0; sealed < 2; sealed++) {
      assertEquals(
          List.of("{__name__:http_requests_total" + labels + "7"), ask("http_requests_total"));
      assertEquals(
          List.of("{__name__:mem_used_bytes" + labels + "2.5"),
          ask("mem_used_bytes{job=\"eu/shop\"}"));
      assertEquals(
          List.of("{__name__:disk_io_bytes_per_second" + labels + "1"),
          ask("{__name__=~\"disk.*\", service_name=\"shop\", instance=~\"i.\"}"));
      assertEquals(List.of("{__name__:cpu_busy_ratio" + labels + "0.5"), ask("cpu_busy_ratio"));
      daemon.merge();
    }
  }

  /// Their time is 1970, where Prometheus' own tests begin.
  @Test
  void samplesOfTheEpochCount() throws IOException, InterruptedException {
    byte[] series =
        Messages.series(
            Messages.labels("__name__", "up", "job", "a"),
            Messages.sample(1, 0),
            Messages.sample(2, 10_000));
    var written = daemon.http.post("/api/v1/write", RemoteRead.TYPE, Messages.packed(series));
    assertEquals(204, written.statusCode());
    String body = daemon.get("/api/v1/query?time=0&query=up");
    List<MatchResult> found = RESULT.matcher(body).results().toList();
    assertEquals(1, found.size(), body);
    assertEquals("1", found.getFirst().group(2));
    assertTrue(
        daemon.get("/api/v1/query?time=10&query=count_over_time(up[11s])").contains("\"2\""));
  }

  @Test
  void otlpDescribesItsMetricsAndTargets() throws IOException, InterruptedException {
    String request =
        """
        {"resourceMetrics":[{"resource":{"attributes":[
          {"key":"service.name","value":{"stringValue":"shop"}},
          {"key":"host.name","value":{"stringValue":"h1"}}]},
         "scopeMetrics":[{"metrics":[
          {"name":"http.requests","unit":"1","description":"Requests \\"served\\".","sum":{
           "aggregationTemporality":2,"isMonotonic":true,"dataPoints":[{
           "timeUnixNano":"1699999990000000000","asInt":"7"}]}},
          {"name":"queue.size","unit":"{item}","gauge":{"dataPoints":[{
           "timeUnixNano":"1699999990000000000","asInt":"2"}]}},
          {"name":"moves","sum":{"aggregationTemporality":1,"isMonotonic":true,"dataPoints":[{
           "timeUnixNano":"1699999990000000000","asInt":"2"}]}},
          {"name":"latency","unit":"ms","histogram":{"aggregationTemporality":2,"dataPoints":[{
           "timeUnixNano":"1700000000000000000","count":"3","sum":4,
           "bucketCounts":["1","2"],"explicitBounds":[5]}]}}]}]}]}
        """;
    assertEquals(200, daemon.http.post("/v1/metrics", "application/json", request).statusCode());
    byte[] described = Messages.packed(Messages.description(2, "up", "Whether it runs.", ""));
    assertEquals(204, daemon.http.post("/api/v1/write", RemoteRead.TYPE, described).statusCode());
    for (int sealed = 0; sealed < 2; sealed++) {
      String all = daemon.get("/api/v1/metadata");
      assertEquals(
          "{\"status\":\"success\",\"data\":{"
              + "\"http_requests_total\":[{\"type\":\"counter\","
              + "\"help\":\"Requests \\\"served\\\".\",\"unit\":\"\"}],"
              + "\"latency_milliseconds\":[{\"type\":\"histogram\",\"help\":\"\","
              + "\"unit\":\"milliseconds\"}],"
              + "\"moves\":[{\"type\":\"unknown\",\"help\":\"\",\"unit\":\"\"}],"
              + "\"queue_size\":[{\"type\":\"gauge\",\"help\":\"\",\"unit\":\"\"}],"
              + "\"target_info\":[{\"type\":\"gauge\",\"help\":\"\",\"unit\":\"\"}],"
              + "\"up\":[{\"type\":\"gauge\",\"help\":\"Whether it runs.\",\"unit\":\"\"}]}}",
          all.strip());
      assertTrue(
          daemon
              .get("/api/v1/metadata?metric=latency_milliseconds")
              .startsWith("{\"status\":\"success\",\"data\":{\"latency_milliseconds\":[{"));
      assertEquals(
          List.of("{__name__:target_info,host_name:h1,job:shop,service_name:shop} 1"),
          ask("target_info"));
      assertEquals(
          List.of("{host_name:h1,job:shop} 2"),
          ask("sum by (job) (queue_size) * on (job) group_left (host_name) target_info"));
      daemon.merge();
    }
  }

  @Test
  void twoSourcesOfASeriesAreReported() throws IOException, InterruptedException {
    lines(
        """
        disk,host=a free=100i %1$d
        disk_free,host=a value=7 %2$d
        disk,host=b free=5i %1$d
        """
            .formatted(SECONDS - 20, SECONDS - 10));
    for (int sealed = 0; sealed < 2; sealed++) {
      String body = get("query?time=" + SECONDS, "&query", "1 + disk_free");
      assertTrue(
          body.contains(
              "\"warnings\":[\"PromQL warning: the field free of disk and the type disk_free are"
                  + " one series, disk_free (1:5)\"]"),
          body);
      assertEquals(
          List.of("{__name__:disk_free,host:a} 7", "{__name__:disk_free,host:b} 5"),
          ask("disk_free"));
      assertFalse(
          get("query?time=" + SECONDS, "&query", "disk_free{host=\"b\"}").contains("warnings"));
      daemon.merge();
    }
  }

  @Test
  void logsThatCountAsOneSampleAreReported() throws IOException, InterruptedException {
    events(
        """
        {"ts":"2023-11-14T22:13:19.001Z","type":"http","body":"x","bytes":5}
        {"ts":"2023-11-14T22:13:19.001Z","type":"http","body":"x","bytes":7}
        {"ts":"2023-11-14T22:13:19.002Z","type":"quiet","body":"x","bytes":7}
        """);
    for (int sealed = 0; sealed < 2; sealed++) {
      String body = get("query?time=" + SECONDS, "&query", "count_over_time(http_bytes[5m])");
      assertTrue(
          body.contains(
              "\"infos\":[\"PromQL info: logs of one series in one millisecond count as one sample"
                  + " of http_bytes; LogQL counts all (1:17)\"]"),
          body);
      assertFalse(get("query?time=" + SECONDS, "&query", "quiet_bytes").contains("infos"));
      daemon.merge();
    }
  }
}
