package io.widerow.cql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.plan.Prepared;
import io.widerow.cql.plan.QueryRows;
import io.widerow.cql.plan.StatementExecution;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.WireCodec;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Goal: tables can be made, written and asked by the rules of Cassandra. Method: statements and
/// their answers, over the model of the store of tables.
class TableLanguageTest extends LanguageTest {
  @Test
  void rowsOfDroppedAndTruncatedTablesAreForgotten() {
    for (String name : List.of("a", "b", "c")) {
      run("CREATE TABLE " + name + " (p int PRIMARY KEY, v int)");
    }
    int ofSchema = server.keys();
    for (int i = 0; i < 10; i++) {
      for (String name : List.of("a", "b", "c")) {
        run("INSERT INTO %s (p, v) VALUES (%d, 1)".formatted(name, i));
      }
    }
    assertEquals(ofSchema + 30, server.keys());
    run("TRUNCATE a", "DROP TABLE b");
    assertEquals(ofSchema + 10, server.keys());
    server.restart();
    run("INSERT INTO a (p, v) VALUES (1, 2)");
    assertRows("SELECT v FROM a", "[2]");
    assertEquals(10, asking.rows("SELECT * FROM c").size());
    run("DROP KEYSPACE k");
    assertEquals(ofSchema, server.keys());
  }

  @Test
  void slicesInBothDirections() {
    run(
        "CREATE TABLE t (p int, a int, b text, v int, PRIMARY KEY (p, a, b))"
            + " WITH CLUSTERING ORDER BY (a DESC, b ASC)");
    for (int a = 1; a <= 4; a++) {
      for (String b : List.of("x", "y")) {
        run("INSERT INTO t (p, a, b, v) VALUES (1, %d, '%s', %d)".formatted(a, b, a * 10));
      }
    }
    assertRows("SELECT a, b FROM t WHERE p = 1 AND a > 2", "[4, x]", "[4, y]", "[3, x]", "[3, y]");
    assertRows("SELECT a FROM t WHERE p = 1 AND a >= 2 AND a < 3", "[2]", "[2]");
    assertRows("SELECT a, b FROM t WHERE p = 1 AND a IN (1, 3) AND b > 'x'", "[3, y]", "[1, y]");
    assertRows("SELECT a, b FROM t WHERE p = 1 ORDER BY a ASC LIMIT 2", "[1, y]", "[1, x]");
    assertRows(
        "SELECT a, b FROM t WHERE p = 1 AND (a, b) > (3, 'x')", "[4, x]", "[4, y]", "[3, y]");
    assertRows(
        "SELECT a, b FROM t WHERE p = 1 AND (a, b) IN ((1, 'x'), (4, 'y'), (9, 'z'))",
        "[4, y]",
        "[1, x]");
    assertRows("SELECT a FROM t WHERE p = 1 PER PARTITION LIMIT 1", "[4]");
    assertRows(
        "SELECT a, count(*), max(b) FROM t WHERE p = 1 GROUP BY a LIMIT 2",
        "[4, 2, y]",
        "[3, 2, y]");
    for (int page = 1; page < 8; page++) {
      assertEquals(8, asking.rows("SELECT a, b FROM t WHERE p = 1", page).size());
      assertEquals(
          List.of("[1, y]", "[1, x]", "[2, y]", "[2, x]", "[3, y]", "[3, x]", "[4, y]", "[4, x]"),
          asking.rows("SELECT a, b FROM t WHERE p = 1 ORDER BY a ASC, b DESC", page));
    }
    assertRefused(
        "SELECT * FROM t WHERE p = 1 AND b = 'x'",
        "2200 PRIMARY KEY column \"b\" cannot be restricted as preceding column \"a\" is not"
            + " restricted");
    assertRefused(
        "SELECT * FROM t WHERE p = 1 AND (b, a) = ('x', 1)",
        "2200 Clustering columns must appear in the PRIMARY KEY order in multi-column relations:"
            + " (b, a) = ('x', 1)");
    assertRefused(
        "SELECT * FROM t WHERE p = 1 AND (a, b) = (1)",
        "2200 Expected 2 elements in value tuple, but got 1: (1)");
  }

