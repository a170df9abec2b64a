package io.widerow.ingest.serve.prometheus;

import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.decode.ProtobufBytes.message;
import static io.widerow.ingest.decode.ProtobufBytes.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.OperatedDaemon;
import io.widerow.ingest.receive.prometheus.Messages;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: requests for labels and series get the responses of Prometheus, by GET and by a form.
/// Method: some series and a log, sealed and not, and the answers as they should be.
class CatalogTest {
  private static final long BASE = 1_700_000_000_000L;

  private final OperatedDaemon daemon;

  CatalogTest(@TempDir Path directory) throws IOException, InterruptedException {
    daemon = new OperatedDaemon(directory, Map.of("lanes", "1"));
    byte[] sealed =
        join(
            series(BASE, "__name__", "up", "job", "api", "instance", "i0"),
            series(BASE, "__name__", "up", "job", "web", "type", "x"),
            series(BASE, "__name__", "http:rate", "job", "api", "code", "200"));
    write(sealed);
    daemon.merge();
    write(series(BASE + 3_600_000, "__name__", "up", "job", "db"));
    String others =
        """
        {"ts":"2023-11-14T22:13:20Z","type":"log","body":"x","job":"none"}
        {"ts":"2023-11-14T22:13:20Z","type":"cpu.load","value":1,"host.name":"h"}
        """;
    assertEquals(200, daemon.http.post("/v1/events", "application/x-ndjson", others).statusCode());
  }

  private static byte[] series(long millis, String... labels) {
    return Messages.series(Messages.labels(labels), Messages.sample(1, millis));
  }

  private void write(byte[] message) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        daemon.http.post("/api/v1/write", RemoteRead.TYPE, Messages.packed(message));
    assertEquals(204, answer.statusCode(), answer.body());
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  private static String form(String... parameters) {
    StringBuilder form = new StringBuilder();
    for (int i = 0; i < parameters.length; i += 2) {
      form.append(form.isEmpty() ? "" : "&").append(URLEncoder.encode(parameters[i], UTF_8));
      form.append('=').append(URLEncoder.encode(parameters[i + 1], UTF_8));
    }
    return form.toString();
  }

  /// The data of an answer, which is the same by GET and by a form.
  private String data(String path, String... parameters) throws IOException, InterruptedException {
    String form = form(parameters);
    HttpResponse<String> got = daemon.http.get("/api/v1/" + path + "?" + form);
    HttpResponse<String> posted =
        daemon.http.post("/api/v1/" + path, "application/x-www-form-urlencoded", form);
    assertEquals(200, got.statusCode(), got.body());
    assertEquals(got.body(), posted.body());
    String front = "{\"status\":\"success\",\"data\":";
    assertTrue(got.body().startsWith(front), got.body());
    return got.body().strip().substring(front.length(), got.body().strip().length() - 1);
  }

  @Test
  void labels() throws IOException, InterruptedException {
    assertEquals(
        "[\"__name__\",\"code\",\"host.name\",\"instance\",\"job\",\"type\"]", data("labels"));
    assertEquals("[\"__name__\",\"code\"]", data("labels", "limit", "2"));
    assertEquals(
        "[\"__name__\",\"code\",\"host.name\",\"job\"]",
        data("labels", "match[]", "http:rate", "match[]", "{\"host.name\"!=\"\"}"));
    assertEquals("[\"__name__\",\"job\"]", data("labels", "start", "1700003600"));
    assertEquals("[]", data("labels", "end", "2023-01-01T00:00:00Z"));
  }

  @Test
  void values() throws IOException, InterruptedException {
    assertEquals("[\"cpu.load\",\"http:rate\",\"up\"]", data("label/__name__/values"));
    assertEquals(
        "[\"http:rate\",\"up\"]", data("label/__name__/values", "match[]", "{job=\"api\"}"));
    assertEquals("[\"up\"]", data("label/__name__/values", "match[]", "{__name__=~\"u.\"}"));
    assertEquals("[\"api\",\"db\",\"web\"]", data("label/job/values"));
    assertEquals("[\"api\"]", data("label/job/values", "limit", "1"));
    assertEquals(
        "[\"api\",\"web\"]", data("label/job/values", "match[]", "up", "end", "1700000000.5"));
    assertEquals("[\"h\"]", data("label/host.name/values"));
    assertEquals("[\"h\"]", data("label/U__host_2e_name/values"));
    assertEquals("[]", data("label/none/values"));
  }

  @Test
  void series() throws IOException, InterruptedException {
    assertEquals(
        "[{\"__name__\":\"cpu_load\",\"host.name\":\"h\"},"
            + "{\"__name__\":\"up\",\"instance\":\"i0\",\"job\":\"api\"},"
            + "{\"__name__\":\"up\",\"job\":\"db\"},"
            + "{\"__name__\":\"up\",\"job\":\"web\",\"type\":\"x\"}]",
        data("series", "match[]", "up", "match[]", "cpu_load", "match[]", "up{type=\"x\"}"));
    assertEquals(
        "[{\"__name__\":\"up\",\"job\":\"db\"}]",
        data("series", "match[]", "up{instance=\"\",type=\"\"}"));
  }

  @Test
  void aReaderWithoutSamplesInMindGetsTheLabels() throws IOException, InterruptedException {
    byte[] hints = message(4, text(2, "series"));
    byte[] query = RemoteRead.query(0, BASE, RemoteRead.matcher(0, "__name__", "up"), hints);
    byte[] body =
        daemon.http.exchange("/api/v1/read", RemoteRead.TYPE, RemoteRead.request(query)).body();
    assertEquals(
        "[Series[labels={__name__=up, instance=i0, job=api}, samples=[]],"
            + " Series[labels={__name__=up, job=web, type=x}, samples=[]]]",
        RemoteRead.samples(body).getFirst().toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "series | match[]: is missing",
        "labels?start=2&end=1 | end: 1 is before start, 2",
        "labels?start=x | start: must be seconds or RFC 3339, got x",
        "labels?limit=-1 | limit: must be a whole number from 0, got -1",
      })
  void mistakes(String path, String why) throws IOException, InterruptedException {
    HttpResponse<String> answer = daemon.http.get("/api/v1/" + path);
    assertEquals(400, answer.statusCode());
    assertEquals(
        "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"" + why + "\"}",
        answer.body().strip());
  }

  @Test
  void aSelectorThatIsNone() throws IOException, InterruptedException {
    HttpResponse<String> answer = daemon.http.get("/api/v1/labels?" + form("match[]", "up{job=}"));
    assertEquals(400, answer.statusCode());
    assertTrue(answer.body().contains("\"errorType\":\"bad_data\""), answer.body());
  }
}
