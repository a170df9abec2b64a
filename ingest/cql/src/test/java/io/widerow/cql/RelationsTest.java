package io.widerow.cql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: conditions of WHERE that may be combined, values without bytes, and groups by functions
/// behave as in Cassandra 5.0.9. Method: statements and the responses of Cassandra, over the model
/// of the store of tables.
class RelationsTest extends LanguageTest {
  @BeforeEach
  void makesATable() {
    run(
        "CREATE TABLE t (p int, a int, b int, c int, v int, f frozen<set<int>>,"
            + " PRIMARY KEY (p, a, b, c))");
  }

  private void assertWhereRefused(String where, String refusal) {
    String statement = "SELECT v FROM t WHERE " + where;
    assertEquals("2200 " + refusal, asking.refusal(statement), statement);
  }

  @Test
  void theWordsAreForTheFirstCondition() {
    String equal = " cannot be restricted by more than one relation if it includes an Equal";
    String both = " cannot be restricted by both an equality and an inequality relation";
    String starts = " cannot be restricted by two inequalities not starting with the same column";
    assertWhereRefused("p = 1 AND a = 1 AND (a, b) > (1, 1)", "a" + equal);
    assertWhereRefused("p = 1 AND b = 1 AND (a, b) > (1, 1)", "b" + equal);
    assertWhereRefused("p = 1 AND (a, b) > (1, 1) AND b = 1", "Column \"b\"" + both);
    assertWhereRefused("p = 1 AND (a, b) > (1, 1) AND a = 1", "Column \"a\"" + both);
    assertWhereRefused("p = 1 AND a = 1 AND (b, c) > (0, 0) AND c > 1", "Column \"c\"" + starts);
    assertWhereRefused("p = 1 AND a = 1 AND c < 1 AND (b, c) > (0, 0)", "Column \"c\"" + starts);
    assertWhereRefused(
        "p = 1 AND b IN (1, 2) AND (a, b) > (0, 0)", "b" + equal.replace("an Equal", "a IN"));
    assertWhereRefused("p = 1 AND b IN (1) AND (a, b) > (0, 0)", "b" + equal);
    assertWhereRefused("p = 1 AND (a, b) = (1, 1) AND (b, c) = (1, 1)", "b" + equal);
    assertWhereRefused(
        "p = 1 AND (a, b, c) >= (1, 1, 1) AND a > 5",
        "More than one restriction was found for the start bound on a");
    assertWhereRefused("p = 1 AND p = 1 AND a = 'x'", "p" + equal);
    assertWhereRefused("p > 1 AND p IN (1) ALLOW FILTERING", "Column \"p\"" + both);
    assertWhereRefused(
        "token(p) > 1 AND token(p) > 2",
        "More than one restriction was found for the start bound on p");
    assertWhereRefused("f = {1} AND f CONTAINS 1 ALLOW FILTERING", "f" + equal);
    assertWhereRefused(
        "f CONTAINS 1 AND f > {1} ALLOW FILTERING",
        "Collection column f can only be restricted by CONTAINS, CONTAINS KEY, or map-entry"
            + " equality");
    assertRows("SELECT v FROM t WHERE p = 1 AND (b, c) > (0, 0) AND a = 1");
    assertRows("SELECT v FROM t WHERE p = 1 AND (a) >= (0) AND (a, b, c) < (1, 0, 0)");
    assertRows("SELECT v FROM t WHERE p = 1 AND (a, b) > (0, 0) AND (a, b, c) <= (1, 0, 0)");
    assertWhereRefused(
        "p = 1 AND (a) > (0) AND (b, c) < (2, 2) ALLOW FILTERING",
        "Multi-column slice restrictions cannot be used for filtering.");
    assertEquals(
        "2000 a column cannot be compared with the column p",
        asking.refusal("SELECT v FROM t WHERE token(p) > token(p)"));
    assertEquals(
        "2200 a" + equal,
        asking.refusal("UPDATE t SET v = 1 WHERE p = 1 AND a = 1 AND a = 1 AND b = 1 AND c = 1"));
    assertEquals(
        "2200 Column \"a\"" + both,
        asking.refusal("DELETE FROM t WHERE p = 1 AND (a, b) > (1, 1) AND a = 2"));
  }

