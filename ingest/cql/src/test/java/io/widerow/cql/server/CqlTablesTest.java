package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.data.CqlDuration;
import com.datastax.oss.driver.api.core.data.UdtValue;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.servererrors.AlreadyExistsException;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import io.widerow.faults.Slice;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a driver makes tables, writes and reads them over the wire, and every acknowledged write
/// is there after a restart. Method: the Java driver against a daemon with a store on disk.
@Timeout(300)
class CqlTablesTest {
  private static final String REPLICATION = " WITH replication = {'class': 'SimpleStrategy'}";
  @TempDir private Path directory = Path.of(".");

  private static List<String> texts(CqlSession session, String statement) {
    List<String> rows = new ArrayList<>();
    for (Row row : session.execute(statement)) {
      List<String> values = new ArrayList<>();
      for (int i = 0; i < row.size(); i++) {
        values.add(String.valueOf(row.getObject(i)));
      }
      rows.add(values.toString());
    }
    return rows;
  }

  static List<String> versions() {
    return List.of("V5", "V4").subList(0, Slice.of(1, 2));
  }

  @ParameterizedTest
  @MethodSource("versions")
  void whatIsWrittenIsThereAfterARestart(String version) {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver(version, "none").build()) {
      session.execute("CREATE KEYSPACE shop" + REPLICATION);
      session.execute("CREATE TYPE shop.address (street text, city text)");
      session.execute(
          "CREATE TABLE shop.users (country text, id int, name text, home frozen<address>, tags"
              + " set<text>, took duration, PRIMARY KEY (country, id)) WITH CLUSTERING ORDER BY (id"
              + " DESC)");
      TableMetadata table =
          session
              .getMetadata()
              .getKeyspace("shop")
              .flatMap(keyspace -> keyspace.getTable("users"))
              .orElseThrow();
      assertTrue(table.describe(false).contains("address"));
      PreparedStatement insert =
          session.prepare(
              "INSERT INTO shop.users (country, id, name, home, tags, took) VALUES (?, ?, ?, ?, ?,"
                  + " ?)");
      UdtValue home =
          session
              .getMetadata()
              .getKeyspace("shop")
              .flatMap(keyspace -> keyspace.getUserDefinedType("address"))
              .orElseThrow()
              .newValue("Main St", "Oslo");
      CqlDuration took = CqlDuration.newInstance(1, 2, 3);
      for (int i = 0; i < 120; i++) {
        session.execute(insert.bind("no", i, "n" + i, home, Set.of("a", "b"), took));
      }
      session.execute("CREATE TABLE shop.likes (item text PRIMARY KEY, n counter)");
      session.execute("UPDATE shop.likes SET n = n + 3 WHERE item = 'x'");
    }
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver(version, "lz4").build()) {
      List<Row> rows = session.execute("SELECT * FROM shop.users WHERE country = 'no'").all();
      assertEquals(120, rows.size());
      Row first = rows.getFirst();
      assertEquals(119, first.getInt("id"));
      assertEquals("Oslo", Objects.requireNonNull(first.getUdtValue("home")).getString("city"));
      assertEquals(Set.of("a", "b"), first.getSet("tags", String.class));
      assertEquals(CqlDuration.newInstance(1, 2, 3), first.getCqlDuration("took"));
      session.execute("UPDATE shop.likes SET n = n - 1 WHERE item = 'x'");
      assertEquals(List.of("[x, 2]"), texts(session, "SELECT * FROM shop.likes"));
      session.execute("DROP KEYSPACE shop");
      assertFalse(session.getMetadata().getKeyspace("shop").isPresent());
    }
  }

  @Test
  void batchesConditionsAndRefusals() {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver("V5", "none").build()) {
      session.execute("CREATE KEYSPACE k" + REPLICATION);
      session.execute("USE k");
      session.execute("CREATE TABLE t (p int, c int, v text, PRIMARY KEY (p, c))");
      PreparedStatement insert = session.prepare("INSERT INTO t (p, c, v) VALUES (?, ?, ?)");
      session.execute(
          BatchStatement.newInstance(
              BatchType.LOGGED,
              insert.bind(1, 1, "one"),
              SimpleStatement.newInstance("INSERT INTO t (p, c, v) VALUES (1, 2, 'two')"),
              insert.bind(2, 1, "three")));
      assertEquals(
          List.of("[1, 1, one]", "[1, 2, two]", "[2, 1, three]"),
          texts(session, "SELECT * FROM t"));
      PreparedStatement change =
          session.prepare("UPDATE t SET v = ? WHERE p = ? AND c = 1 IF v = ?");
      assertFalse(session.execute(change.bind("new", 1, "nothing")).wasApplied());
      assertTrue(session.execute(change.bind("new", 1, "one")).wasApplied());
      assertFalse(session.execute(change.bind("newer", 1, "one")).wasApplied());
      assertThrows(
          AlreadyExistsException.class,
          () -> session.execute("CREATE TABLE t (p int PRIMARY KEY)"));
      assertThrows(
          InvalidQueryException.class, () -> session.execute("SELECT * FROM t WHERE v = 'x'"));
      PreparedStatement all = session.prepare("SELECT * FROM t WHERE p = ?");
      session.execute("ALTER TABLE t ADD w int");
      Row row = Objects.requireNonNull(session.execute(all.bind(2)).one());
      assertEquals(4, row.getColumnDefinitions().size());
    }
  }
}
