package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.widerow.ingest.Http;
import io.widerow.ingest.OperatedDaemon;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an endless tail shows each event once, also late ones, and continues at its position after
/// a cut connection and after a restart of the daemon; errors are reported. Method: a daemon, and a
/// client that reads lines as they come.
@Timeout(300)
class EventTailTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path directory;

  /// A client that reads.
  private static final class Reader implements AutoCloseable {
    private final HttpClient client = HttpClient.newHttpClient();
    private final Iterator<String> lines;
    private String position = "";

    Reader(OperatedDaemon it, String question, String... headers)
        throws IOException, InterruptedException {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(it.url() + "/v1/tail" + question));
      if (headers.length > 0) {
        request.headers(headers);
      }
      var answer = client.send(request.build(), HttpResponse.BodyHandlers.ofLines());
      assertEquals(200, answer.statusCode());
      lines = answer.body().iterator();
    }

    String line() {
      return lines.next();
    }

    /// The numbers of events until the next position behind one; of late ones negative.
    List<Integer> numbers() throws IOException {
      List<Integer> numbers = new ArrayList<>();
      while (true) {
        JsonNode line = JSON.readTree(line());
        if (line.has("n")) {
          numbers.add(line.has("widerow.late") ? -line.path("n").asInt() : line.path("n").asInt());
        } else {
          position =
              "after=%s&arrived=%s"
                  .formatted(
                      encoded(line.path("token").asText()), encoded(line.path("arrived").asText()));
          if (!numbers.isEmpty()) {
            return numbers;
          }
        }
      }
    }

    private static String encoded(String text) {
      return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
      client.shutdownNow();
      client.close();
    }
  }

  private static void write(OperatedDaemon it, long second, int... numbers)
      throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int number : numbers) {
      lines.append(
          "{\"ts\":%d,\"type\":\"%s\",\"n\":%d}%n"
              .formatted(
                  1_763_666_100_000L + 1_000 * second, number % 2 == 0 ? "even" : "odd", number));
    }
    assertEquals(200, it.http.post("/v1/events", Http.NDJSON, lines.toString()).statusCode());
  }

  @Test
  void eventsAreShownOnceAsTheyCome() throws IOException, InterruptedException {
    String position;
    try (var it = new OperatedDaemon(directory, Map.of("lanes", "1"))) {
      write(it, 0, 1, 2);
      try (Reader all = new Reader(it, "?since=2025-11-20");
          Reader odd = new Reader(it, "?since=2025-11-20&where=n%20%3E%201&type=odd")) {
        assertEquals(List.of(1, 2), all.numbers());
        write(it, 10, 3, 4);
        assertEquals(List.of(3, 4), all.numbers());
        assertEquals(List.of(3), odd.numbers());
        write(it, 5, 5);
        assertEquals(List.of(-5), all.numbers(), "late");
        assertEquals(List.of(-5), odd.numbers());
        position = all.position;
      }
      write(it, 7, 6);
      write(it, 20, 7);
    }
    try (var it = new OperatedDaemon(directory, Map.of("lanes", "1"));
        Reader goesOn = new Reader(it, "?" + position);
        Reader last = new Reader(it, "?last=2")) {
      assertEquals(List.of(-6, 7), goesOn.numbers());
      assertEquals(List.of(4, 7), last.numbers());
      it.merge();
      write(it, 30, 8);
      assertEquals(List.of(8), goesOn.numbers());
      assertEquals(List.of(8), last.numbers());
    }
  }

  @Test
  void lateEventsAreFlaggedWhateverFieldsAreShown() throws IOException, InterruptedException {
    try (var it = new OperatedDaemon(directory, Map.of("lanes", "1"));
        Reader reader = new Reader(it, "?since=2025-11-20&fields=n")) {
      write(it, 10, 1);
      assertEquals(List.of(1), reader.numbers());
      String position = reader.position;
      write(it, 5, 3);
      assertEquals(List.of(-3), reader.numbers());
      write(it, 20, 5);
      assertEquals(List.of(5), reader.numbers());
      List<String> lines = it.get("/v1/query?fields=n&" + position).lines().toList();
      assertTrue(lines.get(0).endsWith(",\"n\":3,\"widerow.late\":true}"), lines::toString);
      assertTrue(lines.get(1).endsWith(",\"n\":5}"), lines::toString);
      List<String> rows = it.get("/v1/query?format=csv&fields=n&" + position).lines().toList();
      assertEquals("id,ts,type,n,widerow.late", rows.get(0));
      assertTrue(rows.get(1).endsWith(",odd,3,true"), rows::toString);
      assertTrue(rows.get(2).endsWith(",odd,5,"), rows::toString);
      String named = "/v1/query?format=csv&fields=widerow.late,n&" + position;
      assertEquals("id,ts,type,widerow.late,n", it.get(named).lines().findFirst().orElseThrow());
    }
  }

  @Test
  void serverSentEventsResumeById() throws IOException, InterruptedException {
    try (var it = new OperatedDaemon(directory, Map.of("lanes", "1"))) {
      write(it, 0, 1);
      String id;
      try (Reader reader = new Reader(it, "?since=2025-11-20", "accept", "text/event-stream")) {
        String event = reader.line();
        assertTrue(event.startsWith("data: {\"id\":\""), event);
        assertTrue(event.endsWith(",\"type\":\"odd\",\"n\":1}"), event);
        assertEquals("", reader.line());
        id = reader.line();
        assertTrue(id.startsWith("id: w1."), id);
        assertTrue(reader.line().startsWith("data: {\"token\":\"w1."));
      }
      write(it, 10, 2);
      try (Reader reader =
          new Reader(
              it,
              "?since=2025-11-20",
              "accept",
              "text/event-stream",
              "last-event-id",
              id.substring(4))) {
        String event = reader.line();
        assertTrue(event.endsWith(",\"type\":\"even\",\"n\":2}"), event);
      }
    }
  }

  @Test
  void aPositionComesWhileNothingDoes() throws IOException, InterruptedException {
    try (var it = new OperatedDaemon(directory, Map.of())) {
      try (Reader reader = new Reader(it, "?lag=1s")) {
        String first = reader.line();
        assertTrue(first.matches("\\{\"token\":\"w1\\..*\",\"arrived\":\"a1\\..*\"}"), first);
        assertEquals(first, reader.line());
      }
    }
  }

  @Test
  void whatMakesNoSenseIsRefusedWithTheValue() throws IOException, InterruptedException {
    try (var it = new OperatedDaemon(directory, Map.of())) {
      Map<String, String> refused =
          Map.of(
              "?after=x", "after",
              "?arrived=a1.1", "arrived: requires after; pass both",
              "?last=many", "last: must be a whole number",
              "?last=2&after=w1.x", "after: not together with last or since",
              "?lag=soon", "lag",
              "?where=n%20%3E", "where",
              "?limit=3", "limit: no such parameter");
      it.assertRefused("GET", "/v1/tail", refused);
    }
  }
}
