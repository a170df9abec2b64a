package io.widerow.ingest.serve.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.faults.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: `GET /v1/export` streams every event in each format, continues after a token, refuses
/// invalid values, and frees the memory of a client that disconnected. The command gets the same
/// from a daemon. Method: a daemon on the disk, asked over HTTP and by the command.
class ExportOverHttpTest {
  private static final int EVENTS = 20_000;

  @TempDir Path directory;

  private CommandDaemon server;

  @BeforeEach
  void start() throws Exception {
    server = new CommandDaemon(directory, Map.of("query-memory-bytes", "134217728"));
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < EVENTS; i++) {
      lines.append(
          "{\"ts\":\"2026-11-20T19:%02d:%02d.%06dZ\",\"body\":\"line %d\",\"n\":%d}\n"
              .formatted(i / 2_000, i / 40 % 50, i, i, i));
    }
    var sent = server.http.post("/v1/events?type=app", "application/x-ndjson", lines.toString());
    assertEquals(200, sent.statusCode());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void answerHasEveryEventAndGoesOnAfterItsToken() throws Exception {
    HttpResponse<String> all = server.http.get("/v1/export");
    assertEquals("application/x-ndjson", all.headers().firstValue("content-type").orElse(""));
    List<String> lines = all.body().lines().toList();
    assertEquals(EVENTS + 1, lines.size());
    List<String> queried = server.get("/v1/query").lines().toList();
    assertEquals(queried, lines); // of usual values the lines are those of a query
    assertTrue(lines.getLast().startsWith("{\"token\":\"w1."), lines.getLast());

    String half = server.get("/v1/query?limit=7000").lines().toList().getLast();
    String token = half.substring("{\"token\":\"".length(), half.length() - 2);
    assertEquals(
        lines.subList(7_000, lines.size()),
        server.get("/v1/export?after=" + token).lines().toList());
    assertEquals(
        "{\"token\"", server.get("/v1/export?type=none").substring(0, "{\"token\"".length()));

    String csv = server.get("/v1/export?format=csv&where=n%20%3C%20100");
    assertEquals(101, csv.lines().count());
  }

  @Test
  void refusalNamesTheParameter() throws Exception {
    HttpResponse<String> refused = server.http.get("/v1/export?format=xml");
    assertEquals(400, refused.statusCode());
    assertEquals(
        "{\"error\":\"format: must be parquet, csv or ndjson, got xml\"}", refused.body().strip());
    assertEquals(400, server.http.get("/v1/export?limit=5").statusCode());
  }

  @Test
  void parquetOverHttpIsAFile() throws Exception {
    Path file = directory.resolve("all.parquet");
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<Path> answer =
          client.send(
              HttpRequest.newBuilder(URI.create(server.url() + "/v1/export?format=parquet"))
                  .build(),
              BodyHandlers.ofFile(file));
      assertEquals(200, answer.statusCode());
    }
    Path exported = directory.resolve("again.parquet");
    Ran ran = server.run("export", "--out", exported.toString());
    assertEquals(0, ran.code(), ran.err());
    byte[] one = Files.readAllBytes(file);
    assertEquals("PAR1", new String(one, one.length - 4, 4, StandardCharsets.US_ASCII));
    assertEquals(one.length, Files.size(exported)); // the same events, written by the command
  }

  @Test
  void readerThatLeftFreesItsPlace() throws Exception {
    for (int i = 0; i < 12; i++) { // more than there are places
      try (HttpClient client = HttpClient.newHttpClient()) {
        HttpResponse<InputStream> answer =
            client.send(
                HttpRequest.newBuilder(URI.create(server.url() + "/v1/export?format=parquet"))
                    .build(),
                BodyHandlers.ofInputStream());
        answer.body().close();
        client.shutdownNow();
      }
    }
    awaitAnswer();
  }

  /// A reader's leaving is seen a moment later.
  private void awaitAnswer() throws IOException, InterruptedException {
    Await.until(
        () -> server.http.get("/v1/export?format=csv").statusCode() == 200, "its place is free");
  }
}