  @Test
  void partitionsByTheirTokens() {
    run("CREATE TABLE t (p int PRIMARY KEY, v text)");
    for (int p = 1; p <= 5; p++) {
      run("INSERT INTO t (p, v) VALUES (%d, 'v')".formatted(p));
    }
    assertRows(
        "SELECT p, token(p) FROM t WHERE token(p) = -4069959284402364209",
        "[1, -4069959284402364209]");
    assertRows("SELECT p FROM t", "[5]", "[1]", "[2]", "[4]", "[3]");
    assertRows("SELECT p FROM t WHERE token(p) > token(1) AND token(p) <= token(4)", "[2]", "[4]");
    assertRows("SELECT p FROM t WHERE p IN (4, 5, 1, 4)", "[1]", "[4]", "[5]");
    assertRows("SELECT p FROM t WHERE p IN ()");
    for (int page = 1; page < 6; page++) {
      assertEquals(
          List.of("[5]", "[1]", "[2]", "[4]", "[3]"), asking.rows("SELECT p FROM t", page));
    }
    assertRefused(
        "SELECT p FROM t WHERE token(v) > 1",
        "2200 The token() function must be applied to all partition key components or none of"
            + " them");
    run("TRUNCATE t");
    assertRows("SELECT count(*) FROM t", "[0]");
  }

  @Test
  void oneOrderOverPartitions() {
    run("CREATE TABLE t (p int, c int, PRIMARY KEY (p, c))");
    for (int c = 0; c < 9; c++) {
      run("INSERT INTO t (p, c) VALUES (%d, %d)".formatted(c % 3, c / 2));
    }
    String asked = "SELECT c, p FROM t WHERE p IN (0, 1, 2) ORDER BY c DESC";
    List<String> all = asking.rows(asked);
    assertEquals(9, all.size());
    assertEquals(
        List.of("4", "3", "3", "2", "2", "1", "1", "0", "0"),
        all.stream().map(row -> row.substring(1, 2)).toList());
    String some = asked + " PER PARTITION LIMIT 2";
    List<String> limited = all.subList(0, 6);
    assertEquals(limited, asking.rows(some));
    for (int page = 1; page < 9; page++) {
      assertEquals(all, asking.rows(asked, page), "pages of " + page);
      assertEquals(limited, asking.rows(some, page), "pages of " + page);
    }
  }

  @Test
  void staticColumns() {
    run(
        "CREATE TABLE t (p int, c int, s text STATIC, v int, PRIMARY KEY (p, c))",
        "INSERT INTO t (p, s) VALUES (1, 'one')",
        "INSERT INTO t (p, s) VALUES (2, 'two')",
        "INSERT INTO t (p, c, v) VALUES (2, 1, 10)",
        "INSERT INTO t (p, c, v) VALUES (2, 2, 20)",
        "INSERT INTO t (p, c, v) VALUES (3, 1, 30)");
    assertRows(
        "SELECT p, c, s FROM t", "[1, null, one]", "[2, 1, two]", "[2, 2, two]", "[3, 1, null]");
    for (int page = 1; page < 5; page++) {
      assertEquals(4, asking.rows("SELECT p, c, s FROM t", page).size());
    }
    assertRows("SELECT s FROM t WHERE p = 1", "[one]");
    assertRefused(
        "SELECT s FROM t WHERE p = 1 AND c > 0",
        "2200 Cannot restrict clustering columns when selecting only static columns");
    assertRows("SELECT DISTINCT p, s FROM t", "[1, one]", "[2, two]", "[3, null]");
    run("UPDATE t SET s = 'new' WHERE p = 2", "DELETE FROM t WHERE p = 2 AND c = 1");
    assertRows("SELECT c, s FROM t WHERE p = 2", "[2, new]");
    run("DELETE s FROM t WHERE p = 2");
    assertRows("SELECT c, s FROM t WHERE p = 2", "[2, null]");
    run("DELETE FROM t WHERE p = 2");
    assertRows("SELECT c FROM t WHERE p = 2");
  }

