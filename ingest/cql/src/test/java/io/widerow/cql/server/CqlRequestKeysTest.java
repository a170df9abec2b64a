package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import io.widerow.cql.server.RawDriver.Answer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a request whose frame has an `idempotency-key` is done once, on any connection and after a
/// restart, and a retry gets the first response, marked as such. Method: the Java driver and frames
/// made by hand against a daemon with a store on disk.
@Timeout(300)
class CqlRequestKeysTest {
  private static final String NAME = "idempotency-key";
  private static final String COUNT = "UPDATE k.hits SET n = n + 1 WHERE p = 'x'";
  @TempDir private Path directory = Path.of(".");

  private static Map<String, ByteBuffer> payload(String key) {
    return Map.of(NAME, StandardCharsets.UTF_8.encode(key));
  }

  private static boolean isRepeat(ResultSet result) {
    ByteBuffer told = result.getExecutionInfo().getIncomingPayload().get(NAME);
    return told != null
        && StandardCharsets.UTF_8.decode(told.duplicate()).toString().equals("repeat");
  }

  private static void create(CqlSession session) {
    session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
    session.execute("CREATE TABLE k.hits (p text PRIMARY KEY, n counter)");
    session.execute("CREATE TABLE k.t (p text PRIMARY KEY, v text)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"V4", "V5"})
  void aDriverSendsItAgain(String version) {
    SimpleStatement plain = SimpleStatement.newInstance(COUNT).setCustomPayload(payload("q"));
    String insert = "INSERT INTO k.t (p, v) VALUES (?, ?) IF NOT EXISTS";
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver(version, "lz4").build()) {
      create(session);
      assertFalse(isRepeat(session.execute(plain)));
      assertTrue(isRepeat(session.execute(plain)));
      PreparedStatement prepared = session.prepare(insert);
      BoundStatement bound = prepared.bind("a", "1").setCustomPayload(payload("e"));
      assertTrue(session.execute(bound).wasApplied());
      ResultSet again = session.execute(bound);
      assertTrue(again.wasApplied());
      assertTrue(isRepeat(again));
      BoundStatement other = prepared.bind("a", "2").setCustomPayload(payload("e"));
      InvalidQueryException refused =
          assertThrows(InvalidQueryException.class, () -> session.execute(other));
      assertEquals("idempotency-key 'e' belongs to another statement", refused.getMessage());
    }
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver(version, "none").build()) {
      assertTrue(isRepeat(session.execute(plain)));
      BoundStatement bound = session.prepare(insert).bind("a", "1").setCustomPayload(payload("e"));
      assertTrue(session.execute(bound).wasApplied());
      assertEquals(1, CqlDaemon.first(session, "SELECT n FROM k.hits").getLong(0));
      BatchStatement batch =
          BatchStatement.newInstance(
                  BatchType.COUNTER,
                  SimpleStatement.newInstance(COUNT),
                  session.prepare("UPDATE k.hits SET n = n + ? WHERE p = ?").bind(5L, "x"))
              .setCustomPayload(payload("b"));
      assertFalse(isRepeat(session.execute(batch)));
      assertTrue(isRepeat(session.execute(batch)));
      assertEquals(7, CqlDaemon.first(session, "SELECT n FROM k.hits").getLong(0));
    }
  }

  @Test
  void framesMadeByHand() throws IOException {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of())) {
      try (CqlSession session = daemon.driver("V4", "none").build()) {
        create(session);
      }
      byte[] key = {0, (byte) 0xff, 7};
      byte[] count = RawDriver.query(COUNT);
      try (RawDriver driver = RawDriver.ready(daemon.address())) {
        Answer first = driver.askOnce(key, RawDriver.QUERY, count);
        assertEquals(RawDriver.RESULT, first.opcode());
        assertEquals(0, first.flags());
      }
      try (RawDriver driver = RawDriver.ready(daemon.address())) {
        Answer again = driver.askOnce(key, RawDriver.QUERY, count);
        assertEquals(RawDriver.RESULT, again.opcode());
        assertEquals(RawDriver.PAYLOAD, again.flags());
        byte[] told =
            new RawDriver.Body()
                .number(2, 1)
                .string(NAME)
                .longString("repeat")
                .number(4, 1) // the kind of the result: void
                .bytes();
        assertEquals(ByteBuffer.wrap(told), again.body());
        assertEquals(
            "2200 idempotency-key 0x00ff07 belongs to another statement",
            driver
                .askOnce(key, RawDriver.QUERY, RawDriver.query(COUNT.replace("'x'", "'y'")))
                .error());
        assertEquals(
            "2200 idempotency-key has 1 to 64 bytes, got 0: ''",
            driver.askOnce(new byte[0], RawDriver.QUERY, count).error());
        assertEquals(
            "2200 idempotency-key has 1 to 64 bytes, got 65: 0x%s...".formatted("00".repeat(64)),
            driver.askOnce(new byte[65], RawDriver.QUERY, count).error());
        String event = "INSERT INTO widerow.events (type, id) VALUES ('t', now())";
        assertEquals(
            "2200 idempotency-key 0x00ff07: it is for tables; an event that is inserted again with"
                + " its type and id takes its own place",
            driver.askOnce(key, RawDriver.QUERY, RawDriver.query(event)).error());
      }
      try (CqlSession session = daemon.driver("V5", "none").build()) {
        assertEquals(1, CqlDaemon.first(session, "SELECT n FROM k.hits").getLong(0));
      }
    }
  }
}
