package io.widerow.cql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.cql.plan.Prepared;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: elements and slices of collections, the times of their cells, `floor` and `fromJson` as
/// Cassandra 5.0.9 has them. Method: statements and its answers, over the model of the store of
/// tables.
class PartsAndTimesTest extends LanguageTest {
  @BeforeEach
  void makesATable() {
    run(
        "CREATE TYPE u (x int, y text, z int)",
        "CREATE TABLE t (p int, c int, v int, l list<int>, s set<int>, m map<text, int>,"
            + " fs frozen<set<int>>, fm frozen<map<text, int>>, n u, fn frozen<u>,"
            + " mm map<text, frozen<map<int, int>>>, sd set<decimal>,"
            + " PRIMARY KEY (p, c))",
        "INSERT INTO t (p, c, v, l, s, m, fs, fm, n, fn, mm, sd) VALUES (1, 1, 5, [1, 2, 3],"
            + " {1, 2, 3, 4}, {'a': 1, 'b': 2, 'c': 3}, {1, 2, 3}, {'a': 1, 'b': 2},"
            + " {x: 1, z: 3}, {x: 1, y: 'q'}, {'k': {1: 2, 3: 4}}, {1.0, 2.50})"
            + " USING TIMESTAMP 100",
        "INSERT INTO t (p, c) VALUES (1, 2)",
        "UPDATE t USING TIMESTAMP 200 AND TTL 1000 SET s = s + {9}, m['b'] = 7, l = l + [9],"
            + " n.y = 'w' WHERE p = 1 AND c = 1");
  }

  private void assertRow(String selected, String row) {
    String statement = "SELECT %s FROM t WHERE p = 1 AND c = 1".formatted(selected);
    assertEquals(List.of(row), asking.rows(statement), statement);
  }

  private void assertPartRefused(String selected, String refusal) {
    String statement = "SELECT %s FROM t WHERE p = 1".formatted(selected);
    assertEquals(refusal, asking.refusal(statement), statement);
  }

  /// Its text would have two thousand million digits.
  @Test
  void aDecimalOfAnyExponentIsRefused() {
    assertPartRefused(
        "blob_as_decimal(0x8000000101)",
        "2200 In call to function system.blob_as_decimal, value 0x8000000101 is not a valid binary"
            + " representation for type decimal");
    assertRow("blob_as_decimal(0x0000000201)", "[0.01]");
  }

  @Test
  void elementsAndSlices() {
    assertRow("s[2..3], s[2..], s[..2], s[2], s[7]", "[[2, 3], [2, 3, 4, 9], [1, 2], 2, null]");
    assertRow("s[7..8], s[3..1], fs[2..3], fs[7..]", "[null, null, [2, 3], []]");
    assertRow("m['a'..'b'], m['b'..], m[..'a']", "[{a=1, b=7}, {b=7, c=3}, {a=1}]");
    assertRow("m['x'], m['x'..], fm['x'..], fm['a']", "[null, null, {}, 1]");
    assertRow("mm['k'][1], mm['k'][1..1], mm['k'][9..], mm['x'][1]", "[2, {1=2}, {}, null]");
    assertRow("sd[1], sd[1.00..2], m['a'] + 1", "[1.0, [1.0], 2]");
    assertEquals(
        List.of("[1, 2, 1]"),
        asking.rows("SELECT count(s[1]), max(m['a']) + 1, count(s[..2]) FROM t"));
    Prepared prepared = asking.prepare("SELECT s[?..4], m[..'a'] FROM t WHERE p = 1 AND c = 1");
    assertEquals(
        List.of("s[?..4]", "m[..'a']"),
        prepared.columns().stream().map(each -> each.name()).toList());
    ByteBuffer three = WireCodec.encode(NativeType.INT, 3);
    assertEquals(
        List.of("[[3, 4], {a=1}]"),
        Asking.texts(Asking.execute(prepared, List.of(three), 0, null)));
    assertPartRefused(
        "l[0]", "2200 Element selection is only allowed on sets and maps, but l is a list");
    assertPartRefused(
        "l[..1]", "2200 Slice selection is only allowed on sets and maps, but l is a list");
    assertPartRefused(
        "v[0]", "2200 Invalid element selection: v is of type int is not a collection");
    assertPartRefused("s[null]", "2200 Invalid null value for element selection on s");
    assertPartRefused("s[null..]", "2200 Invalid null value for slice selection on s");
    assertPartRefused("s[..]", "2000 line 1:11 expected an expression, got ']'");
  }

  @Test
  void timesOfCells() {
    assertRow("writetime(v), ttl(v), maxwritetime(v)", "[100, null, 100]");
    assertRow("writetime(l), writetime(s)", "[[100, 100, 100, 200], [100, 100, 100, 100, 200]]");
    assertRow("writetime(m), maxwritetime(m)", "[[100, 200, 100], 200]");
    assertRow("writetime(n), maxwritetime(n)", "[[100, 200, 100], 200]");
    assertRow("writetime(fs), writetime(fm), writetime(fn)", "[100, 100, 100]");
    assertRow(
        "writetime(m['a']), writetime(m['x']), writetime(m['a'..'b'])", "[100, null, [100, 200]]");
    assertRow(
        "writetime(m['x'..]), maxwritetime(m[..'b']), writetime(s[2..3])",
        "[null, 200, [100, 100]]");
    assertRow(
        "writetime(n.x), writetime(n.y), writetime(fn.x), writetime(fn.z)",
        "[100, 200, 100, null]");
    assertRow("writetime(fs[1]), writetime(fs[9]), writetime(fs[1..2])", "[100, null, 100]");
    assertRow("writetime(mm['k'][1]), writetime(mm['k'][9])", "[100, null]");
    server.pass(Duration.ofSeconds(10));
    assertRow("ttl(m['b']), ttl(n.y), ttl(s[9]), ttl(s[9..])", "[990, 990, 990, [990]]");
    assertRow("toJson(ttl(m)), toJson(ttl(n))", "[[null, 990, null], [null, 990, null]]");
    assertEquals(
        List.of("[1, [100, 200, 100], 200, 2]"),
        asking.rows(
            "SELECT p, writetime(m), CAST(writetime(m['b']) AS int), count(*) FROM t GROUP BY p"));
    assertEquals(
        List.of("[200, 1]"), asking.rows("SELECT max(writetime(m['b'])), count(ttl(s)) FROM t"));
    assertEquals(
        List.of("writetime(m['a'..])", "ttl(v)", "system.max(maxwritetime(l))"),
        asking
            .prepare("SELECT writetime(m['a'..]), ttl(v), max(maxwritetime(l)) FROM t")
            .columns()
            .stream()
            .map(each -> each.name())
            .toList());
    assertPartRefused(
        "writetime(c)", "2200 Cannot use selection function writetime on PRIMARY KEY part c");
    assertPartRefused("writetime(1)", "2000 the argument of writetime is a column");
  }

  @Test
  void nullLeavesElementsOfTheSameTime() {
    String row = " WHERE p = 2 AND c = 1";
    run(
        "INSERT INTO t (p, c, s, n) VALUES (2, 1, null, null) USING TIMESTAMP 30",
        "UPDATE t USING TIMESTAMP 30 SET s = s + {1}, n.x = 1" + row);
    assertEquals(List.of("[[1], 1]"), asking.rows("SELECT s, n.x FROM t" + row));
    run("DELETE s, n FROM t USING TIMESTAMP 30" + row);
    assertEquals(List.of("[null, null]"), asking.rows("SELECT s, n.x FROM t" + row));
  }
}
