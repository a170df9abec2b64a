package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.data.CqlVector;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: what tools ask of a server beyond statements is there: warnings, the tables that they
/// read, vectors as values of a driver. Method: the Java driver.
@Timeout(120)
class CqlToolsTest {
  private static final String ALL = "Aggregation query used without partition key";
  private static final String MANY =
      "Aggregation query used on multiple partition keys (IN restriction)";

  @TempDir private Path directory = Path.of(".");

  private static List<String> warnings(CqlSession session, String statement) {
    ResultSet rows = session.execute(statement);
    return rows.getExecutionInfo().getWarnings();
  }

  @ParameterizedTest
  @ValueSource(strings = {"V4", "V5"})
  void aggregatesOverPartitionsAreWarnedOf(String version) {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver(version, "lz4").build()) {
      session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
      session.execute("CREATE TABLE k.t (p int, c int, v int, PRIMARY KEY (p, c))");
      assertEquals(List.of(ALL), warnings(session, "SELECT count(*) FROM k.t"));
      assertEquals(List.of(ALL), warnings(session, "SELECT p FROM k.t GROUP BY p"));
      assertEquals(List.of(MANY), warnings(session, "SELECT max(v) FROM k.t WHERE p IN (1, 2)"));
      assertEquals(List.of(), warnings(session, "SELECT max(v) FROM k.t WHERE p = 1"));
      assertEquals(List.of(), warnings(session, "SELECT max(v) FROM k.t WHERE p IN (1)"));
      assertEquals(List.of(), warnings(session, "SELECT * FROM k.t"));
      assertEquals(List.of(), warnings(session, "SELECT count(*) FROM widerow.events"));
    }
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession old = daemon.driver("V3", "none").build()) { // which has no place for them
      assertEquals(0, CqlDaemon.first(old, "SELECT count(*) FROM k.t").getLong(0));
    }
  }

  @Test
  void tablesOfTools() {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver("V5", "none").build()) {
      assertEquals(
          "widerow",
          CqlDaemon.first(
                  session, "SELECT value FROM system_views.settings WHERE name = 'cluster_name'")
              .getString(0));
      assertEquals(
          List.of(),
          session
              .execute("SELECT * FROM system.size_estimates WHERE keyspace_name = 'widerow'")
              .all());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"V4", "V5"})
  void vectorsAreBoundAndReturned(String version) {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver(version, "none").build()) {
      session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
      session.execute(
          "CREATE TABLE k.t (k int PRIMARY KEY, v vector<float, 3>, w vector<text, 2>)");
      CqlVector<Float> vector = CqlVector.newInstance(0.5f, -1f, 3e9f);
      CqlVector<String> texts = CqlVector.newInstance("", "\u00e4".repeat(100));
      session.execute(
          session.prepare("INSERT INTO k.t (k, v, w) VALUES (1, ?, ?)").bind(vector, texts));
    }
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver(version, "none").build()) {
      var row = CqlDaemon.first(session, "SELECT v, w FROM k.t WHERE k = 1");
      assertEquals(CqlVector.newInstance(0.5f, -1f, 3e9f), row.getVector(0, Float.class));
      assertEquals(CqlVector.newInstance("", "\u00e4".repeat(100)), row.getVector(1, String.class));
    }
  }
}