  @Test
  void valuesWithoutBytes() {
    run(
        "CREATE TABLE e (p int, c int, v int, PRIMARY KEY (p, c))",
        "INSERT INTO e (p, c, v) VALUES (1, blobAsInt(0x), 1)",
        "INSERT INTO e (p, c, v) VALUES (1, 1, blobAsInt(0x))",
        "INSERT INTO e (p, c, v) VALUES (1, -1, 2)",
        "UPDATE e SET v = blobAsInt(0x) WHERE p = 1 AND c = 5");
    assertRows("SELECT c, v FROM e", "[, 1]", "[-1, 2]", "[1, ]", "[5, ]");
    assertRows("SELECT v FROM e WHERE p = 1 AND c = blobAsInt(0x)", "[1]");
    assertRows("SELECT c FROM e WHERE p = 1 AND c > blobAsInt(0x)", "[-1]", "[1]", "[5]");
    assertRows("SELECT c FROM e WHERE p = 1 ORDER BY c DESC", "[5]", "[1]", "[-1]", "[]");
    assertRows("SELECT c FROM e WHERE v = blobAsInt(0x) ALLOW FILTERING", "[1]", "[5]");
    assertRows(
        "SELECT toJson(c), CAST(c AS text), abs(c), c + 1, intAsBlob(c) FROM e LIMIT 1",
        "[null, null, null, null, java.nio.HeapByteBufferR[pos=0 lim=0 cap=0]]");
    assertRows("SELECT JSON c, v FROM e LIMIT 1", "[{\"c\": \"\", \"v\": 1}]");
    assertRows(
        "SELECT count(v), min(v), max(v), sum(v), avg(v), min(c) FROM e", "[4, , 2, 3, 1, ]");
    assertRows("SELECT c, count(*) FROM e GROUP BY p, c LIMIT 2", "[, 1]", "[-1, 1]");
    run("DELETE FROM e WHERE p = 1 AND c = blobAsInt(0x)");
    assertRows("SELECT c FROM e", "[-1]", "[1]", "[5]");
    assertEquals(
        "2200 Key may not be empty",
        asking.refusal("INSERT INTO e (p, c) VALUES (blobAsInt(0x), 1)"));
    run(
        "CREATE TABLE l (p int, q uuid, d timeuuid, n inet, v varint, l list<int>,"
            + " PRIMARY KEY ((p, q), d, n, v)) WITH CLUSTERING ORDER BY (d DESC, n ASC, v DESC)",
        "INSERT INTO l (p, q, d, n, v, l) VALUES (blobAsInt(0x), blobAsUuid(0x),"
            + " blobAsTimeuuid(0x), blobAsInet(0x), blobAsVarint(0x), [blobAsInt(0x)])");
    assertRows(
        "SELECT token(p, q), p, q, d, n, v, l, toJson(l) FROM l",
        "[9027482631457916009, , , , , , [], [\"\"]]");
    assertRows("SELECT p FROM l WHERE p = blobAsInt(0x) AND q = blobAsUuid(0x)", "[]");
  }