  @Test
  void rowsLiveByInsertOrByTheirCells() {
    run(
        "CREATE TABLE t (p int PRIMARY KEY, v int)",
        "INSERT INTO t (p, v) VALUES (1, 5)",
        "UPDATE t SET v = 5 WHERE p = 2",
        "UPDATE t SET v = null WHERE p IN (1, 2)");
    assertRows("SELECT * FROM t", "[1, null]");
    run(
        "INSERT INTO t (p, v) VALUES (3, 1) USING TIMESTAMP 1050",
        "DELETE FROM t USING TIMESTAMP 1049 WHERE p = 3");
    assertRows("SELECT v, writetime(v) FROM t WHERE p = 3", "[1, 1050]");
    run("DELETE FROM t USING TIMESTAMP 1050 WHERE p = 3");
    assertRows("SELECT v FROM t WHERE p = 3");
  }

  @Test
  void expiry() {
    run(
        "CREATE TABLE t (p int PRIMARY KEY, v int, w int) WITH default_time_to_live = 100",
        "INSERT INTO t (p, v) VALUES (1, 1) USING TTL 10",
        "INSERT INTO t (p, v) VALUES (2, 1)",
        "INSERT INTO t (p, v) VALUES (3, 1) USING TTL 0",
        "UPDATE t USING TTL 1000 SET w = 2 WHERE p = 1");
    assertRows("SELECT ttl(v) FROM t WHERE p = 3", "[null]");
    server.pass(Duration.ofSeconds(11));
    assertRows("SELECT v, w FROM t WHERE p = 1", "[null, 2]");
    server.pass(Duration.ofSeconds(100));
    assertRows("SELECT p FROM t", "[1]", "[3]");
    assertRefused(
        "INSERT INTO t (p) VALUES (1) USING TTL -1",
        "2200 A TTL must be greater or equal to 0, but was -1");
    assertRefused(
        "INSERT INTO t (p) VALUES (1) USING TTL 630720001",
        "2200 ttl is too large. requested (630720001) maximum (630720000)");
  }

  @Test
  void collections() {
    run(
        "CREATE TABLE t (p int PRIMARY KEY, l list<text>, s set<int>, m map<text, int>)",
        "INSERT INTO t (p, l, s, m) VALUES (1, ['b'], {3, 1}, {'x': 1, 'a': 2})",
        "UPDATE t SET l = l + ['c', 'd'], s = s + {2}, m['y'] = 9 WHERE p = 1",
        "UPDATE t SET l = ['a0', 'a1'] + l, m = m - {'x'}, s -= {3} WHERE p = 1");
    assertRows("SELECT l, s, m FROM t", "[[a0, a1, b, c, d], [1, 2], {a=2, y=9}]");
    run("UPDATE t SET l[1] = 'z' WHERE p = 1", "DELETE l[0], m['a'] FROM t WHERE p = 1");
    assertRows("SELECT l, m['y'] FROM t", "[[z, b, c, d], 9]");
    run("UPDATE t SET l = l - ['b', 'd'], s = {7} WHERE p = 1", "UPDATE t SET m = {} WHERE p = 1");
    assertRows("SELECT l, s, m FROM t", "[[z, c], [7], null]");
    assertRows("SELECT p FROM t WHERE s CONTAINS 7 ALLOW FILTERING", "[1]");
    assertRefused(
        "UPDATE t SET l[9] = 'x' WHERE p = 1", "2200 List index 9 out of bound, list has size 2");
    assertRefused(
        "INSERT INTO t (p, s) VALUES (1, {null})", "2200 null is not supported inside collections");
    assertRefused(
        "CREATE TABLE u (p int PRIMARY KEY, v set<set<int>>)",
        "2200 Non-frozen collections are not allowed inside collections: set<set<int>>");
  }

  @Test
  void typesOfUsersAndTuples() {
    run(
        "CREATE TYPE point (x int, y int)",
        "CREATE TABLE t (p frozen<point> PRIMARY KEY, f frozen<point>, n point,"
            + " l list<frozen<point>>, u tuple<int, text>)",
        "INSERT INTO t (p, f, n, l, u) VALUES ({x: 1, y: 2}, {x: 3}, {y: 4}, [{x: 5, y: 6}],"
            + " (7, 'seven'))",
        "UPDATE t SET n.x = 8 WHERE p = {x: 1, y: 2}");
    assertRows("SELECT * FROM t", "[[1, 2], [3, null], [[5, 6]], [8, 4], [7, seven]]");
    assertRows("SELECT n.x, f.y FROM t", "[8, null]");
    assertRefused(
        "DROP TYPE point", "2200 Cannot drop user type 'k.point' as it is still used by tables t");
    assertRefused(
        "UPDATE t SET f.x = 1 WHERE p = {x: 1, y: 2}",
        "2200 Invalid operation (f.x = 1) for frozen UDT column f");
    assertRefused(
        "UPDATE t SET u.x = 1 WHERE p = {x: 1, y: 2}",
        "2200 Invalid operation (u.x = 1) for non-UDT column u");
    assertRefused(
        "DELETE f.x FROM t WHERE p = {x: 1, y: 2}",
        "2200 Frozen UDT column f does not support field deletions");
    assertRefused(
        "DELETE u.x FROM t WHERE p = {x: 1, y: 2}",
        "2200 Invalid field deletion operation for non-UDT column u");
  }

