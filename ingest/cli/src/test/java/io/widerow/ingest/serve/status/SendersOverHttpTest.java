package io.widerow.ingest.serve.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.OperatedDaemon;
import io.widerow.ingest.TokenDaemon;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an operator sees senders, their events and the outcomes, and the three reports of them
/// agree. Method: a daemon with tokens, requests of every outcome, counted by hand.
@Timeout(300)
class SendersOverHttpTest {
  @TempDir private static Path directory = Path.of(".");

  private static final String LINE =
      "{\"ts\":\"2026-11-20T19:00:00.%03d001Z\",\"type\":\"app\",\"body\":\"x\"}\n";

  private static final String SHOP = "secret-of-shop-0123456789abcdef";
  private static final String ROOT = "secret-of-root-0123456789abcdef";

  @AutoClose private final OperatedDaemon it;

  SendersOverHttpTest() throws IOException {
    String lines =
        TokenDaemon.line("shop", SHOP, "ingest") + TokenDaemon.line("root", ROOT, "admin,query");
    Path own = Files.createTempDirectory(directory, "d");
    it = new OperatedDaemon(own, Map.of("tokens", TokenDaemon.file(own, lines)));
  }

  private HttpResponse<String> send(String token, String path, String type, String body)
      throws IOException, InterruptedException {
    String url = it.url() + path;
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url))
            .header("content-type", type)
            .header("user-agent", "an-agent/1.0");
    if (!token.isEmpty()) {
      request.header("authorization", "Bearer " + token);
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          (body.isEmpty() ? request.GET() : request.POST(HttpRequest.BodyPublishers.ofString(body)))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  @Test
  void acceptedRejectedAndRefusedAreCounted() throws IOException, InterruptedException {
    String three = LINE.formatted(1) + LINE.formatted(2) + "{\"no\n";
    assertEquals(200, send(SHOP, "/v1/events", "application/x-ndjson", three).statusCode());
    assertEquals(200, send(SHOP, "/v1/events", "application/x-ndjson", three).statusCode());
    assertEquals(415, send(SHOP, "/v1/events", "image/png", three).statusCode());
    assertEquals(401, send("wrong", "/v1/events", "application/x-ndjson", three).statusCode());
    assertEquals(
        204, send(SHOP, "/api/v2/write", "text/plain", "cpu v=1 1000000001\n").statusCode());

    List<String> senders = send(ROOT, "/v1/senders", "x/x", "").body().lines().toList();
    assertEquals(3, senders.size(), senders::toString);
    assertTrue(
        senders.get(0).startsWith("{\"protocol\":\"influx\",\"sender\":\"shop\""),
        senders::toString);
    assertTrue(senders.get(1).contains("\"sender\":\"127.0.0.1\""), senders::toString);
    assertTrue(senders.get(1).contains("needs a token"), senders::toString);
    String json = senders.get(2);
    assertTrue(json.contains("\"agent\":\"an-agent/1.0\",\"type\":\"app\""), json);
    assertTrue(json.contains("\"accepted\":2,\"duplicate\":2,\"rejected\":1,\"refused\":1,"), json);
    assertTrue(json.contains("Content-Type must be"), json);
    assertTrue(json.contains("\"lateSeconds\":"), json);

    String status = send(ROOT, "/v1/status", "x/x", "").body();
    assertTrue(
        status.contains(
            "{\"protocol\":\"json\",\"accepted\":2,\"duplicate\":2,\"rejected\":1,\"refused\":2}"),
        status);
    String metrics = send(ROOT, "/metrics", "x/x", "").body();
    for (String line :
        List.of(
            "widerow_protocol_events_total{protocol=\"json\",outcome=\"accepted\"} 2",
            "widerow_protocol_events_total{protocol=\"influx\",outcome=\"accepted\"} 1",
            "widerow_protocol_refused_total{protocol=\"json\"} 2",
            "widerow_sender_events_total{protocol=\"json\",sender=\"shop\",outcome=\"rejected\"} 1",
            "widerow_sender_refused_total{protocol=\"json\",sender=\"127.0.0.1\"} 1")) {
      assertTrue(metrics.lines().anyMatch(line::equals), () -> line + "\n" + metrics);
    }
    assertEquals(403, send(SHOP, "/v1/senders", "x/x", "").statusCode());
  }

  @Test
  void theCommandShowsATable() throws IOException, InterruptedException {
    Map<String, String> environment = Map.of("WIDEROW_URL", it.url(), "WIDEROW_TOKEN", ROOT);
    assertEquals(
        new CommandDaemon.Ran(0, "", "widerow check senders: no batch since the daemon started\n"),
        CommandDaemon.run(environment, "check senders"));
    assertEquals(
        200, send(SHOP, "/v1/events", "application/x-ndjson", LINE.formatted(1)).statusCode());
    CommandDaemon.Ran table = CommandDaemon.run(environment, "check senders", "--output", "table");
    assertEquals(0, table.code(), table.err());
    List<String> lines = table.out().lines().toList();
    assertTrue(lines.getFirst().startsWith("protocol"), lines::toString);
    assertTrue(lines.get(1).matches("json +shop +an-agent/1.0 +app .* 1 .*"), lines::toString);
  }
}
