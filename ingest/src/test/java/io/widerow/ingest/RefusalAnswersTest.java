package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: a request that is refused as a whole gets the status and the form of its protocol, and
/// `Retry-After` where a retry helps. Method: for each protocol a request without a token, with a
/// wrong one, too large, while a lane's ring is full, and while the disk is full; each answer as a
/// whole.
@Timeout(300)
class RefusalAnswersTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final int BODY_BYTES_MAX = 4_096;
  private static final String LARGE = "the body is larger than the limit of 4096 bytes";
  private static final String BUSY = "overloaded: too many bytes are in flight; try again";
  private static final String FULL = "memory: 0 bytes are free and 1 are needed"; // or more

  @TempDir private static Path directory = Path.of(".");

  private final TokenDaemon daemon =
      new TokenDaemon(
          directory,
          SECRET,
          Map.of("lane-slots", "2", "body-bytes-max", Integer.toString(BODY_BYTES_MAX)));

  @AfterEach
  void stop() {
    daemon.store.commits.release(1_000);
    daemon.close();
  }

  /// A protocol: an event, the position of the token, and the response. `%s` is the reason.
  enum Protocol {
    JSON(
        "/v1/events?type=a",
        "{\"n\":1}",
        "authorization: Bearer ",
        "401 {\"error\":\"needs a token\"}",
        "401 {\"error\":\"needs a token\"}",
        "413 {\"error\":\"%s\"}",
        "503 {\"error\":\"%s\"}",
        "507 {\"error\":\"%s\"}"),
    INFLUX_1(
        "/write?db=x",
        "m n=1i",
        "authorization: Basic ",
        "401 {\"error\":\"needs a token\"}",
        "401 {\"error\":\"needs a token\"}",
        "413 {\"error\":\"%s\"}",
        "503 {\"error\":\"%s\"}",
        "507 {\"error\":\"%s\"}"),
    INFLUX_2(
        "/api/v2/write",
        "m n=1i",
        "authorization: Token ",
        "401 {\"code\":\"unauthorized\",\"message\":\"needs a token\"}",
        "401 {\"code\":\"unauthorized\",\"message\":\"needs a token\"}",
        "413 {\"code\":\"request too large\",\"message\":\"%s\"}",
        "503 {\"code\":\"unavailable\",\"message\":\"%s\"}",
        "507 {\"code\":\"unavailable\",\"message\":\"%s\"}"),
    INFLUX_3(
        "/api/v3/write_lp?db=x",
        "m n=1i",
        "authorization: Token ",
        "401 {\"error\":\"needs a token\"}",
        "401 {\"error\":\"needs a token\"}",
        "413 {\"error\":\"%s\"}",
        "503 {\"error\":\"%s\"}",
        "503 {\"error\":\"%s\"}"),
    ELASTICSEARCH(
        "/a/_bulk",
        "{\"index\":{}}\n{\"n\":1}\n",
        "authorization: ApiKey ",
        elastic(401, "security_exception").formatted("needs a token", "needs a token"),
        elastic(401, "security_exception").formatted("needs a token", "needs a token"),
        elastic(413, "content_too_long_exception"),
        elastic(429, "es_rejected_execution_exception"),
        elastic(503, "cluster_block_exception")),
    HEC(
        "/services/collector/event",
        "{\"event\":\"a\"}",
        "authorization: Splunk ",
        "401 {\"text\":\"Token is required\",\"code\":2}",
        "403 {\"text\":\"Invalid token\",\"code\":4}",
        "413 {\"text\":\"%s\",\"code\":6}",
        "503 {\"text\":\"Server is busy: %s\",\"code\":9}",
        "507 {\"text\":\"%s\",\"code\":9}"),
    HEC_RAW(
        "/services/collector/raw",
        "a",
        "authorization: Splunk ",
        "401 {\"text\":\"Token is required\",\"code\":2}",
        "403 {\"text\":\"Invalid token\",\"code\":4}",
        "413 {\"text\":\"%s\",\"code\":6}",
        "503 {\"text\":\"Server is busy: %s\",\"code\":9}",
        "507 {\"text\":\"%s\",\"code\":9}"),
    DATADOG(
        "/api/v2/logs",
        "[{\"message\":\"a\"}]",
        "dd-api-key: ",
        datadog("403", "Forbidden").formatted("needs a token"),
        datadog("403", "Forbidden").formatted("needs a token"),
        datadog("413", "Request Entity Too Large"),
        datadog("503", "Service Unavailable"),
        datadog("507", "Insufficient Storage")),
    GELF(
        "/gelf",
        "{\"short_message\":\"a\"}",
        "authorization: Bearer ",
        "401 needs a token",
        "401 needs a token",
        "413 %s",
        "503 %s",
        "503 %s");

    final String path;
    final String event;
    final String header;
    final String noToken;
    final String wrongToken;
    final String tooLarge;
    final String busy;
    final String full;

    Protocol(
        String path,
        String event,
        String header,
        String noToken,
        String wrongToken,
        String tooLarge,
        String busy,
        String full) {
      this.path = path;
      this.event = event;
      this.header = header;
      this.noToken = noToken;
      this.wrongToken = wrongToken;
      this.tooLarge = tooLarge;
      this.busy = busy;
      this.full = full;
    }

    private static String elastic(int status, String type) {
      String cause = "\"type\":\"" + type + "\",\"reason\":\"%1$s\"";
      return status
          + " {\"error\":{\"root_cause\":[{%s}],%s},\"status\":%d}".formatted(cause, cause, status);
    }

    private static String datadog(String status, String title) {
      return status
          + " {\"errors\":[{\"status\":\"%s\",\"title\":\"%s\",\"detail\":\""
              .formatted(status, title)
          + "%s\"}]}";
    }

    /// The header that brings a token, its name and its value.
    String[] token(String secret) {
      String[] both = header.split(": ", 2);
      String kind = both[1];
      boolean pair = kind.startsWith("Basic") || kind.startsWith("ApiKey");
      String value = pair ? base64("id:" + secret) : secret;
      return new String[] {both[0], kind + value};
    }

    private static String base64(String text) {
      return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  private HttpResponse<String> post(Protocol protocol, String body, String... headers)
      throws IOException, InterruptedException {
    return daemon.http.post(protocol.path, Http.NDJSON, body, headers);
  }

  private static void assertAnswer(String expected, HttpResponse<String> answer) {
    String told = answer.body().stripTrailing().replaceAll("\\d+ are needed", "1 are needed");
    assertEquals(expected, answer.statusCode() + " " + told);
  }

  private static void assertRetryAfter(HttpResponse<String> answer) {
    long seconds = answer.headers().firstValueAsLong("retry-after").orElse(-1);
    assertTrue(seconds >= 1 && seconds <= 5, "retry after " + seconds);
  }

  @ParameterizedTest
  @EnumSource
  void tokens(Protocol protocol) throws IOException, InterruptedException {
    assertAnswer(protocol.noToken, post(protocol, protocol.event));
    HttpResponse<String> wrong = post(protocol, protocol.event, protocol.token("no"));
    assertAnswer(protocol.wrongToken, wrong);
    boolean advised = wrong.headers().firstValue("www-authenticate").isPresent();
    assertEquals(wrong.statusCode() == 401, advised);
    assertEquals(0, daemon.store.committed.size());
    int status = post(protocol, protocol.event, protocol.token(SECRET)).statusCode();
    assertTrue(status >= 200 && status < 300, "answered " + status);
    assertEquals(1, daemon.store.committed.size());
  }

  @ParameterizedTest
  @EnumSource
  void aBodyThatIsTooLarge(Protocol protocol) throws IOException, InterruptedException {
    String body = protocol.event + " ".repeat(BODY_BYTES_MAX);
    HttpResponse<String> answer = post(protocol, body, protocol.token(SECRET));
    assertAnswer(protocol.tooLarge.formatted(LARGE), answer);
    assertTrue(answer.headers().firstValue("retry-after").isEmpty(), "it will not help");
    assertEquals(0, daemon.store.committed.size());
  }

  @ParameterizedTest
  @EnumSource
  void aFullRing(Protocol protocol) {
    daemon.store.commits.drainPermits(); // a disk that hangs
    List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      byte[] body = protocol.event.getBytes(StandardCharsets.UTF_8);
      all.add(daemon.http.postLater(protocol.path, Http.NDJSON, body, protocol.token(SECRET)));
    }
    Object first = CompletableFuture.anyOf(all.toArray(CompletableFuture[]::new)).join();
    assertTrue(first instanceof HttpResponse<?>);
    daemon.store.commits.release(1_000);
    int stored = 0;
    for (CompletableFuture<HttpResponse<String>> each : all) {
      HttpResponse<String> answer = each.join();
      if (answer.statusCode() < 300) {
        stored++;
      } else {
        assertAnswer(protocol.busy.formatted(BUSY), answer);
        assertRetryAfter(answer);
      }
    }
    assertTrue(stored > 0 && stored < 20, stored + " stored");
    assertEquals(stored, daemon.store.committed.size());
  }

  @ParameterizedTest
  @EnumSource
  void aFullDisk(Protocol protocol) throws IOException, InterruptedException {
    daemon.store.full = true;
    HttpResponse<String> answer = post(protocol, protocol.event, protocol.token(SECRET));
    assertAnswer(protocol.full.formatted(FULL), answer);
    assertRetryAfter(answer);
    daemon.store.full = false;
    assertTrue(post(protocol, protocol.event, protocol.token(SECRET)).statusCode() < 300);
    assertEquals(1, daemon.store.committed.size());
  }
}