  @Test
  void vectorsHaveElementsOfAnyType() {
    run(
        "CREATE TYPE pair (a int, b text)",
        "CREATE TABLE t (p int PRIMARY KEY, l vector<list<int>, 2>, m vector<map<int, text>, 1>, t"
            + " vector<tuple<int, text>, 2>, u vector<pair, 1>, v vector<vector<set<int>, 1>, 1>)",
        "INSERT INTO t (p, l, m, t, u, v) VALUES (1, [[1, 2], []], [{1: 'x'}],"
            + " [(1, 'a'), (2, null)], [{a: 1}], [[{2, 1}]])",
        "ALTER TYPE pair ADD c int");
    server.restart();
    assertRows(
        "SELECT l, m, t, u, v FROM t",
        "[[[1, 2], []], [{1=x}], [[1, a], [2, null]], [[1, null, null]], [[[1, 2]]]]");
    assertRows(
        "SELECT column_name, type FROM system_schema.columns WHERE keyspace_name = 'k' AND"
            + " table_name = 't'",
        "[l, vector<list<int>, 2>]",
        "[m, vector<map<int, text>, 1>]",
        "[p, int]",
        "[t, vector<frozen<tuple<int, text>>, 2>]",
        "[u, vector<pair, 1>]",
        "[v, vector<vector<set<int>, 1>, 1>]");
    assertRefused(
        "CREATE TABLE r (p int PRIMARY KEY, v vector<counter, 1>)",
        "2200 Counters are not allowed inside collections: vector<counter, 1>");
  }

  @Test
  void durationsAreLimitedAndHaveNoOrder() {
    run("CREATE TABLE t (p int PRIMARY KEY, d duration)");
    run("INSERT INTO t (p, d) VALUES (1, 178956970y7mo306783378w1d)");
    assertRows("SELECT d FROM t", "[178956970y7mo2147483647d]");
    for (String each : List.of("9223372036854775807y", "2147483648mo", "P178956971Y")) {
      assertRefused(
          "INSERT INTO t (p, d) VALUES (1, %s)".formatted(each),
          "2200 Invalid duration. The total number of months must be less or equal to 2147483647");
    }
    assertRefused(
        "INSERT INTO t (p, d) VALUES (1, 9223372036854775807d)",
        "2200 Invalid duration. The total number of days must be less or equal to 2147483647");
    assertRefused(
        "CREATE TABLE r (p int PRIMARY KEY, s frozen<set<duration>>)",
        "2200 Durations are not allowed inside sets: frozen<set<duration>>");
    assertRefused(
        "CREATE TABLE r (p int PRIMARY KEY, m map<duration, text>)",
        "2200 Durations are not allowed as map keys: map<duration, text>");
    byte[] months = {(byte) 0xf1, 0, 0, 0, 0, 0, 0}; // 2^31, as drivers send them
    CqlException refused =
        assertThrows(
            CqlException.class,
            () -> WireCodec.decode(NativeType.DURATION, ByteBuffer.wrap(months)));
    assertEquals(
        "The duration months must be a 32 bits integer but was: 2147483648", refused.sentence());
  }