  @Test
  void groupsByFunctions() {
    run(
        "CREATE TABLE g (p int, ts timestamp, d date, v int, PRIMARY KEY (p, ts, d))",
        "INSERT INTO g (p, ts, d, v) VALUES (1, '2020-01-01T00:01:00Z', '2020-01-05', 1)",
        "INSERT INTO g (p, ts, d, v) VALUES (1, '2020-01-01T00:04:00Z', '2020-01-06', 2)",
        "INSERT INTO g (p, ts, d, v) VALUES (1, '2020-01-01T00:07:00Z', '2020-02-06', 3)");
    String first = "[1, 2020-01-01T00:00:00Z, 3]";
    String second = "[1, 2020-01-01T00:05:00Z, 3]";
    String some = "SELECT p, floor(ts, 5m), sum(v) FROM g ";
    assertRows(some + "GROUP BY p, floor(ts, 5m)", first, second);
    assertRows(some + "WHERE p = 1 GROUP BY floor(ts, 5m) ORDER BY ts DESC", second, first);
    assertRows(some + "GROUP BY p, floor(ts, 5m) PER PARTITION LIMIT 1", first);
    assertRows("SELECT sum(v) FROM g GROUP BY p, ts, floor(d, 1mo)", "[1]", "[2]", "[3]");
    assertRows("SELECT sum(v) FROM g GROUP BY p, to_date(ts)", "[6]");
    assertEquals(
        "2200 Functions are only supported on the last element of the GROUP BY clause",
        asking.refusal(some + "GROUP BY p, floor(ts, 5m), d"));
    assertEquals(
        "2200 Group by currently only support groups of columns following their declared order in"
            + " the PRIMARY KEY",
        asking.refusal(some + "GROUP BY p, floor(d, 1mo)"));
    assertEquals(
        "2200 Group by functions are only supported on clustering columns, got v",
        asking.refusal(some + "GROUP BY p, floor(v, 1h)"));
    assertEquals(
        "2200 Aggregate functions are not supported within the GROUP BY clause, got: system.max",
        asking.refusal(some + "GROUP BY p, max(ts)"));
  }

  @Test
  void floors() {
    run(
        "CREATE TABLE f (p int PRIMARY KEY, ts timestamp, tu timeuuid, d date, ti time)",
        "INSERT INTO f (p, ts, tu, d, ti) VALUES (1, '2020-05-17T13:14:15.678Z',"
            + " e0bb80f0-2f5e-11eb-8080-808080808080, '2020-05-17', '13:14:15.123456789')");
    assertRows(
        "SELECT floor(ts, 1h), floor(ts, 1mo), floor(ts, 0s), floor(tu, 1h) FROM f",
        "[2020-05-17T13:00:00Z, 2020-05-01T00:00:00Z, 2020-05-17T13:14:15.678Z,"
            + " 2020-11-25T20:00:00Z]");
    assertRows(
        "SELECT floor(d, 1mo), floor(d, 3d), floor(d, 1w, '2020-05-02'), floor(ti, 1h),"
            + " floor(ti, 7ns), floor(ti, 24h), floor(ts, null) FROM f",
        "[2020-05-01, 2020-05-17, 2020-05-16, 13:00, 13:14:15.123456787, 00:00, null]");
    assertRows(
        "SELECT floor((timestamp) '1960-02-28', 1mo, '1950-01-31'),"
            + " floor((timestamp) '1960-02-29', 1mo1d, '1950-01-31') FROM f",
        "[1960-02-29T00:00:00Z, 1960-02-23T00:00:00Z]");
    assertEquals(
        "2200 The floor cannot be computed for the 64ns duration as precision is below 1"
            + " millisecond",
        asking.refusal("SELECT floor(ts, 64ns) FROM f"));
    assertEquals(
        "2200 The floor function starting time is greater than the provided time",
        asking.refusal("SELECT floor(ts, 1h, '2021-01-01') FROM f"));
    assertEquals(
        "2200 Negative durations are not supported by the floor function",
        asking.refusal("SELECT floor(d, -1d) FROM f"));
    assertEquals(
        "2200 For time values, the floor can only be computed for durations smaller that a day",
        asking.refusal("SELECT floor(ti, 25h) FROM f"));
    run("UPDATE f SET ts = fromJson('\"2020-01-01\"') WHERE p = fromJson('1')");
    assertRows("SELECT ts FROM f", "[2020-01-01T00:00:00Z]");
    assertEquals(
        "1400 execution of 'system.fromjson[text]' failed: Could not decode JSON string at"
            + " character 0, no value: x",
        asking.refusal("UPDATE f SET ts = fromJson('x') WHERE p = 1"));
    assertEquals(
        "2200 fromjson() cannot be used in the selection clause of a SELECT statement",
        asking.refusal("SELECT fromJson('1') FROM f"));
  }
}
