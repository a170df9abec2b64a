package io.widerow.ingest.receive.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Decoding;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.decode.TimePattern;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: logs of the sixteen systems of the log collections are read without `ts=`, each line to
/// the nanosecond. Method: a body for each system, in `sixteen.txt`, and the real broker log of the
/// repository.
class SixteenSystemsTest {
  private static final Instant ARRIVAL = Instant.parse("2026-11-25T12:00:00Z");

  private static final Set<String> SYSTEMS =
      Set.of(
          "HDFS",
          "Hadoop",
          "Spark",
          "Zookeeper",
          "OpenStack",
          "BGL",
          "HPC",
          "Thunderbird",
          "Windows",
          "Linux",
          "Mac",
          "Android",
          "HealthApp",
          "Apache",
          "OpenSSH",
          "Proxifier");

  /// The rows of each system.
  static Map<String, List<String>> read() throws IOException {
    Map<String, List<String>> systems = new LinkedHashMap<>();
    try (InputStream in = SixteenSystemsTest.class.getResourceAsStream("sixteen.txt")) {
      assertNotNull(in);
      List<String> rows = new ArrayList<>();
      for (String row : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
        if (row.startsWith("## ")) {
          rows = new ArrayList<>();
          systems.put(row.substring(3), rows);
        } else if (!row.isEmpty() && !row.startsWith("# ")) {
          rows.add(row);
        }
      }
    }
    return systems;
  }

  static Set<String> systems() throws IOException {
    return read().keySet();
  }

  @Test
  void thereAreSixteenOfThem() throws IOException {
    assertEquals(SYSTEMS, systems());
    read().forEach((system, rows) -> assertTrue(rows.size() >= 2, system));
  }

  @ParameterizedTest
  @MethodSource("systems")
  void eachLineHasItsExactTime(String system) throws IOException {
    List<String> rows = read().getOrDefault(system, List.of());
    StringBuilder body = new StringBuilder();
    rows.forEach(row -> body.append(row.substring(row.indexOf('|') + 1)).append('\n'));
    List<MemoryStore.Stored> stored = decode(body.toString());
    assertEquals(rows.size(), stored.size());
    String before = ARRIVAL.toString();
    for (int i = 0; i < rows.size(); i++) {
      String row = rows.get(i);
      String time = row.substring(0, row.indexOf('|'));
      before = time.equals("=") ? before : Instant.parse(time).toString();
      assertEquals(row.substring(row.indexOf('|') + 1), stored.get(i).body());
      assertEquals(before, Instant.EPOCH.plusNanos(stored.get(i).timeNanos()).toString(), row);
    }
  }

  /// Each line that begins with a time has it; all others have that of the line before.
  @Test
  void aRealBrokerLogIsRead() throws IOException {
    String log = Files.readString(Path.of("../loadgen/logs/kafka_broker.log"));
    List<MemoryStore.Stored> stored = decode(log);
    String before = "";
    int own = 0;
    for (MemoryStore.Stored event : stored) {
      String body = event.body();
      if (body.startsWith("[2016-12-19 ")) {
        before =
            Instant.parse(body.substring(1, 24).replace(' ', 'T').replace(',', '.') + "Z")
                .toString();
        own++;
      }
      assertEquals(before, Instant.EPOCH.plusNanos(event.timeNanos()).toString(), body);
    }
    assertTrue(own > 4_000 && own < stored.size(), own + " of " + stored.size());
  }

  private static List<MemoryStore.Stored> decode(String body) {
    long wall = ARRIVAL.getEpochSecond() * 1_000_000_000L;
    TextLinesDecoder decoder =
        new TextLinesDecoder(
            "t", TimePattern.of("", -1, ZoneOffset.UTC), new TextLinesDecoder.Start.EveryLine());
    return Decoding.at(wall, body, (bytes, limit, batch) -> decoder.decode(bytes, 0, limit, batch))
        .stored();
  }
}
