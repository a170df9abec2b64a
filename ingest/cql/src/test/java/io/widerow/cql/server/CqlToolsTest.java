package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.QueryTrace;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.data.CqlVector;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    }
  }

  @Test
  void connectionsAreShown() {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver("V5", "none").build()) {
      session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
      session.execute("USE k");
      List<Row> rows = session.execute("SELECT * FROM system_views.clients").all();
      assertTrue(rows.size() > 1, rows::toString); // control connection and pool
      for (Row row : rows) {
        assertEquals("ready", row.getString("connection_stage"));
        assertEquals("Apache Cassandra Java Driver", row.getString("driver_name"));
        assertEquals(5, row.getInt("protocol_version"));
        assertEquals("anonymous", row.getString("username"));
        assertTrue(row.getLong("request_count") > 0);
        assertFalse(row.getBoolean("ssl_enabled"));
      }
      assertTrue(rows.stream().anyMatch(row -> "k".equals(row.getString("keyspace_name"))));
    }
  }

  /// What Cassandra refuses is refused; every other combination of two levels is met by one node.
  @Test
  void levelsThatMakeNoSenseAreRefused() {
    String select = "SELECT * FROM k.t WHERE p = 1";
    String insert = "INSERT INTO k.t (p) VALUES (1)";
    String condition = "INSERT INTO k.t (p) VALUES (1) IF NOT EXISTS";
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.session()) {
      session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
      session.execute("CREATE TABLE k.t (p int PRIMARY KEY)");
      for (ConsistencyLevel level : DefaultConsistencyLevel.values()) {
        boolean serial = level.isSerial();
        boolean any = level == DefaultConsistencyLevel.ANY;
        SimpleStatement with = SimpleStatement.newInstance(select).setConsistencyLevel(level);
        refused(session, with, any ? "ANY ConsistencyLevel is only supported for writes" : "");
        refused(
            session,
            with.setQuery(insert),
            serial ? "You must use conditional updates for serializable writes" : "");
        refused(
            session,
            with.setQuery(condition),
            serial
                ? level.name()
                    + " is not supported as conditional update commit consistency. Use ANY if you"
                    + " mean \"make sure it is accepted but I don't care how many replicas commit"
                    + " it for non-SERIAL reads\""
                : "");
        refused(
            session,
            SimpleStatement.newInstance(condition).setSerialConsistencyLevel(level),
            serial
                ? ""
                : "Invalid consistency for conditional update. Must be one of SERIAL or"
                    + " LOCAL_SERIAL");
      }
    }
  }

  private static void refused(CqlSession session, SimpleStatement statement, String why) {
    String found = "";
    try {
      session.execute(statement);
    } catch (InvalidQueryException refused) {
      found = String.valueOf(refused.getMessage());
    }
    assertEquals(why, found, statement::toString);
  }

  /// Of few partitions the number is exact, of many it is an estimate; both halves of the ring have
  /// a row.
  @Test
  void sizesAreEstimated() {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.session()) {
      session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
      session.execute("CREATE TABLE k.few (p int, c int, PRIMARY KEY (p, c))");
      session.execute("CREATE TABLE k.many (p int PRIMARY KEY, v text)");
      PreparedStatement few = session.prepare("INSERT INTO k.few (p, c) VALUES (?, ?)");
      PreparedStatement many = session.prepare("INSERT INTO k.many (p, v) VALUES (?, 'x')");
      for (int batch = 0; batch < 10; batch++) {
        BatchStatementBuilder statements = BatchStatement.builder(BatchType.UNLOGGED);
        for (int i = 0; i < 1_000; i++) {
          statements.addStatement(many.bind(1_000 * batch + i));
        }
        for (int i = 0; i < 10; i++) {
          statements.addStatement(few.bind(10 * batch + i, i));
          statements.addStatement(few.bind(10 * batch + i, i + 10));
        }
        session.execute(statements.build());
      }
      assertEquals(100, partitions(session, "size_estimates", "few", 2));
      assertEquals(10_000, (double) partitions(session, "size_estimates", "many", 2), 1_000);
      assertEquals(200, partitions(session, "table_estimates", "few", 4)); // two kinds of ranges
      assertEquals(0, partitions(session, "size_estimates", "none", 0));
    }
  }

  private static long partitions(CqlSession session, String from, String table, int rows) {
    List<Row> found =
        session
            .execute(
                "SELECT range_start, range_end, partitions_count, mean_partition_size FROM system."
                    + "%s WHERE keyspace_name = 'k' AND table_name = '%s'".formatted(from, table))
            .all();
    assertEquals(rows, found.size());
    return found.stream().mapToLong(row -> row.getLong("partitions_count")).sum();
  }

  /// The requests of COPY TO and COPY FROM: ranges of tokens with pages, and prepared inserts in
  /// unlogged batches.
  @Test
  void tablesAreCopiedByTokenRanges() {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver("V5", "lz4").build()) {
      session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
      for (String name : List.of("k.t", "k.u")) {
        session.execute(
            "CREATE TABLE %s (p int, c int, m map<text, int>, PRIMARY KEY (p, c))".formatted(name));
      }
      PreparedStatement insert = session.prepare("INSERT INTO k.t (p, c, m) VALUES (?, ?, ?)");
      BatchStatementBuilder first = BatchStatement.builder(BatchType.UNLOGGED);
      for (int i = 0; i < 1_000; i++) {
        first.addStatement(insert.bind(i % 100, i, Map.of("i", i)));
      }
      session.execute(first.build());

      PreparedStatement copy = session.prepare("INSERT INTO k.u (p, c, m) VALUES (?, ?, ?)");
      int ranges = 16;
      long step = Long.divideUnsigned(-1, ranges);
      for (int i = 0; i < ranges; i++) {
        long from = Long.MIN_VALUE + i * step;
        String until = i == ranges - 1 ? "" : " AND token(p) <= " + (from + step);
        String read = "SELECT p, c, m FROM k.t WHERE token(p) > " + from + until;
        BatchStatementBuilder batch = BatchStatement.builder(BatchType.UNLOGGED);
        for (Row row : session.execute(SimpleStatement.newInstance(read).setPageSize(7))) {
          Object map = Objects.requireNonNull(row.getObject(2));
          batch.addStatement(copy.bind(row.getInt(0), row.getInt(1), map));
        }
        session.execute(batch.build());
      }
      assertEquals(texts(session, "SELECT * FROM k.t"), texts(session, "SELECT * FROM k.u"));
      assertEquals(1_000, texts(session, "SELECT c FROM k.u").size());
    }
  }

  private static List<String> texts(CqlSession session, String statement) {
    return session.execute(statement).all().stream().map(Row::getFormattedContents).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"V3", "V4", "V5"})
  void requestsAreTraced(String version) {
    try (CqlDaemon daemon = new CqlDaemon(directory, Map.of());
        CqlSession session = daemon.driver(version, "lz4").build()) {
      session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
      session.execute("CREATE TABLE k.t (p int, c int, v int, PRIMARY KEY (p, c))");
      session.execute("CREATE INDEX by_v ON k.t (v)");
      QueryTrace write =
          trace(session, SimpleStatement.newInstance("INSERT INTO k.t (p, c, v) VALUES (1, 2, 3)"));
      assertEquals("Execute CQL3 query", write.getRequestType());
      assertEquals("Changes of 1 rows or ranges are on disk", activity(write, 1));
      assertEquals("127.0.0.1", write.getCoordinatorAddress().getAddress().getHostAddress());

      String counting = "SELECT count(*) FROM k.t"; // has a warning, too
      QueryTrace all = trace(session, SimpleStatement.newInstance(counting));
      assertEquals(Map.of("query", counting), all.getParameters());
      assertEquals("Reading all partitions of k.t", activity(all, 1));
      assertEquals(
          "Read 1 rows, 1 meet all conditions; 0 blocks of table files, 0 bytes", activity(all, 2));

      PreparedStatement byValue = session.prepare("SELECT * FROM k.t WHERE v = ?");
      QueryTrace index = trace(session, byValue.bind(3));
      assertEquals("Execute CQL3 prepared query", index.getRequestType());
      assertEquals("Reading by the index by_v", activity(index, 2));

      QueryTrace events =
          trace(session, SimpleStatement.newInstance("SELECT * FROM widerow.events"));
      assertEquals("plan: 0 partitions in 0 groups, 0 groups opened", activity(events, 1));
      assertNull(session.execute("SELECT * FROM k.t").getExecutionInfo().getTracingId());
    }
  }

  private static QueryTrace trace(CqlSession session, Statement<?> statement) {
    ResultSet rows = session.execute(statement.setTracing(true));
    return rows.getExecutionInfo().getQueryTrace();
  }

  private static String activity(QueryTrace trace, int index) {
    return String.valueOf(trace.getEvents().get(index).getActivity());
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
