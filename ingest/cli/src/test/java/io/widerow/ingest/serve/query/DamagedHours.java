package io.widerow.ingest.serve.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.widerow.cli.CommandDaemon;
import io.widerow.ingest.Http;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/// A store on the disk with a segment for each hour of events, whose files a test damages while no
/// daemon runs.
abstract class DamagedHours {
  /// Of a segment: its first block begins with its directory.
  static final int BLOCKS_AT = 64;

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path directory = Path.of(".");

  static Map<String, String> keys() {
    return Map.of("lanes", "1", "shards", "1", "bucket-minutes", "60", "final", "keep");
  }

  final CommandDaemon open() {
    return new CommandDaemon(directory, keys());
  }

  /// Further members of an event, each with a comma before it.
  String members(int number, String type) {
    return "";
  }

  /// Writes 60 events in an hour, one a minute.
  final void write(CommandDaemon it, String type, String hour)
      throws IOException, InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 60; i++) {
      lines.append(
          "{\"ts\":\"%s:%02d:30Z\",\"type\":\"%s\",\"level\":\"%s\",\"ms\":%d%s}%n"
              .formatted(hour, i, type, i % 3 == 0 ? "error" : "info", i * 2, members(i, type)));
    }
    post(it, lines.toString());
  }

  static void post(CommandDaemon it, String lines) throws IOException, InterruptedException {
    HttpResponse<String> answer = it.http.post("/v1/events", Http.NDJSON, lines);
    assertEquals(200, answer.statusCode(), answer.body());
  }

  /// Three hours of two types, each hour a segment of its own.
  final void fill() throws IOException, InterruptedException {
    try (CommandDaemon it = open()) {
      for (int hour = 10; hour < 13; hour++) {
        write(it, "auth", "2025-11-20T" + hour);
        write(it, "web", "2025-11-20T" + hour); // so of one time it is the later one
      }
      it.merge();
    }
  }

  static JsonNode parse(String line) throws IOException {
    return JSON.readTree(line);
  }

  static List<JsonNode> lines(String body) throws IOException {
    List<JsonNode> found = new ArrayList<>();
    for (String line : body.lines().toList()) {
      found.add(parse(line));
    }
    return found;
  }

  /// The lines that name a damaged part.
  static List<JsonNode> damage(List<JsonNode> lines) {
    return lines.stream().filter(line -> line.has("damage")).toList();
  }

  /// The file of the segment of an hour.
  final Path segment(String hour) throws IOException, InterruptedException {
    String name;
    try (CommandDaemon it = open()) {
      String range = "&from=2025-11-20T%s:00:00Z&to=2025-11-20T%s:59:59Z".formatted(hour, hour);
      name =
          lines(it.get("/v1/partitions?layout=true" + range)).stream()
              .filter(line -> line.has("segment"))
              .map(line -> line.path("file").asText())
              .findFirst()
              .orElseThrow();
    }
    return file(name);
  }

  /// Fills the store and deletes the segment of the hour of 11.
  final Path fillAndDelete() throws IOException, InterruptedException {
    fill();
    Path gone = segment("11");
    Files.delete(gone);
    return gone;
  }

  /// Of the hour of 11, the events of both types are missing.
  static void assertMissing(Path gone, List<JsonNode> damage) {
    assertEquals(2, damage.size(), damage::toString);
    for (JsonNode each : damage) {
      assertEquals(gone.getFileName().toString(), each.path("damage").asText());
      assertEquals("segment", each.path("what").asText());
      assertEquals(60, each.path("events").asInt());
      assertTrue(each.path("partition").asText().startsWith("2025-11-20T11|"), each::toString);
      assertEquals("2025-11-20T11:00:30.000000000Z", each.path("first").asText());
      assertTrue(each.path("last").asText().startsWith("2025-11-20T11:59:30"), each::toString);
    }
  }

  /// The first file of the store whose path ends so.
  final Path file(String end) throws IOException {
    try (Stream<Path> found = Files.walk(directory)) {
      return found.filter(each -> each.toString().endsWith(end)).findFirst().orElseThrow();
    }
  }

  /// Turns all bits of a byte.
  static void flip(Path file, long at) throws IOException {
    try (var open = new RandomAccessFile(file.toFile(), "rw")) {
      open.seek(at);
      int was = open.read();
      open.seek(at);
      open.write(~was);
    }
  }
}
