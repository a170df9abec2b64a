package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import io.widerow.cql.server.RawDriver.Answer;
import io.widerow.cql.server.RawDriver.Body;
import io.widerow.ingest.TokenDaemon;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: with tokens only their holders ask, by the password of SASL PLAIN, and only as long as the
/// token is there.
@Timeout(300)
class CqlAccessTest {
  private static final String READER = "0123456789abcdef0123456789abcdef";
  private static final String SENDER = "fedcba9876543210fedcba9876543210";
  private static final int AUTHENTICATE = 0x03;
  private static final int AUTH_RESPONSE = 0x0f;
  private static final int AUTH_SUCCESS = 0x10;

  private final Path tokens;
  private final Path directory;
  private CqlDaemon daemon;

  CqlAccessTest(@TempDir Path directory) {
    this.directory = directory;
    this.tokens = directory.resolve("tokens");
  }

  @BeforeEach
  void start() throws IOException {
    write(TokenDaemon.line("reader", READER, "query") + TokenDaemon.line("app", SENDER, "ingest"));
    daemon = new CqlDaemon(directory, Map.of("tokens", tokens.toString()));
  }

  private void write(String lines) throws IOException {
    Files.writeString(tokens, lines);
    Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  private static byte[] response(String password) {
    byte[] plain = ("\0anyone\0" + password).getBytes(StandardCharsets.UTF_8);
    return new Body().number(4, plain.length).raw(plain).bytes();
  }

  private RawDriver authenticated(String password) throws IOException {
    RawDriver driver = new RawDriver(daemon.address());
    assertEquals(AUTHENTICATE, driver.ask(RawDriver.STARTUP, RawDriver.startup()).opcode());
    assertEquals(AUTH_SUCCESS, driver.ask(AUTH_RESPONSE, response(password)).opcode());
    return driver;
  }

  @Test
  void aDriverAsksWithItsToken() {
    try (CqlSession session =
        daemon.driver("V5", "none").withAuthCredentials("anyone", READER).build()) {
      assertEquals("local", CqlDaemon.first(session, "SELECT key FROM system.local").getString(0));
    }
    AllNodesFailedException refused =
        assertThrows(
            AllNodesFailedException.class,
            () -> daemon.driver("V5", "none").withAuthCredentials("anyone", "no").build());
    String told = String.valueOf(refused.getMessage());
    assertTrue(told.contains("Provided username and/or password are incorrect"), told);
  }

  @Test
  void tokensAreRolesForThoseWhoChangeTheSchema() throws IOException {
    write(TokenDaemon.line("reader", READER, "query") + TokenDaemon.line("boss", SENDER, "admin"));
    daemon.close();
    daemon = new CqlDaemon(directory, Map.of("tokens", tokens.toString()));
    try (CqlSession boss = daemon.driver("V5", "none").withAuthCredentials("x", SENDER).build();
        CqlSession reader = daemon.driver("V5", "none").withAuthCredentials("x", READER).build()) {
      List<String> roles =
          boss.execute("LIST ROLES").all().stream()
              .map(Row::getFormattedContents)
              .sorted()
              .toList();
      assertEquals(
          List.of(
              "[role:'boss', super:true, login:true]", "[role:'reader', super:false, login:true]"),
          roles);
      assertThrows(UnauthorizedException.class, () -> reader.execute("LIST ROLES"));
      assertThrows(
          UnauthorizedException.class, () -> reader.execute("SELECT * FROM system_auth.roles"));
    }
  }

  @Test
  void nothingIsAskedWithout() throws IOException {
    try (RawDriver driver = new RawDriver(daemon.address())) {
      driver.ask(RawDriver.STARTUP, RawDriver.startup());
      assertEquals(
          "000a Unexpected message QUERY, expecting AUTH_RESPONSE",
          driver.ask(RawDriver.QUERY, RawDriver.query("SELECT key FROM system.local")).error());
      assertEquals(
          "0100 Provided username and/or password are incorrect",
          driver.ask(AUTH_RESPONSE, response("wrong")).error());
      assertEquals(
          "000a the response is none of SASL PLAIN",
          driver.ask(AUTH_RESPONSE, new Body().number(4, 1).number(1, 7).bytes()).error());
    }
    try (RawDriver driver = authenticated(SENDER)) {
      assertEquals(
          RawDriver.RESULT,
          driver.ask(RawDriver.QUERY, RawDriver.query("SELECT key FROM system.local")).opcode());
      for (String table : List.of("widerow.events", "system_traces.sessions")) {
        assertEquals(
            "2100 the token has no scope query",
            driver.ask(RawDriver.QUERY, RawDriver.query("SELECT * FROM " + table)).error());
      }
      String insert = "INSERT INTO widerow.events (type, id) VALUES ('t', now())";
      assertEquals(RawDriver.RESULT, driver.ask(RawDriver.QUERY, RawDriver.query(insert)).opcode());
      try (RawDriver other = authenticated(READER)) {
        assertEquals(
            "2100 the token has no scope ingest",
            other.ask(RawDriver.QUERY, RawDriver.query(insert)).error());
      }
      String create = "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}";
      assertEquals(
          "2100 the token has no scope admin",
          driver.ask(RawDriver.QUERY, RawDriver.query(create)).error());
    }
  }

  @Test
  void aTokenThatIsTakenAwayIsOfNoUse() throws IOException {
    try (RawDriver driver = authenticated(READER)) {
      byte[] question = RawDriver.query("SELECT key FROM system.local");
      assertEquals(RawDriver.RESULT, driver.ask(RawDriver.QUERY, question).opcode());
      write(TokenDaemon.line("other", SENDER, "query") + "\n");
      Answer answer = driver.ask(RawDriver.QUERY, question);
      long until = System.nanoTime() + 30_000_000_000L;
      while (answer.opcode() == RawDriver.RESULT && System.nanoTime() < until) {
        answer = driver.ask(RawDriver.QUERY, question);
      }
      assertEquals("0100 the token is not valid any more", answer.error());
    }
  }
}