  @Test
  void counters() {
    run(
        "CREATE TABLE t (p int, c int, n counter, PRIMARY KEY (p, c))",
        "UPDATE t SET n = n + 5 WHERE p = 1 AND c = 1",
        "BEGIN COUNTER BATCH UPDATE t SET n -= 2 WHERE p = 1 AND c = 1;"
            + " UPDATE t SET n -= 2 WHERE p = 1 AND c = 1; APPLY BATCH");
    assertRows("SELECT n FROM t", "[1]");
    assertRefused(
        "UPDATE t SET n = 5 WHERE p = 1 AND c = 1",
        "2200 Cannot set the value of counter column n (counters can only be"
            + " incremented/decremented, not set)");
    assertRefused(
        "BEGIN BATCH UPDATE t SET n += 2 WHERE p = 1 AND c = 1; APPLY BATCH",
        "2200 Cannot include a counter statement in a logged batch");
    assertRefused(
        "CREATE TABLE u (p int PRIMARY KEY, n counter, v int)",
        "2200 Cannot mix counter and non counter columns in the same table");
  }

  @Test
  void conditions() {
    run("CREATE TABLE t (p int, c int, v int, w text, PRIMARY KEY (p, c))");
    assertRows("INSERT INTO t (p, c, v) VALUES (1, 1, 5) IF NOT EXISTS", "[true]");
    assertRows("INSERT INTO t (p, c, v) VALUES (1, 1, 6) IF NOT EXISTS", "[false, 1, 1, 5, null]");
    assertRows("UPDATE t SET v = 7 WHERE p = 1 AND c = 1 IF v = 6", "[false, 5]");
    assertRows("UPDATE t SET v = 7 WHERE p = 1 AND c = 1 IF v IN (5, 6) AND w = null", "[true]");
    assertRows("UPDATE t SET v = 7 WHERE p = 1 AND c = 2 IF EXISTS", "[false]");
    assertRows("DELETE FROM t WHERE p = 1 AND c = 1 IF v < 7", "[false, 7]");
    assertRows(
        "BEGIN BATCH INSERT INTO t (p, c, v) VALUES (1, 2, 1);"
            + " UPDATE t SET v = 9 WHERE p = 1 AND c = 1 IF v = 8; APPLY BATCH",
        "[false, 1, 1, 7]");
    assertRows("SELECT c, v FROM t WHERE p = 1", "[1, 7]");
    assertRefused(
        "UPDATE t USING TIMESTAMP 5 SET v = 7 WHERE p = 1 AND c = 1 IF v = 6",
        "2200 Cannot provide custom timestamp for conditional updates");
  }

  @Test
  void deletesOfRanges() {
    run("CREATE TABLE t (p int, a int, b int, PRIMARY KEY (p, a, b))");
    for (int a = 0; a < 4; a++) {
      for (int b = 0; b < 3; b++) {
        run("INSERT INTO t (p, a, b) VALUES (1, %d, %d)".formatted(a, b));
      }
    }
    run(
        "DELETE FROM t WHERE p = 1 AND a = 1",
        "DELETE FROM t WHERE p = 1 AND a = 2 AND b >= 1",
        "DELETE FROM t WHERE p = 1 AND a > 2");
    assertRows("SELECT a, b FROM t", "[0, 0]", "[0, 1]", "[0, 2]", "[2, 0]");
    assertRefused("DELETE FROM t WHERE a = 1", "2200 Some partition key parts are missing: p");
    assertRefused("UPDATE t SET b = 1 WHERE p = 1", "2200 PRIMARY KEY part b found in SET part");
  }

  @Test
  void json() {
    run(
        "CREATE TABLE t (p int PRIMARY KEY, \"Name\" text, l list<int>)",
        "INSERT INTO t JSON '{\"p\": 1, \"\\\"Name\\\"\": \"n\", \"l\": [1, 2]}'",
        "INSERT INTO t JSON '{\"p\": 1, \"l\": [3]}' DEFAULT UNSET");
    assertRows("SELECT JSON * FROM t", "[{\"p\": 1, \"\\\"Name\\\"\": \"n\", \"l\": [3]}]");
    run("INSERT INTO t JSON '{\"p\": 1}'");
    assertRows("SELECT * FROM t", "[1, null, null]");
    assertRefused(
        "INSERT INTO t JSON '{\"p\": 1, \"x\": 1}'",
        "2200 JSON values map contains unrecognized column: x");
  }

