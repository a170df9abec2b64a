package io.widerow.ingest.receive.elastic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import io.widerow.event.EventId;
import io.widerow.faults.ServeProcess;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.Http;
import io.widerow.ingest.MemoryDaemon;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.decode.Sha256;
import io.widerow.ingest.http.RequestRefused;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the bulk of Elasticsearch has the responses and the mapping of PROTOCOLS.md. Method: a
/// daemon with a store in memory, asked as its clients ask.
class ElasticTest {
  private static final String NINE = "application/vnd.elasticsearch+json; compatible-with=9";
  private static final String SECRET = "secret-of-agent-0123456789abcdef";
  private static final String ROW =
      "{\"index\":{\"_index\":\"a\"}}\n{\"@timestamp\":1700000000123}\n";

  @TempDir private Path directory = Path.of(".");

  @AutoClose private final MemoryDaemon it = new MemoryDaemon(2);
  private final MemoryStore store = it.store;
  private final Http http = it.http;

  private HttpResponse<String> bulk(String body, String... headers)
      throws IOException, InterruptedException {
    return http.post("/_bulk", Http.NDJSON, body, headers);
  }

  private static String withoutIds(String answer) {
    return answer
        .replaceAll("\"took\":\\d+", "\"took\":0")
        .replaceAll("\"_id\":\"[0-9a-f]{20}\"", "\"_id\":\"ours\"");
  }

  @Test
  void eachActionHasItsItem() throws IOException, InterruptedException {
    HttpResponse<String> answer =
        bulk(
            """
            {"create":{"_index":"app-2026.11.25","_id":"a\\"1"}}
            {"@timestamp":"2026-11-20T19:00:00.123456789Z","message":"one","n":1,"x":{"y":2.5}}

            {"index":{"_index":"app"}}
            {"a":}
            {"delete":{"_index":"app","_id":"7"}}
            {"update":{"_index":"app","_id":"7"}}
            {"doc":{"a":1}}
            {"index":{"_index":"app"}}
            {"@timestamp":1763665200123,"list":[1,"a"],"body":"own","id":7,"z":null}\
            """);
    assertEquals(200, answer.statusCode());
    String stored =
        "\"_version\":1,\"result\":\"created\",\"_shards\":{\"total\":1,\"successful\":1,"
            + "\"failed\":0},\"_seq_no\":%d,\"_primary_term\":1,\"status\":201}}";
    String refused = "\"status\":400,\"error\":{\"type\":\"%s\",\"reason\":\"%s\"}}}";
    String illegal = "illegal_argument_exception";
    assertEquals(
        "{\"took\":0,\"errors\":true,\"items\":["
            + String.join(
                ",",
                "{\"create\":{\"_index\":\"app-2026.11.25\",\"_id\":\"a\\\"1\","
                    + stored.formatted(0),
                "{\"index\":{\"_index\":\"app\",\"_id\":\"ours\","
                    + refused.formatted(
                        "document_parsing_exception", "a at byte 169: not valid JSON"),
                "{\"delete\":{\"_index\":\"app\",\"_id\":\"7\","
                    + refused.formatted(illegal, "widerow keeps events: delete is not supported"),
                "{\"update\":{\"_index\":\"app\",\"_id\":\"7\","
                    + refused.formatted(illegal, "widerow keeps events: update is not supported"),
                "{\"index\":{\"_index\":\"app\",\"_id\":\"ours\"," + stored.formatted(4))
            + "]}\n",
        withoutIds(answer.body()));
    assertEquals(2, store.committed.size());
    MemoryStore.Stored first = stored("one");
    assertEquals("app", first.type());
    assertEquals(1_795_201_200_123_456_700L, first.timeNanos(), "an own id has it to 100 ns");
    assertEquals(
        Map.of("_id", "a\"1", "_index", "app-2026.11.25", "body", "one", "n", 1L, "x.y", 2.5),
        first.attributes());
    assertEquals(Map.of("body", "own", "id", 7L, "list", "[1,\"a\"]"), stored("own").attributes());
  }

