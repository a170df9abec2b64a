package io.widerow.ingest.receive.datadog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Decoding;
import io.widerow.ingest.Http;
import io.widerow.ingest.MalformedTest;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.TokenDaemon;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: agents and clients of Datadog get its answers, and what they sent is stored unchanged.
/// Method: requests as its API client sends them, to a daemon with a store in memory; a corpus of
/// bad events between good ones.
@Timeout(300)
class DatadogTest {
  private static final String JSON = "application/json";
  private static final String SECRET = "0123456789abcdef0123456789abcdef";

  @TempDir private static Path directory = Path.of(".");

  @AutoClose private final TokenDaemon daemon = new TokenDaemon(directory, SECRET);
  private final MemoryStore store = daemon.store;
  private final Http http = daemon.http;

  private HttpResponse<String> send(String body) throws IOException, InterruptedException {
    return http.post("/api/v2/logs", JSON, body, "dd-api-key", SECRET);
  }

  @Test
  void logsAreStoredByTheMapping() throws IOException, InterruptedException {
    HttpResponse<String> answer =
        send(
            """
            [{"ddsource":"nginx","ddtags":"env:test,team:a,canary","hostname":"i-1",
              "message":"one","service":"payment","timestamp":1767323045123,"status":"warn"},
             {"ddsource":"java","message":{"message":"two","a":{"b":1}},"date":"1767323045124.5",
              "extra":[1,2]},
             {"message":"three","timestamp":2,"date":1}]
            """);
    assertEquals("{}\n", answer.body());
    assertEquals(202, answer.statusCode());
    assertEquals(
        "[Stored[type=payment, timeNanos=1767323045123000000, ownId=null, attributes={body=one,"
            + " canary=, ddsource=nginx, env=test, host=i-1, status=warn, team=a}],"
            + " Stored[type=java, timeNanos=1767323045124500000, ownId=null, attributes={a.b=1,"
            + " body=two, ddsource=java, extra=[1,2]}], Stored[type=datadog,"
            + " timeNanos=2000000000, ownId=null, attributes={body=three, date=1}]]",
        store.committed.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "{}", " [ ] "})
  void aProbeHoldsNoEvents(String probe) throws IOException, InterruptedException {
    assertEquals(202, send(probe).statusCode());
    assertEquals(0, store.committed.size());
  }

  @Test
  void oneObjectIsOneEvent() throws IOException, InterruptedException {
    assertEquals(202, send("{\"message\":\"one\"}").statusCode());
    assertEquals("one", store.committed.getFirst().body());
  }

  @Test
  void parametersGiveWhatEventsDoNotSay() throws IOException, InterruptedException {
    String path = "/api/v2/logs?service=shop&ddsource=java&hostname=h1&ddtags=env:test,canary";
    String body =
        "[{\"message\":\"one\",\"date\":1},{\"message\":\"two\",\"date\":2,\"service\":\"own\","
            + "\"ddsource\":\"c\",\"hostname\":\"h2\",\"ddtags\":\"env:prod,team:a\"},"
            + "{\"message\":\"three\",\"date\":3,\"ddsource\":\"c\"}]";
    assertEquals(202, http.post(path, JSON, body, "dd-api-key", SECRET).statusCode());
    assertEquals(202, http.post(path, JSON, "{}", "dd-api-key", SECRET).statusCode());
    assertEquals(
        List.of(
            "shop {body=one, canary=, ddsource=java, env=test, host=h1}",
            "own {body=two, canary=, ddsource=c, env=prod, host=h2, tag.env=test, team=a}",
            "shop {body=three, canary=, ddsource=c, env=test, host=h1}"),
        store.committed.stream().map(each -> each.type() + " " + each.attributes()).toList());
  }