  @Test
  void theSchemaStaysAndChanges() {
    run(
        "CREATE TYPE point (x int)",
        "CREATE TYPE line (a frozen<point>, b frozen<point>)",
        "CREATE TABLE t (p int, c int, v text, q frozen<line>, PRIMARY KEY (p, c))"
            + " WITH CLUSTERING ORDER BY (c DESC) AND comment = 'it''s' AND gc_grace_seconds = 7",
        "INSERT INTO t (p, c, v) VALUES (1, 2, 'old')",
        "ALTER TABLE t DROP v",
        "ALTER TABLE t ADD v text",
        "ALTER TABLE t RENAME c TO d");
    server.restart();
    asking = server.asking("k");
    assertRows("SELECT * FROM t", "[1, 2, null, null]");
    assertRows(
        "SELECT column_name, kind, clustering_order, type FROM system_schema.columns WHERE"
            + " keyspace_name = 'k' AND table_name = 't'",
        "[d, clustering, desc, int]",
        "[p, partition_key, none, int]",
        "[q, regular, none, frozen<line>]",
        "[v, regular, none, text]");
    assertRows(
        "SELECT type_name, field_types FROM system_schema.types WHERE keyspace_name = 'k'",
        "[line, [frozen<point>, frozen<point>]]",
        "[point, [int]]");
    assertRows(
        "SELECT comment, gc_grace_seconds FROM system_schema.tables WHERE keyspace_name =" + " 'k'",
        "[it's, 7]");
    assertRefused(
        "CREATE TABLE t (p int PRIMARY KEY)",
        "2400 Cannot add already existing table \"t\" to keyspace \"k\"");
    run("CREATE TABLE IF NOT EXISTS t (p int PRIMARY KEY)", "DROP TABLE t");
    assertRefused("SELECT * FROM t", "2200 table t does not exist");
    run("CREATE TABLE t (p int PRIMARY KEY)");
    assertRows("SELECT * FROM t");
    run("DROP KEYSPACE k");
    assertRefused("SELECT * FROM t", "2200 keyspace k does not exist");
  }

  /// What a statement of a few kilobytes can ask for is bounded, and counted before it is read.
  @Test
  void manyKeysAtOnce() {
    run("CREATE TABLE t (p int, q int, c int, PRIMARY KEY ((p, q), c))");
    run("INSERT INTO t (p, q, c) VALUES (1, 2, 3)");
    String numbers =
        IntStream.range(0, 300).mapToObj(Integer::toString).collect(Collectors.joining(", "));
    String all = "SELECT c FROM t WHERE p IN (%s) AND q IN (%s)".formatted(numbers, numbers);
    assertRefused(all, "2200 IN restrictions name 90000 keys together; at most 65536 are allowed");
    assertRows("SELECT c FROM t WHERE p IN (%s) AND q = 2".formatted(numbers), "[3]");
    AtomicLong held = new AtomicLong();
    RequestPrincipal asker =
        new RequestPrincipal(new InetSocketAddress(0), held::addAndGet, _ -> {});
    Prepared merged =
        asking.prepare("SELECT c FROM t WHERE p IN (%s) AND q = 2 ORDER BY c".formatted(numbers));
    var page = (QueryRows.Rows) merged.execute(new StatementExecution(List.of(), 10, null, asker));
    assertEquals(List.of("[3]"), Asking.texts(page));
    assertTrue(held.get() >= 300L << 18, held + " bytes");
  }

  @Test
  void whatIsNoSchema() {
    assertRefused(
        "CREATE TABLE t (p int, v int)",
        "2200 No PRIMARY KEY specifed for table 't' (exactly one required)");
    assertRefused(
        "CREATE TABLE t (p duration PRIMARY KEY)",
        "2200 duration type is not supported for PRIMARY KEY column 'p'");
    assertRefused(
        "CREATE TABLE t (p int PRIMARY KEY) WITH nosuch = 1", "2000 Unknown property 'nosuch'");
    assertRefused(
        "CREATE KEYSPACE x WITH replication = {'class': 'NoSuch'}",
        "2300 Unable to find replication strategy class"
            + " 'org.apache.cassandra.locator.NoSuch'");
    assertRefused(
        "CREATE TABLE system.t (p int PRIMARY KEY)",
        "2100 system keyspace is not user-modifiable.");
    assertRefused("CREATE TRIGGER x ON t", "2200 CREATE TRIGGER is not in the language here");
    assertRefused(
        "INSERT INTO system.local (key) VALUES ('x')",
        "2100 system keyspace is not user-modifiable.");
  }
}
