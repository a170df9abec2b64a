package io.widerow.ingest.serve.prometheus;

import static io.widerow.ingest.decode.ProtobufBytes.fixed64;
import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.decode.ProtobufBytes.number;
import static io.widerow.ingest.decode.ProtobufBytes.varint;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.OperatedDaemon;
import io.widerow.ingest.receive.prometheus.Messages;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: histograms of each protocol and form are evaluated, and shown as Prometheus shows them.
/// Method: known values as histograms of remote write and of OTLP, before and after sealing.
class HistogramFormsTest {
  private static final long SECONDS = 1_700_000_000;
  private static final Pattern VALUE = Pattern.compile("\"value\":\\[[^,]*,\"([^\"]*)\"\\]");

  private final OperatedDaemon daemon;

  HistogramFormsTest(@TempDir Path directory) throws IOException, InterruptedException {
    daemon = new OperatedDaemon(directory, Map.of("lanes", "1"));
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  private String ask(String query) throws IOException, InterruptedException {
    String text = URLEncoder.encode(query, StandardCharsets.UTF_8);
    return daemon.get("/api/v1/query?time=" + SECONDS + "&query=" + text).strip();
  }

  private double value(String query) throws IOException, InterruptedException {
    String body = ask(query);
    Matcher found = VALUE.matcher(body);
    assertTrue(found.find(), body);
    return Double.parseDouble(found.group(1));
  }

  private static byte[] fraction(int field, double value) {
    return fixed64(field, Double.doubleToRawLongBits(value));
  }

  private static byte[] native1(long count, double sum, long millis, long... deltas) {
    byte[][] packed =
        Arrays.stream(deltas)
            .mapToObj(each -> varint(each << 1 ^ each >> 63))
            .toArray(byte[][]::new);
    return message(
        4,
        number(1, count),
        fraction(3, sum),
        fraction(5, 0.001),
        message(11, number(1, 0), number(2, deltas.length)),
        message(12, packed),
        number(15, millis));
  }

  @Test
  void nativeHistogramsOfRemoteWrite() throws IOException, InterruptedException {
    byte[] series =
        Messages.series(
            Messages.labels("__name__", "h", "job", "a"),
            join(
                native1(4, 5, SECONDS * 1_000 - 60_000, 1, 1, -1),
                native1(8, 10, SECONDS * 1_000, 2, 2, -2)));
    var written = daemon.http.post("/api/v1/write", RemoteRead.TYPE, Messages.packed(series));
    assertEquals(204, written.statusCode(), written.body());
    for (int sealed = 0; sealed < 2; sealed++) {
      assertEquals(
          "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[{"
              + "\"metric\":{\"__name__\":\"h\",\"job\":\"a\"},\"histogram\":[1700000000,{"
              + "\"count\":\"8\",\"sum\":\"10\",\"buckets\":[[0,\"0.5\",\"1\",\"2\"],[0,"
              + "\"1\",\"2\",\"4\"],"
              + "[0,\"2\",\"4\",\"2\"]]}]}]}}",
          ask("h"));
      assertEquals(Math.sqrt(2), value("histogram_quantile(0.5, h)"), 1e-12);
      assertEquals(4, value("histogram_count(delta(h[61s]))"), 0.1);
      assertEquals(2, value("count_over_time(h[2m])"));
      String range =
          daemon.get(
              "/api/v1/query_range?query=h&start=%d&end=%d&step=60"
                  .formatted(SECONDS - 60, SECONDS));
      assertTrue(range.contains("\"histograms\":[[1699999940,{\"count\":\"4\","), range);
      daemon.merge();
    }
  }

  /// The numbers 1 to 100.
  @Test
  void theThreeFormsOfOtlp() throws IOException, InterruptedException {
    TreeMap<Integer, Integer> buckets = new TreeMap<>();
    int[] classic = new int[11];
    for (int value = 1; value <= 100; value++) {
      int at = (int) Math.ceil(8 * Math.log(value) / Math.log(2) - 1e-9) - 1;
      buckets.merge(at, 1, Integer::sum);
      classic[(value - 1) / 10]++;
    }
    StringBuilder counts = new StringBuilder();
    for (int at = buckets.firstKey(); at <= buckets.lastKey(); at++) {
      counts.append(counts.isEmpty() ? "" : ",").append(buckets.getOrDefault(at, 0));
    }
    String request =
        """
        {"resourceMetrics":[{"resource":{"attributes":[
          {"key":"service.name","value":{"stringValue":"shop"}}]},"scopeMetrics":[{"metrics":[
          {"name":"fine","unit":"s","exponentialHistogram":{"aggregationTemporality":2,
           "dataPoints":[
           {"timeUnixNano":"1700000000000000000","count":"100","sum":5050,"scale":3,"zeroCount":"0",
            "positive":{"offset":%d,"bucketCounts":[%s]}}]}},
          {"name":"plain","unit":"s","histogram":{"aggregationTemporality":2,"dataPoints":[
           {"timeUnixNano":"1700000000000000000","count":"100","sum":5050,"bucketCounts":%s,
            "explicitBounds":[10,20,30,40,50,60,70,80,90,100]}]}},
          {"name":"rough","unit":"s","summary":{"dataPoints":[
           {"timeUnixNano":"1700000000000000000","count":"100","sum":5050,"quantileValues":[
             {"quantile":0.5,"value":50},{"quantile":0.9,"value":90}]}]}}]}]}]}
        """
            .formatted(buckets.firstKey(), counts, Arrays.toString(classic));
    var written = daemon.http.post("/v1/metrics", "application/json", request);
    assertEquals(200, written.statusCode(), written.body());
    for (int sealed = 0; sealed < 2; sealed++) {
      for (double quantile : new double[] {0.1, 0.5, 0.9, 0.99}) {
        double value = 100 * quantile;
        double fine = value("histogram_quantile(%s, fine_seconds)".formatted(quantile));
        assertEquals(1, fine / value, Math.pow(2, 0.125) - 1, quantile + ": " + fine);
        double plain = value("histogram_quantile(%s, plain_seconds_bucket)".formatted(quantile));
        assertEquals(value, plain, 10);
      }
      assertEquals(90, value("rough_seconds{quantile=\"0.9\"}"));
      assertEquals(50.5, value("histogram_avg(fine_seconds{job=\"shop\"})"));
      assertEquals(5050, value("plain_seconds_sum"));
      daemon.merge();
    }
  }
}