  @Test
  void theKeyMayBeInThePathAndAWrongOneIsForbidden() throws IOException, InterruptedException {
    String body = "{\"message\":\"one\"}";
    assertEquals(202, http.post("/v1/input/" + SECRET, JSON, body).statusCode());
    assertEquals(403, http.post("/v1/input/wrong", JSON, body).statusCode());
    HttpResponse<String> none = http.post("/v1/input", JSON, body);
    assertEquals(403, none.statusCode());
    assertEquals(
        "{\"errors\":[{\"status\":\"403\",\"title\":\"Forbidden\","
            + "\"detail\":\"needs a token\"}]}\n",
        none.body());
    assertEquals(403, http.get("/api/v1/validate").statusCode());
    assertEquals("{\"valid\":true}\n", http.get("/api/v1/validate", "dd-api-key", SECRET).body());
    assertEquals(1, store.committed.size());
    assertEquals(400, http.post("/v1/input/" + SECRET, JSON, "[1]").statusCode());
    String status = http.get("/v1/status", "dd-api-key", TokenDaemon.OPERATOR).body();
    assertTrue(status.contains("/v1/input/{token}"), status);
    assertFalse(status.contains(SECRET), "a key in a path is shown to nobody");
  }

  @Test
  void someRefusedIsAnErrorAndTheOthersAreStored() throws IOException, InterruptedException {
    String body = "[{\"message\":\"one\",\"date\":1.000001},1]";
    HttpResponse<String> answer = send(body);
    assertEquals(400, answer.statusCode());
    assertEquals(
        "{\"errors\":[{\"status\":\"400\",\"title\":\"Bad Request\",\"detail\":\"1 of 2 events"
            + " refused, the others are stored; event 1: not a JSON object at byte 35\"}]}\n",
        answer.body());
    assertEquals(answer.body(), send(body).body(), "a repeat gets the same answer");
    assertEquals(1, store.committed.size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[",
        "{",
        "[{}",
        "[{},]",
        "[{} {}]",
        "{}{}",
        "{\"a\":}",
        "[{\"a\":tru}]",
        "x",
        "[1,2",
        "{\"",
      })
  void whatIsNoJsonStoresNothing(String body) throws IOException, InterruptedException {
    HttpResponse<String> answer = send(body);
    assertEquals(400, answer.statusCode());
    assertTrue(answer.body().contains("at byte "), answer.body());
    assertEquals(0, store.committed.size());
  }

  @Test
  void theTimeOfTheRequestIsThatOfEventsWithoutOne() throws IOException, InterruptedException {
    String[] headers = {"dd-api-key", SECRET, "dd-message-timestamp", "1767323045123"};
    String body = "[{\"message\":\"one\"},{\"message\":\"two\",\"date\":5}]";
    assertEquals(202, http.post("/api/v2/logs", JSON, body, headers).statusCode());
    assertEquals(1767323045123000000L, store.committed.get(0).timeNanos());
    assertEquals(5_000_000_000L, store.committed.get(1).timeNanos());
    headers[3] = "now";
    assertEquals(202, http.post("/api/v2/logs", JSON, body, headers).statusCode());
    assertEquals("now", store.committed.get(2).attributes().get("sender_time"));
  }

  /// The time in the header is all that tells one report from the next.
  @Test
  void theSameEntriesAtAnotherTimeAreNoRepeat() throws IOException, InterruptedException {
    String body = "[" + "{\"message\":\"alive\"},".repeat(15) + "{\"message\":\"alive\"}]";
    for (String sent : List.of("1767323040000", "1767323100000", "1767323100000")) {
      String[] headers = {"dd-api-key", SECRET, "dd-message-timestamp", sent};
      assertEquals(202, http.post("/api/v2/logs", JSON, body, headers).statusCode());
    }
    assertEquals(32, store.committed.size(), "the third was a repeat");
    assertEquals(1_767_323_040_000_000_000L, store.committed.getFirst().timeNanos());
    assertEquals(1_767_323_100_000_000_000L, store.committed.getLast().timeNanos());
  }

  static List<String> bad() {
    return MalformedTest.corpus("malformed.datadog");
  }

  @ParameterizedTest
  @MethodSource("bad")
  void aBadEventCostsItself(String bad) {
    String good = "{\"timestamp\":1,\"message\":\"good\"}";
    byte[] body =
        ("[" + good + "," + MalformedTest.expand(bad) + "," + good + "]")
            .getBytes(StandardCharsets.UTF_8);
    Decoding.Result result = Decoding.of(body, DatadogFuzz::decode);
    assertEquals(2, result.stored().size(), () -> result.stored().toString());
    result.stored().forEach(each -> assertEquals("good", each.body()));
    assertEquals(1, result.refused().count());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "timestamp|\"2026-11-20T19:00:01.500Z\"|1795201201500000000",
        "date|\"2026-11-20T20:00:01.500+01:00\"|1795201201500000000",
        "timestamp|\"2026-11-20 19:00:01,500\"|1795201201500000000",
        "timestamp|1795201201500|1795201201500000000",
        "timestamp|1.7952012015E12|1795201201500000000",
        "timestamp|\"1795201201500\"|1795201201500000000"
      })
  void theTimeHasManyForms(String name, String value, long nanos)
      throws IOException, InterruptedException {
    assertEquals(202, send("{\"message\":\"m\",\"%s\":%s}".formatted(name, value)).statusCode());
    assertEquals(nanos, store.committed.getFirst().timeNanos());
    assertEquals("{body=m}", store.committed.getFirst().attributes().toString());
  }

