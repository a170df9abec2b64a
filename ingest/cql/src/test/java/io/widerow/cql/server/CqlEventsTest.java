package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import io.widerow.cql.CqlException;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.storage.Durability;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a driver writes events by INSERT, as durably as other protocols, and gets the reason of a
/// refusal. Method: the Java driver against a daemon with a store on disk, and each outcome of the
/// lanes.
@Timeout(300)
class CqlEventsTest {
  private static final UUID ID = Uuids.startOf(1_763_600_000_123L);

  @TempDir private Path directory = Path.of(".");

  private static String refusal(CqlSession session, String statement) {
    return String.valueOf(
        assertThrows(InvalidQueryException.class, () -> session.execute(statement)).getMessage());
  }

  private static List<String> bodies(CqlSession session, String type) {
    return session
        .execute("SELECT body FROM widerow.events WHERE type = '%s'".formatted(type))
        .all()
        .stream()
        .map(row -> String.valueOf(row.getString(0)))
        .toList();
  }

  @Test
  void eventsAreTakenIn() {
    UUID id = Uuids.timeBased();
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver("V5", "none").build()) {
      PreparedStatement insert =
          session.prepare(
              "INSERT INTO widerow.events (type, id, body, attributes, numbers) VALUES (?, ?, ?, ?,"
                  + " ?)");
      session.execute(
          insert.bind("web", id, "one", Map.of("host", "a", "ms", "4.5"), Map.of("ms", 4.5)));
      session.execute(
          insert.bind("web", id, "two", Map.of("host", "b", "ms", "4.5"), Map.of("n", 7.0)));
      Row row = CqlDaemon.first(session, "SELECT * FROM widerow.events WHERE type = 'web'");
      assertEquals(id, row.getUuid("id"));
      assertEquals(
          Uuids.unixTimestamp(id), Objects.requireNonNull(row.getInstant("ts")).toEpochMilli());
      assertEquals(
          Map.of("host", "b", "ms", "4.5", "n", "7.0"),
          row.getMap("attributes", String.class, String.class));
      assertEquals(Map.of("ms", 4.5, "n", 7.0), row.getMap("numbers", String.class, Double.class));
      assertEquals(List.of("two"), bodies(session, "web"));
      session.execute(
          "INSERT INTO widerow.events JSON '{\"type\": \"j\", \"id\": \"%s\", \"body\": \"x\"}'"
              .formatted(id));
      session.execute("INSERT INTO widerow.events (type, id) VALUES ('now', now())");
      session.execute(
          BatchStatement.newInstance(
              BatchType.UNLOGGED,
              insert.bind("b", Uuids.timeBased(), "1", Map.of(), Map.of()),
              insert.bind("b", Uuids.timeBased(), "2", Map.of(), Map.of())));
      assertEquals(List.of("x"), bodies(session, "j"));
      assertEquals(List.of("1", "2"), bodies(session, "b"));
    }
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver("V4", "none").build()) {
      assertEquals(List.of("two"), bodies(session, "web"));
      assertEquals(List.of("null"), bodies(session, "now"));
    }
  }

  @Test
  void whatIsNotTakenIsRefusedWithItsReason() {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver("V5", "none").build()) {
      String insert = "INSERT INTO widerow.events (type, id, body) VALUES ('t', " + ID + ", 'b')";
      assertEquals(
          "USING TTL is not for widerow.events: retention decides how long events are kept",
          refusal(session, insert + " USING TTL 5"));
      assertEquals(
          "USING TIMESTAMP is not for widerow.events: the time of an event is that of its id",
          refusal(session, insert + " USING TIMESTAMP 5"));
      assertEquals(
          "IF is not for widerow.events: an event with the type and the id of another one replaces"
              + " it",
          refusal(session, insert + " IF NOT EXISTS"));
      String alone =
          "widerow.events takes only INSERT: single events are not changed or deleted, and"
              + " retention decides how long they are kept";
      assertEquals(
          alone, refusal(session, "UPDATE widerow.events SET body = 'x' WHERE type = 't'"));
      assertEquals(alone, refusal(session, "DELETE FROM widerow.events WHERE type = 't'"));
      String kept =
          "widerow.events is not emptied, changed or dropped by statements: retention decides how"
              + " long events are kept";
      assertEquals(kept, refusal(session, "TRUNCATE widerow.events"));
      assertEquals(kept, refusal(session, "DROP TABLE widerow.events"));
      assertEquals(
          "Some clustering keys are missing: id",
          refusal(session, "INSERT INTO widerow.events (type) VALUES ('t')"));
      assertEquals(
          "ts is the time of id, 2025-11-20T00:53:20.123Z, and not 2025-11-20T00:53:20Z",
          refusal(
              session,
              "INSERT INTO widerow.events (type, ts, id) VALUES ('t', 1763600000000, %s)"
                  .formatted(ID)));
      assertEquals(
          "attributes['a'] is 'x', and numbers['a'] is 1.0",
          refusal(
              session,
              "INSERT INTO widerow.events (type, id, attributes, numbers) VALUES ('t', now(),"
                  + " {'a': 'x'}, {'a': 1})"));
      assertEquals(
          "A batch of events must be UNLOGGED: each of them is stored on its own",
          refusal(
              session,
              "BEGIN BATCH INSERT INTO widerow.events (type, id) VALUES ('t', now()); INSERT INTO"
                  + " widerow.events (type, id) VALUES ('t', now()); APPLY BATCH"));
      assertEquals(List.of(), bodies(session, "t"));
    }
  }

  private static String told(BatchOutcome outcome, Durability promised) {
    CqlException refused =
        assertThrows(CqlException.class, () -> CqlEvents.requireStored(outcome, 2, promised));
    return "%04x %s".formatted(refused.code().number, refused.sentence());
  }

  @Test
  void nothingIsAnsweredThatIsNotStored() {
    assertEquals("1001 overloaded", told(new BatchOutcome.Overloaded(), Durability.DISK));
    assertEquals("1001 no room", told(new BatchOutcome.DiskFull("no room"), Durability.DISK));
    assertEquals("0000 ended", told(new BatchOutcome.Failed("ended"), Durability.DISK));
    Refusals one = new Refusals();
    one.add(1, "older than the retention of 7d");
    assertEquals(
        "2200 1 of 2 events refused: older than the retention of 7d",
        told(new BatchOutcome.Stored(1, 0, one, Durability.DISK), Durability.DISK));
    BatchOutcome.Stored here = new BatchOutcome.Stored(2, 0, new Refusals(), Durability.DISK);
    assertEquals(
        "1001 the events are on this machine, and not on the cluster yet",
        told(here, Durability.QUORUM));
    CqlEvents.requireStored(here, 2, Durability.DISK);
  }
}
