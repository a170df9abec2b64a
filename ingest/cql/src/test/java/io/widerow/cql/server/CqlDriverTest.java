package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.widerow.query.remote.JsonLine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: the driver of Apache Cassandra for Java connects, learns the schema, and reads events page
/// by page in the order in which our own queries give them. Its frames and segments are those of
/// `native-protocol`, so every answer is read by another implementation.
@Timeout(300)
class CqlDriverTest {
  private static final int EVENTS = 1_234;
  private static final long START_MILLIS = 1_700_000_000_000L;
  @TempDir private static Path directory = Path.of(".");
  private static CqlDaemon daemon;
  private static CqlSession shared;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    daemon = new CqlDaemon(directory, Map.of());
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < EVENTS; i++) {
      lines.append(line(i % 3 == 0 ? "cpu" : "nginx", START_MILLIS + i * 13L % 1_000, i));
    }
    daemon.take(lines.toString());
    shared = daemon.driver("V5", "none").build();
  }

  private static String line(String type, long millis, int number) {
    return "{\"type\":\"%s\",\"ts\":%d,\"body\":\"é %d\",\"status\":%d,\"ms\":%s}\n"
        .formatted(type, millis, number, 200 + number % 4 * 100, number * 0.5);
  }

  @AfterAll
  static void stop() {
    shared.close();
    daemon.close();
  }

  @ParameterizedTest
  @CsvSource({"V3, none", "V4, lz4", "V5, lz4"})
  void connectsAndShowsTheSchema(String version, String compression) {
    try (CqlSession session = daemon.driver(version, compression).build()) {
      TableMetadata events =
          session
              .getMetadata()
              .getKeyspace("widerow")
              .flatMap(keyspace -> keyspace.getTable("events"))
              .orElseThrow();
      assertEquals(
          "[type, ts, id]",
          events.getPrimaryKey().stream()
              .map(column -> column.getName().toString())
              .toList()
              .toString());
      assertTrue(events.describe(false).startsWith("CREATE TABLE \"widerow\".\"events\" ("));
      assertEquals(
          "org.apache.cassandra.dht.Murmur3Partitioner",
          CqlDaemon.first(session, "SELECT partitioner FROM system.local").getString(0));
      ResultSet wide = session.execute("SELECT * FROM widerow.events WHERE type = 'cpu'");
      Row first = Objects.requireNonNull(wide.one());
      assertEquals(
          Map.of("ms", "0.0", "status", "200"), first.getMap(3, String.class, String.class));
      assertEquals(Map.of("ms", 0.0, "status", 200.0), first.getMap(5, String.class, Double.class));
      assertEquals(100, wide.getAvailableWithoutFetching() + 1);
      assertEquals(412 - 1, wide.all().size());
      session.execute("USE widerow");
      assertEquals(
          EVENTS - 412,
          CqlDaemon.first(session, "SELECT count(*) FROM events WHERE type = 'nginx'").getLong(0));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "type = 'nginx', type=nginx, ASC",
    "type = 'nginx', type=nginx, DESC",
    "'type IN (''cpu'', ''nginx'')', type=cpu&type=nginx, DESC",
    "type LIKE 'ng%', type=ng*, ASC"
  })
  void pagesAreLinesOfOurOwnQuery(String condition, String types, String order)
      throws IOException, InterruptedException {
    long from = START_MILLIS + 100;
    long until = START_MILLIS + 900;
    List<String> expected = ours(types, from, until, order);
    assertTrue(expected.size() > 200, () -> expected.size() + " events");
    PreparedStatement statement =
        shared.prepare(
            "SELECT id, type, body, ts FROM widerow.events WHERE "
                + condition
                + " AND ts >= ? AND ts < ? ORDER BY ts "
                + order);
    ResultSet rows =
        shared.execute(statement.bind(Instant.ofEpochMilli(from), Instant.ofEpochMilli(until)));
    List<String> found = new ArrayList<>();
    for (Row row : rows) {
      found.add("%s %s %s".formatted(row.getUuid(0), row.getString(1), row.getString(2)));
      if (found.size() == 100) { // what comes in, and merging, change no page
        daemon.take(line("later", START_MILLIS + 100_000, 0));
        daemon.merge();
      }
    }
    assertEquals(expected, found);
  }

  private static List<String> ours(String types, long from, long until, String order)
      throws IOException, InterruptedException {
    String path =
        "/v1/query?%s&from=%d&to=%d&order=%s&format=json"
            .formatted(types, from, until, order.toLowerCase(Locale.ROOT));
    List<String> lines = new ArrayList<>();
    for (String text : daemon.http.get(path).body().lines().toList()) {
      Map<String, Object> line = JsonLine.parse(text);
      if (line.containsKey("id")) {
        lines.add("%s %s %s".formatted(line.get("id"), line.get("type"), line.get("body")));
      }
    }
    return lines;
  }

  @Test
  void statementsAreBoundByName() {
    PreparedStatement statement =
        shared.prepare(
            "SELECT body FROM widerow.events WHERE type = :t AND attributes['status'] = :s AND"
                + " numbers['ms'] > :m LIMIT :n ALLOW FILTERING");
    ResultSet rows =
        shared.execute(
            statement
                .boundStatementBuilder()
                .setString("t", "cpu")
                .setString("s", "300")
                .setDouble("m", 600)
                .setInt("n", 1)
                .build());
    Row only = Objects.requireNonNull(rows.one());
    assertTrue(String.valueOf(only.getString("body")).startsWith("é "));
  }
}