  /// Whatever the order: the best name that gives a time has it, and nothing is lost.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"date\":7,\"timestamp\":5|5|{body=m, date=7}",
        "\"timestamp\":5,\"date\":7|5|{body=m, date=7}",
        "\"date\":\"\\ud800\",\"timestamp\":5|5|{body=m, date=\\ud800, widerow.escaped=1}",
        "\"date\":7,\"timestamp\":null|7|{body=m}",
        "\"date\":7,\"timestamp\":0|7|{body=m}",
        "\"timestamp\":0,\"date\":7|7|{body=m}",
        "\"@timestamp\":\"2026-11-20T19:00:01Z\",\"timestamp\":null|1795201201"
            + "|{@timestamp=2026-11-20T19:00:01Z, body=m}",
      })
  void noTimeErasesAnother(String members, long seconds, String attributes)
      throws IOException, InterruptedException {
    assertEquals(202, send("{\"message\":\"m\"," + members + "}").statusCode());
    assertEquals(seconds * 1_000_000_000L, store.committed.getFirst().timeNanos());
    assertEquals(attributes, store.committed.getFirst().attributes().toString());
  }

  @Test
  void aTimeWithoutAYearIsTheNearest() throws IOException, InterruptedException {
    java.time.ZonedDateTime hourAgo =
        java.time.ZonedDateTime.now(java.time.ZoneOffset.UTC)
            .minusHours(1)
            .truncatedTo(java.time.temporal.ChronoUnit.SECONDS);
    String text =
        hourAgo.format(
            java.time.format.DateTimeFormatter.ofPattern(
                "MMM ppd HH:mm:ss", java.util.Locale.ROOT));
    assertEquals(202, send("{\"message\":\"m\",\"date\":\"%s\"}".formatted(text)).statusCode());
    assertEquals(hourAgo.toEpochSecond() * 1_000_000_000L, store.committed.getFirst().timeNanos());
  }

  @ParameterizedTest
  @ValueSource(strings = {"@timestamp", "_timestamp", "Timestamp", "eventTime", "published_date"})
  void otherNamesGiveTheTimeToo(String name) throws IOException, InterruptedException {
    String time = "\"%s\":\"2026-11-20T19:00:01Z\"".formatted(name);
    assertEquals(
        202,
        send("[{\"message\":\"a\",%s},{%s,\"timestamp\":5,\"message\":\"b\"},{\"%s\":7}]"
                .formatted(time, time, name))
            .statusCode());
    assertEquals(1795201201000000000L, store.committed.getFirst().timeNanos());
    assertEquals(
        "2026-11-20T19:00:01Z", store.committed.getFirst().attributes().get(name)); // is kept
    assertEquals(5_000_000_000L, store.committed.get(1).timeNanos());
    assertEquals(7L, store.committed.get(2).attributes().get(name)); // no time
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"soon\"", "\"\"", "\"Foo 11 22:14:15\"", "\"Feb 31 22:14:15\"", "-5"})
  void whatIsNoTimeIsAnAttribute(String value) throws IOException, InterruptedException {
    assertEquals(202, send("{\"message\":\"m\",\"timestamp\":" + value + "}").statusCode());
    assertEquals(
        "{body=m, sender_time=" + value.replace("\"", "") + "}",
        store.committed.getFirst().attributes().toString());
  }
}
