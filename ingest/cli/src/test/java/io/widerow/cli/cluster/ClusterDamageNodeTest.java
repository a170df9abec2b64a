package io.widerow.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.widerow.cluster.CassandraNode;
import io.widerow.event.PartitionKey;
import io.widerow.faults.ServeProcess;
import io.widerow.ingest.Http;
import io.widerow.storage.cassandra.keyspace.ClusterOptions;
import io.widerow.storage.cassandra.keyspace.DirectoryRow;
import io.widerow.storage.cassandra.keyspace.DriverKeyspace;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.StoreUri;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: for a damaged value in a real cluster each query is an error that names the partition, and
/// `damage=skip` counts the rest, for aggregates, fields, differences and patterns alike. Method: a
/// daemon writes two types, one bit of the values of one of them is turned through the driver, and
/// a daemon with an empty directory of its own, that has nothing in memory, is asked.
@Tag("cluster")
@Timeout(300)
class ClusterDamageNodeTest {
  private static final int EVENTS = 60;
  private static final List<String> QUESTIONS =
      List.of(
          "/v1/query?stats=sum(n)&by=type",
          "/v1/fields?budget=1m",
          "/v1/fields/level?budget=1m",
          "/v1/diff?budget=1m&from=2025-11-20T10:30:00Z&to=2025-11-20T11:00:00Z",
          "/v1/patterns?budget=1m");

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path directory = Path.of(".");

  @BeforeAll
  static void node() {
    CassandraNode.require();
  }

  private ServeProcess daemon(String name, String uri) throws IOException {
    return ServeProcess.startUnder(
        List.of(),
        directory,
        directory.resolve(name),
        "--set",
        "store=" + uri,
        "--set",
        "disk-reserve-bytes=0");
  }

  private static void write(ServeProcess daemon, String type)
      throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < EVENTS; i++) {
      lines.append(
          ("{\"ts\":\"2025-11-20T10:%02d:30Z\",\"type\":\"%s\",\"level\":\"info\","
                  + "\"n\":%d,\"body\":\"request %d\"}%n")
              .formatted(i, type, i, i));
    }
    HttpResponse<String> answer =
        daemon.post("/v1/events?durability=quorum", Http.NDJSON, lines.toString());
    assertEquals(200, answer.statusCode(), answer.body());
  }

  private static List<JsonNode> lines(String body) throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : body.lines().toList()) {
      lines.add(JSON.readTree(line));
    }
    return lines;
  }

  /// Turns a bit in the middle of each value of a type, as a disk would.
  ///
  /// @return how many events the values have
  private static int turnBits(String uri, String type) {
    int events = 0;
    ClusterOptions options = ClusterOptions.at(StoreUri.parse(uri));
    try (Keyspace keyspace = DriverKeyspace.openExisting(options)) {
      for (PartitionKey partition : MergeWait.partitions(keyspace)) {
        if (!partition.type().equals(type)) {
          continue;
        }
        for (DirectoryRow row : keyspace.directory(partition).join().rows()) {
          ByteBuffer read = keyspace.value(row.key(), true).join();
          ByteBuffer value = ByteBuffer.allocate(read.remaining()).put(read).flip();
          int middle = value.limit() / 2;
          value.put(middle, (byte) (value.get(middle) ^ 1));
          keyspace.write(row, value, 0).join();
          events += row.events();
        }
      }
    }
    return events;
  }

  @Test
  void theRestIsCountedAndWhatIsMissingNamed() throws IOException, InterruptedException {
    String uri = CassandraNode.shared().uri("damage");
    try (ServeProcess writer = daemon("writer", uri)) {
      write(writer, "whole");
      write(writer, "hurt");
    }
    assertEquals(EVENTS, turnBits(uri, "hurt"));
    try (ServeProcess daemon = daemon("reader", uri)) {
      for (String question : QUESTIONS) {
        HttpResponse<String> refused = daemon.get(question);
        int status = question.startsWith("/v1/query") ? 200 : 503; // a query fails on the way
        assertEquals(status, refused.statusCode(), question + ": " + refused.body());
        assertTrue(lines(refused.body()).getLast().has("error"), refused.body());
        assertTrue(refused.body().contains("|hurt|"), question + ": " + refused.body());
        HttpResponse<String> answer = daemon.get(question + "&damage=skip");
        assertEquals(200, answer.statusCode(), question + ": " + answer.body());
        List<JsonNode> damaged =
            lines(answer.body()).stream().filter(line -> line.has("damage")).toList();
        assertTrue(!damaged.isEmpty(), question + ": " + answer.body());
        for (JsonNode each : damaged) {
          assertTrue(each.path("partition").asText().contains("|hurt|"), each::toString);
        }
      }
      assertEquals(EVENTS, first(daemon, "/v1/fields?budget=1m").path("events").asInt());
      String levels = daemon.get("/v1/fields/level?budget=1m&damage=skip").body();
      JsonNode info = lines(levels).get(1).path("values").path(0);
      assertEquals("info", info.path("value").asText(), levels);
      assertEquals(EVENTS, info.path("count").asInt(), levels);
      assertEquals(EVENTS, first(daemon, "/v1/patterns?budget=1m").path("lines").asInt());
      assertEquals(EVENTS / 2, first(daemon, QUESTIONS.get(3)).path("events").asInt());
      JsonNode figures = first(daemon, QUESTIONS.getFirst());
      assertEquals("whole", figures.path("type").asText());
      assertEquals(EVENTS * (EVENTS - 1) / 2, figures.path("sum(n)").asInt());
      HttpResponse<String> whole = daemon.get("/v1/query?type=whole&fields=n");
      assertEquals(EVENTS, whole.body().lines().filter(line -> line.contains("\"n\":")).count());
    }
  }

  private static JsonNode first(ServeProcess daemon, String question)
      throws IOException, InterruptedException {
    return lines(daemon.get(question + "&damage=skip").body()).getFirst();
  }
}
