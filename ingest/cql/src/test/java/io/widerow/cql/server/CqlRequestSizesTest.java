package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.SyntaxError;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: large values and statements are stored and read back, and what is too large is refused
/// with its size while the connection goes on. Method: a driver with one connection, in both
/// versions, plain and compressed.
@Timeout(180)
class CqlRequestSizesTest {
  private static final int LARGE_BYTES = 7 << 20;
  private static final String REPLICATION = " WITH replication = {'class': 'SimpleStrategy'}";

  @TempDir private Path directory = Path.of(".");

  private static void refused(
      CqlSession session, String part, Class<? extends Exception> as, Executable request) {
    Exception refusal = assertThrows(as, request);
    assertTrue(String.valueOf(refusal.getMessage()).contains(part), refusal.getMessage());
    assertEquals(0, CqlDaemon.first(session, "SELECT count(*) FROM k.none").getLong(0));
  }

  @ParameterizedTest
  @CsvSource({"V4, none", "V4, lz4", "V5, none", "V5, lz4"})
  void largeValuesAndStatements(String version, String compression) {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver(version, compression).build()) {
      session.execute("CREATE KEYSPACE k" + REPLICATION);
      session.execute("CREATE TABLE k.t (k int PRIMARY KEY, v blob, x text, l list<int>)");
      session.execute("CREATE TABLE k.none (k int PRIMARY KEY)");
      byte[] large = new byte[LARGE_BYTES];
      large[LARGE_BYTES - 1] = 1;
      PreparedStatement put = session.prepare("INSERT INTO k.t (k, v) VALUES (1, ?)");
      session.execute(put.bind(ByteBuffer.wrap(large)));
      ByteBuffer read = CqlDaemon.first(session, "SELECT v FROM k.t WHERE k = 1").getByteBuffer(0);
      assertEquals(ByteBuffer.wrap(large), read);
      String text = "a\u00e4".repeat(500_000);
      session.execute("UPDATE k.t SET x = '" + text + "' WHERE k = 2");
      assertEquals(text, CqlDaemon.first(session, "SELECT x FROM k.t WHERE k = 2").getString("x"));
      PreparedStatement list = session.prepare("INSERT INTO k.t (k, l) VALUES (3, ?)");
      session.execute(list.bind(Collections.nCopies(100_000, 7)));
      List<Integer> found =
          CqlDaemon.first(session, "SELECT l FROM k.t WHERE k = 3").getList("l", Integer.class);
      assertEquals(100_000, Objects.requireNonNull(found).size());
    }
  }

  @Test
  void whatIsTooLargeIsRefusedAndTheConnectionGoesOn() {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver("V5", "none").build()) {
      assertEquals(
          1,
          session
              .getContext()
              .getConfig()
              .getDefaultProfile()
              .getInt(DefaultDriverOption.CONNECTION_POOL_LOCAL_SIZE));
      session.execute("CREATE KEYSPACE k" + REPLICATION);
      session.execute("CREATE TABLE k.t (k int PRIMARY KEY, v blob, l list<int>)");
      session.execute("CREATE TABLE k.none (k int PRIMARY KEY)");
      PreparedStatement put = session.prepare("INSERT INTO k.t (k, v) VALUES (1, ?)");
      refused(
          session,
          "Request is too big",
          InvalidQueryException.class,
          () -> session.execute(put.bind(ByteBuffer.allocate((16 << 20) + 1))));
      refused(
          session,
          "a write to one row has at most",
          InvalidQueryException.class,
          () -> session.execute(put.bind(ByteBuffer.allocate(10 << 20))));
      PreparedStatement list = session.prepare("INSERT INTO k.t (k, l) VALUES (1, ?)");
      refused(
          session,
          "at most 131072 elements",
          InvalidQueryException.class,
          () -> session.execute(list.bind(Collections.nCopies(131_073, 7))));
      refused(
          session,
          "too many words and signs",
          SyntaxError.class,
          () -> session.execute("SELECT k FROM k.none WHERE k IN (" + "1,".repeat(70_000) + "1)"));
    }
  }
}
