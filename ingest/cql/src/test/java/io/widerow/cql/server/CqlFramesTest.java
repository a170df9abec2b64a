package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.server.RawDriver.Answer;
import io.widerow.cql.server.RawDriver.Body;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: bad frames and bad requests get Cassandra's errors, end the connection only where nothing
/// more can be read of it, and hold no credit. Method: frames made by hand.
@Timeout(300)
class CqlFramesTest {
  private static final String LOCAL = "SELECT key FROM system.local";
  private static final String EVENTS = "SELECT id FROM widerow.events";
  @TempDir private static Path directory = Path.of(".");
  private static CqlDaemon daemon;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    daemon = new CqlDaemon(directory, Map.of());
    daemon.take("{\"type\":\"a\",\"body\":\"1\"}\n".repeat(5));
  }

  @AfterEach
  void nothingIsHeld() throws IOException, InterruptedException {
    long until = System.nanoTime() + 10_000_000_000L;
    long held = daemon.creditBytesUsed();
    while (held > 0 && System.nanoTime() < until) {
      held = daemon.creditBytesUsed();
    }
    assertEquals(0, held);
  }

  @AfterAll
  static void stop() {
    daemon.close();
  }

  @Test
  void versionsThatAreNotSpokenAreNamed() throws IOException {
    for (int version : new int[] {66, 65, 6, 2}) {
      try (RawDriver driver = new RawDriver(daemon.address())) {
        driver.send(version, 0, RawDriver.OPTIONS, new byte[0]);
        Answer answer = driver.read();
        assertEquals(
            "000a Invalid or unsupported protocol version (%d); supported versions are (3/v3, 4/v4,"
                    .formatted(version)
                + " 5/v5)",
            answer.error());
        assertEquals(5, answer.version());
        assertTrue(driver.isEnded());
      }
    }
  }

  @Test
  void requestsBeforeTheStartAreRefused() throws IOException {
    try (RawDriver driver = new RawDriver(daemon.address())) {
      assertEquals(
          "000a Unexpected message QUERY, expecting STARTUP or OPTIONS",
          driver.ask(RawDriver.QUERY, RawDriver.query(LOCAL)).error());
      assertEquals(
          "000a Missing value CQL_VERSION in STARTUP message",
          driver.ask(RawDriver.STARTUP, new byte[2]).error());
      assertEquals(
          "000a Unknown compression algorithm: nosuch",
          driver.ask(RawDriver.STARTUP, RawDriver.startup("COMPRESSION", "nosuch")).error());
      assertEquals(6, driver.ask(RawDriver.OPTIONS, new byte[0]).opcode());
      assertEquals(RawDriver.READY, driver.ask(RawDriver.STARTUP, RawDriver.startup()).opcode());
    }
  }

  @Test
  void badRequestsLeaveTheConnection() throws IOException {
    try (RawDriver driver = RawDriver.ready(daemon.address())) {
      assertEquals("000a Unknown opcode", driver.ask(0x4d, new byte[0]).error());
      assertEquals(
          "000a Unexpected message RESULT on a connection that is ready",
          driver.ask(RawDriver.RESULT, new byte[0]).error());
      assertEquals(
          "000a Unknown code 11 for a consistency level",
          driver
              .ask(RawDriver.QUERY, new Body().longString(LOCAL).number(2, 11).number(1, 0).bytes())
              .error());
      assertEquals(
          "000a The page size cannot be 0",
          driver
              .ask(
                  RawDriver.QUERY,
                  new Body().longString(LOCAL).number(2, 1).number(1, 4).number(4, 0).bytes())
              .error());
      assertEquals(
          "000a the body ends too soon: 3 bytes are missing",
          driver.ask(RawDriver.QUERY, new Body().number(4, 5).string("").bytes()).error());
      assertEquals(
          "000a Invalid value 'NOTHING' for Type",
          driver
              .ask(RawDriver.REGISTER, new Body().number(2, 1).string("NOTHING").bytes())
              .error());
      byte[] id = new byte[16];
      Answer unprepared =
          driver.ask(
              RawDriver.EXECUTE,
              new Body().number(2, 16).raw(id).number(2, 1).number(1, 0).bytes());
      assertEquals(
          "2500 Prepared query with ID 00000000000000000000000000000000 not found",
          unprepared.error());
      ByteBuffer body = unprepared.body();
      assertEquals(ByteBuffer.wrap(id), body.slice(body.limit() - id.length, id.length));
      assertEquals(
          "2000 line 1:0 expected a statement, got 'nothing'",
          driver.ask(RawDriver.QUERY, RawDriver.query("nothing")).error());
      assertEquals(
          "2200 expressions are nested at most 100 deep",
          driver
              .ask(RawDriver.QUERY, RawDriver.query("select " + "(int)".repeat(1_000) + "1 from t"))
              .error());
      assertEquals(
          RawDriver.RESULT, driver.ask(RawDriver.BATCH, new byte[] {0, 0, 0, 0, 1, 0}).opcode());
      assertEquals(
          "000a Invalid batch type 3",
          driver.ask(RawDriver.BATCH, new byte[] {3, 0, 0, 0, 1, 0}).error());
      assertEquals(RawDriver.RESULT, ok(driver));
    }
  }

  private static int ok(RawDriver driver) throws IOException {
    return driver.ask(RawDriver.QUERY, RawDriver.query(LOCAL)).opcode();
  }

  @Test
  void longStatementsAreTakenAndLongerBodiesAreSkipped() throws IOException {
    try (RawDriver driver = RawDriver.ready(daemon.address())) {
      String in = LOCAL + " WHERE key IN (" + "'x',".repeat(25_000) + "'local')";
      assertEquals(RawDriver.RESULT, driver.ask(RawDriver.QUERY, RawDriver.query(in)).opcode());
      byte[] tooLong = RawDriver.query(LOCAL + " ".repeat(16 << 20));
      assertEquals(
          "2200 Request is too big: length %d exceeds maximum allowed length 16777216."
              .formatted(tooLong.length),
          driver.ask(RawDriver.QUERY, tooLong).error());
      assertEquals(RawDriver.RESULT, ok(driver));
    }
    try (RawDriver driver = new RawDriver(daemon.address())) { // not known yet
      byte[] body = RawDriver.startup("X", "y".repeat(20_000));
      assertEquals(
          "2200 Request is too big: length %d exceeds maximum allowed length 16384."
              .formatted(body.length),
          driver.ask(RawDriver.STARTUP, body).error());
    }
  }

  @Test
  void framesMayComeInAnyPieces() throws IOException {
    try (RawDriver driver = RawDriver.ready(daemon.address())) {
      byte[] frame = RawDriver.frame(4, 3, RawDriver.QUERY, RawDriver.query(LOCAL));
      for (byte each : frame) {
        driver.bytes(new byte[] {each});
      }
      assertEquals(3, driver.read().stream());
      byte[] two = new Body().raw(frame).raw(frame).bytes();
      driver.bytes(two);
      assertEquals(RawDriver.RESULT, driver.read().opcode());
      assertEquals(RawDriver.RESULT, driver.read().opcode());
      driver.bytes(Arrays.copyOf(frame, frame.length - 1)); // and is gone
    }
  }

  @Test
  void segmentsWithWrongChecksumsEndTheConnection() throws IOException {
    for (String hex : new String[] {"0900020000000102", "ffffffffffffffffffff"}) {
      try (RawDriver driver = new RawDriver(daemon.address())) {
        driver.send(5, 0, RawDriver.STARTUP, RawDriver.startup());
        assertEquals(RawDriver.READY, driver.read().opcode());
        driver.bytes(new Body().hex(hex).bytes());
        byte[] rest = driver.rest();
        assertTrue(
            new String(rest, StandardCharsets.US_ASCII)
                .contains("Read corrupt header. Its CRC24 is "));
      }
    }
  }

  @Test
  void pagesGoOnOnlyForTheirStatement() throws IOException {
    try (RawDriver driver = RawDriver.ready(daemon.address());
        RawDriver other = RawDriver.ready(daemon.address())) {
      byte[] state = state(driver.ask(RawDriver.QUERY, paged(EVENTS, null)));
      byte[] next = state(other.ask(RawDriver.QUERY, paged(EVENTS, state)));
      assertTrue(next.length > 0, "on another connection");
      String wrong = "000a Invalid value for the paging state";
      assertEquals(wrong, driver.ask(RawDriver.QUERY, paged(EVENTS + " LIMIT 9", state)).error());
      state[0]++;
      assertEquals(wrong, driver.ask(RawDriver.QUERY, paged(EVENTS, state)).error());
      assertEquals(wrong, driver.ask(RawDriver.QUERY, paged(EVENTS, new byte[3])).error());
    }
  }

  private static byte[] paged(String statement, byte @Nullable [] state) {
    Body body = new Body().longString(statement).number(2, 1);
    body.number(1, state == null ? 4 : 12).number(4, 2);
    return state == null ? body.bytes() : body.number(4, state.length).raw(state).bytes();
  }

  private static byte[] state(Answer answer) {
    assertEquals(RawDriver.RESULT, answer.opcode(), answer::toString);
    ByteBuffer body = answer.body();
    assertEquals(2, body.getInt(), "rows");
    assertEquals(3, body.getInt(), "one table, and more pages");
    assertEquals(1, body.getInt(), "columns");
    byte[] state = new byte[body.getInt()];
    body.get(state);
    return state;
  }

  @Test
  void valuesOfWrongLengthAndNumberAreRefused() throws IOException {
    try (RawDriver driver = RawDriver.ready(daemon.address())) {
      String byId = EVENTS + " WHERE id = ?";
      Body shortId = new Body().longString(byId).number(2, 1).number(1, 1).number(2, 1);
      assertEquals(
          "2200 Expected 16 or 0 byte uuid (3)",
          driver.ask(RawDriver.QUERY, shortId.number(4, 3).hex("010203").bytes()).error());
      assertEquals(
          "2200 Invalid amount of bind variables: 0 values for 1",
          driver.ask(RawDriver.QUERY, RawDriver.query(byId)).error());
      Body cut = new Body().longString(byId).number(2, 1).number(1, 1).number(2, 9);
      assertEquals(
          "000a the body ends too soon: 4 bytes are missing",
          driver.ask(RawDriver.QUERY, cut.bytes()).error());
      Body unset = new Body().longString(byId).number(2, 1).number(1, 1).number(2, 1);
      assertEquals(
          "2200 Invalid unset value for column id",
          driver.ask(RawDriver.QUERY, unset.number(4, -2).bytes()).error());
    }
  }
}
