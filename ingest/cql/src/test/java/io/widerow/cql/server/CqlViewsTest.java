package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.schema.ViewMetadata;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a driver makes materialized views, finds them in its metadata, and reads what it has
/// written to their tables, also after a restart. Method: the Java driver against a daemon with a
/// store on disk.
@Timeout(300)
class CqlViewsTest {
  @TempDir private Path directory = Path.of(".");

  private static List<Integer> numbers(CqlSession session, String statement) {
    return session.execute(statement).all().stream().map(row -> row.getInt(0)).toList();
  }

  private static ViewMetadata view(CqlSession session) {
    return session
        .getMetadata()
        .getKeyspace("k")
        .flatMap(keyspace -> keyspace.getView("by_owner"))
        .orElseThrow();
  }

  @Test
  void aViewIsFilledAndFollows() {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver("V5", "none").build()) {
      session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
      session.execute("CREATE TABLE k.t (p int, c int, owner text, note text, PRIMARY KEY (p, c))");
      PreparedStatement insert =
          session.prepare("INSERT INTO k.t (p, c, owner, note) VALUES (?, ?, ?, ?)");
      for (int p = 0; p < 11; p++) { // more than one group of the filling
        List<BatchableStatement<?>> rows = new ArrayList<>();
        for (int c = 0; c < 100; c++) {
          rows.add(insert.bind(p, c, "o" + c % 2, "n" + (p * 100 + c)));
        }
        session.execute(BatchStatement.newInstance(BatchType.LOGGED, rows));
      }
      assertEquals(1_100, numbers(session, "SELECT c FROM k.t").size());
      session.execute(
          "CREATE MATERIALIZED VIEW k.by_owner AS SELECT * FROM k.t WHERE owner IS NOT NULL AND p"
              + " IS NOT NULL AND c IS NOT NULL PRIMARY KEY (owner, p, c)");
      ViewMetadata made = view(session);
      assertEquals(CqlIdentifier.fromInternal("t"), made.getBaseTable());
      assertTrue(made.includesAllColumns());
      assertTrue(made.describe(false).contains("MATERIALIZED VIEW"), made.describe(false));
      assertEquals(550, numbers(session, "SELECT c FROM k.by_owner WHERE owner = 'o1'").size());
      session.execute("UPDATE k.t SET owner = 'o2' WHERE p = 3 AND c = 7");
      session.execute("DELETE FROM k.t WHERE p = 0");
      assertEquals(List.of(7), numbers(session, "SELECT c FROM k.by_owner WHERE owner = 'o2'"));
      InvalidQueryException refused =
          assertThrows(
              InvalidQueryException.class,
              () -> session.execute("DELETE FROM k.by_owner WHERE owner = 'o1'"));
      assertEquals("Cannot directly modify a materialized view", refused.getMessage());
    }
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver("V4", "lz4").build()) {
      assertEquals(3, view(session).getPrimaryKey().size());
      List<Row> rows = session.execute("SELECT p, c, note FROM k.by_owner").all();
      assertEquals(1_000, rows.size());
      for (Row row : rows) {
        assertEquals("n" + (row.getInt(0) * 100 + row.getInt(1)), row.getString(2));
      }
      session.execute("DROP MATERIALIZED VIEW k.by_owner");
      assertTrue(session.getMetadata().getKeyspace("k").orElseThrow().getViews().isEmpty());
      session.execute("DROP TABLE k.t");
    }
  }
}