  private MemoryStore.Stored stored(String body) {
    return store.committed.stream()
        .filter(event -> body.equals(event.attributes().get("body")))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void namesThatAreTakenGetAPrefix() throws IOException, InterruptedException {
    bulk(
        """
        {"index":{"_index":"a-2026.11","_id":"x"}}
        {"@timestamp":1,"body":"other","message":"text","_id":"y","_index":5}
        """);
    assertEquals(
        Map.of(
            "body",
            "text",
            "attributes.body",
            "other",
            "_id",
            "y",
            "_index",
            5L,
            "metadata._id",
            "x",
            "metadata._index",
            "a-2026.11"),
        store.committed.getFirst().attributes());
  }

  @ParameterizedTest
  @CsvSource({
    "logs-2026.11.25, logs",
    "logs-2026.11, logs",
    "logs_2026-11-25, logs",
    "logs.2026.11.25.07, logs",
    ".ds-logs-app-default-2026.11.25-000001, .ds-logs-app-default",
    "logs-000042, logs",
    "logs-2026.13, logs-2026.13",
    "logs-1234.11, logs-1234.11",
    "2026.11.25, 2026.11.25",
    "logs2026.11.25, logs2026.11.25",
    "logs-7, logs-7",
    "logs, logs"
  })
  void aDayMakesNoType(String index, String type) {
    byte[] name = index.getBytes(StandardCharsets.UTF_8);
    assertEquals(type, index.substring(0, IndexName.typeBytes(name, 0, name.length)));
  }

  @ParameterizedTest
  @CsvSource({
    "1700000000123, 1700000000123000000",
    "1700000000123.25, 1700000000123250000",
    "5, 5000000000",
    "2026-11-20T19:00:00.000000001Z, 1795201200000000001",
    "2026-11-20T20:00:00+01:00, 1795201200000000000",
    "'2026-11-20T19:00:00,5', 1795201200500000000",
    "2026-11-20T19:00:00, 1795201200000000000",
    "2026-11-20, 1795132800000000000",
    "2026-11-20T, 1795132800000000000",
    "2026-11-20T19, 1795201200000000000",
    "2026-11-20T19:00, 1795201200000000000",
    "2026-11-20T19:00Z, 1795201200000000000",
    "2026-11-20T20:00+01, 1795201200000000000",
    "2026-11-20T20+01:00, 1795201200000000000",
    "2026-11-20T20:00:00.5+01, 1795201200500000000",
    "'2026-11-20T19:00:00,5Z', 1795201200500000000",
    "2026-11-20T19:00:00.0000000001234Z, 1795201200000000000",
    "2026-11, 1793491200000000000",
    "2026, 1767225600000000000"
  })
  void timesAreExact(String time, long nanos) throws IOException, InterruptedException {
    String quoted = "\"%s\"".formatted(time);
    for (String value : time.matches("\\d|[\\d.]{5,}") ? List.of(quoted, time) : List.of(quoted)) {
      store.committed.clear();
      bulk(ROW.replace("1700000000123", value));
      assertEquals(nanos, store.committed.getFirst().timeNanos(), value);
    }
  }

  /// Clients drop refused events.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"yesterday\"",
        "\"\"",
        "true",
        "-1",
        "\"2026-13-01T00:00:00Z\"",
        "\"2026-02-30\"",
        "\"2026-01-01T25:00\"",
        "\"2026-01-01T00:00:00.Z\"",
        "\"2026-01-01T00:00:00+99:00\"",
        "\"2026-01-01T00:00:00+1\"",
        "\"2026-01-01Z\"",
        "\"2026-01-\"",
        "\"2026-\"",
        "\"1700000000000x\""
      })
  void aTimeThatIsNoneIsAnAttribute(String time) throws IOException, InterruptedException {
    String answer = bulk(ROW.replace("1700000000123", time)).body();
    assertTrue(answer.contains("\"errors\":false"), answer);
    assertEquals(
        "{sender_time=" + time.replace("\"", "") + "}",
        store.committed.getFirst().attributes().toString());
  }

  @Test
  void theIndexMayStandInThePathAndTheTypeBeAsked() throws IOException, InterruptedException {
    String body = "{\"index\":{}}\n{\"message\":\"a\"}\n";
    assertEquals(200, http.post("/path-2026.11.25/_bulk", Http.NDJSON, body).statusCode());
    assertTrue(bulk(body).body().contains("index is missing"));
    assertEquals(200, http.post("/i/_bulk?type=t", Http.NDJSON, body).statusCode());
    assertEquals(2, store.committed.size());
    assertEquals(
        List.of("path", "t"),
        store.committed.stream().map(MemoryStore.Stored::type).sorted().toList());
    assertEquals("i", store.committed.getLast().attributes().get("_index"));
    store.committed.clear();
    String answer = http.post("/_bulk?type=t", Http.NDJSON, body).body();
    assertTrue(answer.contains("{\"index\":{\"_index\":\"t\",\"_id\":"), answer);
    assertTrue(answer.contains("\"errors\":false"), answer);
    assertEquals("t", store.committed.getFirst().type());
    assertEquals("{body=a}", store.committed.getFirst().attributes().toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nonsense | not valid JSON",
        "{\"index\":1} | expected an object after the action",
        "{\"upsert\":{}} | expected one of [create, delete, index, update]",
        "{\"index\":{\"_index\":5}} | _index must be a string",
        "{\"index\":{\"_id\":\"\"}} | _id must be UTF-8 and not empty",
        "{\"index\":{\"_index\":\"x\"}} x | something follows",
        "{\"index\":{}, \"a\":{}} | not valid JSON",
        "[] | not valid JSON"
      })
  void aBadActionCostsItsItem(String line, String reason) throws IOException, InterruptedException {
    for (String document : List.of("{\"a\":1}\n", "")) { // it may have forgotten its document
      int before = store.committed.size();
      HttpResponse<String> answer = bulk(ROW + line + "\n" + document + ROW);
      assertEquals(200, answer.statusCode(), answer.body());
      assertTrue(answer.body().contains("\"errors\":true"), answer.body());
      assertTrue(
          answer
              .body()
              .matches(
                  "(?s).*\"items\":\\[\\{.*\"status\":201\\}\\},\\{.*\"status\":400,\"error\":"
                      + "\\{\"type\":\"illegal_argument_exception\",\"reason\":"
                      + "\"Malformed action/metadata line \\[3\\].*"),
          answer.body());
      assertTrue(answer.body().contains(reason), answer.body());
      assertEquals(2, store.committed.size() - before, answer.body());
    }
  }

  @Test
  void aBodyWithoutAnyActionIsRefused() throws IOException, InterruptedException {
    HttpResponse<String> answer = bulk("nonsense\n{\"a\":1}\n[]\n{}\n");
    assertEquals(400, answer.statusCode());
    assertTrue(answer.body().startsWith("{\"error\":{\"root_cause\":[{\"type\":\"illegal_arg"));
    assertTrue(answer.body().contains("Malformed action/metadata line [1]"), answer.body());
    assertTrue(store.committed.isEmpty());
  }

  @Test
  void nothingAndTooMuchAreRefused() throws IOException, InterruptedException {
    assertEquals(400, bulk("").statusCode());
    assertEquals(400, bulk("\n\n").statusCode());
    HttpResponse<String> large = http.post("/_bulk", Http.NDJSON, new byte[30 << 20]);
    assertEquals(413, large.statusCode());
    assertEquals("Elasticsearch", large.headers().firstValue("x-elastic-product").orElse(""));
    assertEquals(415, bulk(ROW, "content-encoding", "br").statusCode());
    assertEquals(403, bulk(ROW, "origin", "http://e").statusCode());
    assertTrue(bulk("{\"index\":{\"_index\":\"a\"}}").body().contains("document is missing"));
    assertTrue(store.committed.isEmpty());
  }

  @Test
  void aRepeatIsStoredOnceAndAnsweredAlike() throws IOException, InterruptedException {
    String plain = ROW.repeat(20) + "{\"index\":{\"_index\":\"a\"}}\n{\"n\":}\n";
    String first = withoutIds(bulk(plain).body());
    assertEquals(first, withoutIds(bulk(plain).body()), "the answer was lost, it came again");
    assertEquals(20, store.committed.size());
    store.committed.clear();
    String named = ROW.replace("\"a\"", "\"a\",\"_id\":\"n1\"");
    bulk(named);
    assertTrue(bulk(named + "\n" + ROW).body().contains("\"errors\":false"));
    assertEquals(3, store.committed.size());
    List<EventId> ids =
        store.committed.stream()
            .flatMap(event -> Optional.ofNullable(event.ownId()).stream())
            .toList();
    assertEquals(2, ids.size());
    assertEquals(ids.getFirst(), ids.getLast(), "the second replaces the first");
  }

  /// The ledger keeps the first of many reasons only.
  @Test
  void aRepeatOfManyThatAreRefusedIsAnsweredAlike() throws IOException, InterruptedException {
    store.rejectFromNanos = 1_700_000_000_200_000_000L;
    String late = ROW.replace("1700000000123", "1700000000300");
    String bad = "{\"index\":{\"_index\":\"a\"}}\n{\"n\":}\n".repeat(1_500);
    String body = late + ROW.repeat(20) + bad;
    String first = withoutIds(bulk(body).body());
    assertEquals(1_501, first.split("\"status\":400", -1).length - 1);
    assertEquals(first, withoutIds(bulk(body).body()));
    assertEquals(20, store.committed.size());
    String last = ROW.repeat(20) + bad + ROW + late;
    bulk(last);
    String repeated = bulk(last).body();
    assertEquals(20, repeated.split("\"status\":201", -1).length - 1);
    assertTrue(repeated.endsWith("only the first reasons are kept\"}}}]}\n"), "not told as stored");
  }

  @Test
  void aLargeAnswerComesInPieces() throws IOException, InterruptedException {
    int count = 20_000;
    String body =
        IntStream.range(0, count)
            .mapToObj(i ->
                "{\"create\":{\"_index\":\"i%d\"%s}}\n{\"@timestamp\":%d}\n"
                    .formatted(i / 1_000, i % 3 == 0 ? ",\"_id\":\"id" + i + "\"" : "", i))
            .collect(Collectors.joining());
    String answer = bulk(body).body();
    List<String> ids =
        Pattern.compile("\"_index\":\"(i\\d+)\",\"_id\":\"([^\"]*)\"")
            .matcher(answer)
            .results()
            .map(item -> item.group(1) + " " + item.group(2))
            .toList();
    assertEquals(count, ids.size());
    for (int i = 0; i < count; i++) {
      String id = i % 3 == 0 ? "id" + i : "[0-9a-f]{12}%08x".formatted(i);
      assertTrue(ids.get(i).matches("i" + i / 1_000 + " " + id), ids.get(i));
    }
    assertTrue(answer.endsWith("\"status\":201}}]}\n"));
    assertEquals(count, store.committed.size());
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /",
    "HEAD, /",
    "GET, /_license",
    "GET, /_xpack",
    "GET, /_nodes",
    "GET, /_nodes/http",
    "GET, /_cluster/health",
    "GET, /_cat/health",
    "GET, /_ilm/policy/x",
    "PUT, /_ilm/policy/x",
    "GET, /_index_template/x",
    "PUT, /_index_template/x",
    "PUT, /_template/x",
    "PUT, /_component_template/x",
    "PUT, /_ingest/pipeline/x",
    "PUT, /_data_stream/x",
    "HEAD, /_alias/x",
    "HEAD, /any-index"
  })
  void probesAreAnswered(String method, String path) throws IOException, InterruptedException {
    HttpResponse<String> answer = ask(method, path, "accept", NINE + ",text/plain");
    assertEquals(200, answer.statusCode());
    assertEquals("Elasticsearch", answer.headers().firstValue("x-elastic-product").orElse(""));
    String type = answer.headers().firstValue("content-type").orElse("");
    assertTrue(path.equals("/_cat/health") || type.equals(NINE.replace(" ", "")), type);
    if (method.equals("PUT")) {
      assertEquals("{\"acknowledged\":true}\n", answer.body());
    }
  }

  @Test
  void theBannerNamesAVersionUnlessAPageIsAccepted() throws IOException, InterruptedException {
    HttpResponse<String> banner = ask("GET", "/");
    assertTrue(banner.body().contains("\"number\":\"8.19.0\""), banner.body());
    assertTrue(banner.body().contains("\"tagline\":\"You Know, for Search\""));
    assertEquals("application/json", banner.headers().firstValue("content-type").orElse(""));
    String page = ask("GET", "/", "accept", "text/html,application/json").body();
    assertTrue(page.startsWith("Widerow "), page);
    assertTrue(page.matches("(?s).*POST +/_bulk .*"), page);
    assertEquals(404, ask("GET", "/any-index").statusCode());
  }

  private HttpResponse<String> ask(String method, String path, String... headers)
      throws IOException, InterruptedException {
    return ask(it.daemon, method, path, headers);
  }

  private static HttpResponse<String> ask(
      Daemon daemon, String method, String path, String... headers)
      throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      URI uri = URI.create("http://127.0.0.1:" + daemon.httpAddress().getPort() + path);
      HttpRequest.Builder request =
          HttpRequest.newBuilder(uri)
              .method(
                  method,
                  method.equals("PUT") || method.equals("POST")
                      ? BodyPublishers.ofString(ROW)
                      : BodyPublishers.noBody());
      if (headers.length > 0) {
        request.headers(headers);
      }
      return client.send(request.build(), BodyHandlers.ofString());
    }
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void whatMaySucceedLaterIsToBeTriedAgain() throws IOException, InterruptedException {
    store.full = true;
    HttpResponse<String> full = bulk(ROW);
    assertEquals(503, full.statusCode());
    assertTrue(full.headers().firstValue("retry-after").isPresent());
    assertTrue(full.body().endsWith("\"status\":503}\n"), full.body());
    AggregatedHttpResponse overload =
        ElasticResponses.error(null, RequestRefused.overloaded()).aggregate().join();
    assertEquals(429, overload.status().code());
    assertTrue(overload.headers().contains("retry-after"));
    assertTrue(overload.contentUtf8().contains("\"es_rejected_execution_exception\""));
  }

  @Test
  @Tag("process")
  void aKillBetweenTwoSendsStoresNothingTwice() throws IOException, InterruptedException {
    String plain =
        IntStream.range(0, 20)
            .mapToObj(i -> ROW.replace("123}", "%03d}".formatted(i)))
            .collect(Collectors.joining());
    String named = ROW.replace("\"a\"", "\"a\",\"_id\":\"n1\"").replace("123}", "999}");
    Path data = directory.resolve("d");
    String[] first = new String[2];
    for (int sent = 0; sent < 3; sent++) {
      try (ServeProcess daemon = ServeProcess.start(data)) {
        String[] answers = new String[2];
        answers[0] = withoutIds(daemon.post("/_bulk", Http.NDJSON, plain).body());
        answers[1] = withoutIds(daemon.post("/_bulk", Http.NDJSON, named).body());
        first = sent == 0 ? answers : first;
        assertArrayEquals(first, answers);
        long events =
            daemon.get("/v1/query?type=a").body().lines().filter(l -> l.contains("\"ts\"")).count();
        assertEquals(21, events);
        daemon.kill();
      }
    }
  }

  @Test
  void theTokenComesInAnyOfTheirHeaders() throws IOException, InterruptedException {
    Path file = directory.resolve("tokens");
    byte[] digest = Sha256.start().digest(SECRET.getBytes(StandardCharsets.UTF_8));
    Files.writeString(file, "agent %s ingest%n".formatted(HexFormat.of().formatHex(digest)));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    Map<String, String> config =
        Map.of("http", "127.0.0.1:0", "lanes", "1", "tokens", file.toString());
    MemoryStore guarded = new MemoryStore(1);
    try (Daemon other = Daemon.start(DaemonConfig.of(config), guarded)) {
      String basic = base64("elastic:" + SECRET);
      for (String header :
          List.of("Bearer " + SECRET, "ApiKey " + base64("id:" + SECRET), "Basic " + basic)) {
        assertEquals(200, ask(other, "POST", "/_bulk", "authorization", header).statusCode());
        assertEquals(200, ask(other, "GET", "/_xpack", "authorization", header).statusCode());
      }
      for (String path : List.of("/_bulk", "/i/_bulk")) {
        HttpResponse<String> wrong =
            ask(other, "POST", path, "authorization", "Bearer no", "accept", NINE);
        assertEquals(401, wrong.statusCode());
        assertEquals("Elasticsearch", wrong.headers().firstValue("x-elastic-product").orElse(""));
        assertTrue(wrong.headers().firstValue("www-authenticate").orElse("").contains("Basic"));
        assertTrue(wrong.body().contains("\"type\":\"security_exception\""), wrong.body());
        assertTrue(wrong.body().endsWith("\"status\":401}\n"));
      }
      assertEquals(3, guarded.committed.size());
      assertFalse(ask(other, "GET", "/").body().isEmpty(), "the banner needs no token");
    }
  }
}
