package io.widerow.cql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.plan.Prepared;
import io.widerow.cql.plan.StatementExecution;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.WireCodec;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: conditions are evaluated or refused also in tables of the server, in materialized views,
/// and with values that are null or unset. Method: each operator on each column; the result is
/// compared with all rows, filtered by the meaning of the operator.
class ConditionPlacesTest extends LanguageTest {
  /// A condition and what it means for the text of a column; null for one without a meaning here.
  private record Meaning(String text, @Nullable Predicate<String> test) {}

  private static List<Meaning> meanings(String column, String value, boolean isText) {
    String written = isText ? "'" + value + "'" : value;
    return List.of(
        new Meaning("%s = %s".formatted(column, written), value::equals),
        new Meaning("%s IN (%s)".formatted(column, written), value::equals),
        new Meaning("%s IN ()".formatted(column), _ -> false),
        new Meaning("%s != %s".formatted(column, written), each -> !value.equals(each)),
        new Meaning("%s < %s".formatted(column, written), each -> order(each, value, isText) < 0),
        new Meaning("%s <= %s".formatted(column, written), each -> order(each, value, isText) <= 0),
        new Meaning("%s > %s".formatted(column, written), each -> order(each, value, isText) > 0),
        new Meaning("%s >= %s".formatted(column, written), each -> order(each, value, isText) >= 0),
        new Meaning("%s CONTAINS %s".formatted(column, written), null),
        new Meaning("%s CONTAINS KEY %s".formatted(column, written), null),
        new Meaning("%s LIKE 'a%%'".formatted(column), each -> each.startsWith("a")),
        new Meaning("%s IS NOT NULL".formatted(column), each -> !each.equals("null")),
        new Meaning("%s[1] = %s".formatted(column, written), null),
        new Meaning("%s.x = %s".formatted(column, written), null),
        new Meaning("%s = null".formatted(column), each -> each.equals("null")),
        new Meaning("(%s) = (%s)".formatted(column, written), value::equals),
        new Meaning(
            "(%s) > (%s)".formatted(column, written), each -> order(each, value, isText) > 0),
        new Meaning("token(%s) > 5".formatted(column), null));
  }

  private static int order(String one, String other, boolean isText) {
    return isText || one.equals("null")
        ? one.compareTo(other)
        : Long.compare(Long.parseLong(one), Long.parseLong(other));
  }

  /// The rows of a query in any order; null when it is refused.
  private @Nullable List<List<String>> answered(String statement) {
    try {
      return asking.cells(statement).stream().sorted((a, b) -> ("" + a).compareTo("" + b)).toList();
    } catch (CqlException refused) {
      int code = refused.code().number;
      assertTrue(code == 0x2200 || code == 0x2000, statement + ": " + refused);
      return null;
    }
  }

  private void assertEvaluatedOrRefused(String table, List<String> names, boolean[] texts) {
    String selection = String.join(", ", names);
    List<List<String>> all = asking.cells("SELECT " + selection + " FROM " + table);
    assertTrue(all.size() > 0, table);
    int evaluated = 0;
    for (int i = 0; i < names.size(); i++) {
      int place = i;
      String value = all.get(all.size() / 2).get(i);
      for (Meaning meaning : meanings(names.get(i), value, texts[i])) {
        String statement =
            "SELECT %s FROM %s WHERE %s ALLOW FILTERING".formatted(selection, table, meaning.text);
        List<List<String>> given = answered(statement);
        if (given != null) {
          Predicate<String> test = meaning.test;
          assertTrue(test != null, statement + " has no meaning");
          assertEquals(
              all.stream()
                  .filter(row -> !row.get(place).equals("null") && test.test(row.get(place)))
                  .sorted((a, b) -> ("" + a).compareTo("" + b))
                  .toList(),
              given,
              statement);
          evaluated++;
        }
      }
    }
    assertTrue(evaluated >= names.size(), table);
  }

  @Test
  void tablesOfTheServer() {
    run(
        "CREATE TABLE abc (p int, a text, v int, PRIMARY KEY (p, a))",
        "CREATE TABLE bcd (p int PRIMARY KEY, v int)",
        "INSERT INTO abc (p, a, v) VALUES (1, 'x', 1)",
        "INSERT INTO bcd (p, v) VALUES (1, 1)");
    assertEvaluatedOrRefused(
        "system_schema.columns",
        List.of("keyspace_name", "table_name", "column_name", "kind", "position", "type"),
        new boolean[] {true, true, true, true, false, true});
    assertEvaluatedOrRefused(
        "system_virtual_schema.tables",
        List.of("keyspace_name", "table_name", "comment"),
        new boolean[] {true, true, true});
    assertEvaluatedOrRefused(
        "widerow.table_sizes",
        List.of("keyspace_name", "table_name", "n_v", "partition_key", "n_r", "n_c"),
        new boolean[] {true, true, false, true, false, false});
  }

  @Test
  void conditionsOfViews() {
    run("CREATE TABLE t (p int, c text, b frozen<map<int, int>>, v int, PRIMARY KEY (p, c, b))");
    int views = 0;
    List<String> conditions = new ArrayList<>();
    for (String column : List.of("p", "c", "b", "v")) {
      boolean isText = column.equals("c");
      String value = isText ? "ab" : column.equals("b") ? "{1: 2}" : "2";
      meanings(column, value, isText).forEach(each -> conditions.add(each.text));
    }
    conditions.addAll(
        List.of(
            "b CONTAINS 2",
            "b CONTAINS KEY 1",
            "b[1] IS NOT NULL",
            "(c, b) IN (('b', {1: 1}), ('ab', {1: 2}))",
            "(c, b) IN (('ab', {1: 2}))",
            "p IN (1, 2)",
            "c IN ?"));
    for (String condition : conditions) {
      String name = "w" + views;
      String statement =
          ("CREATE MATERIALIZED VIEW %s AS SELECT * FROM t WHERE p IS NOT NULL"
                  + " AND c IS NOT NULL AND b IS NOT NULL AND %s PRIMARY KEY (c, p, b)")
              .formatted(name, condition);
      try {
        run(statement);
      } catch (CqlException refused) {
        int wanted = condition.contains(".x ") ? 0x2000 : 0x2200; // no grammar has fields there
        assertEquals(wanted, refused.code().number, statement);
        continue;
      }
      views++;
      run("DROP MATERIALIZED VIEW " + name, statement); // to be filled again
      for (String row : List.of("1, 'ab', {1: 2}, 2", "2, 'b', {1: 1}, 1", "2, 'ab', {3: 2}, 5")) {
        run("INSERT INTO t (p, c, b, v) VALUES (" + row + ")");
      }
      String shown = "SELECT p, c, b, v FROM ";
      List<List<String>> wanted =
          condition.endsWith("IS NOT NULL")
              ? asking.cells(shown + "t")
              : asking.cells(shown + "t WHERE " + single(condition) + " ALLOW FILTERING");
      assertEquals(
          wanted.stream().map(List::toString).sorted().toList(),
          asking.cells(shown + name).stream().map(List::toString).sorted().toList(),
          statement);
      run("DROP MATERIALIZED VIEW " + name, "TRUNCATE t");
    }
    assertTrue(views >= 12, views + " views");
  }

  /// A range of one column without its parentheses, with which rows are not tried.
  private static String single(String condition) {
    return condition.replaceAll("^\\((\\w)\\) > \\((.*)\\)$", "$1 > $2");
  }

  private void execute(String statement, @Nullable ByteBuffer... values) {
    Prepared prepared = asking.prepare(statement);
    InetSocketAddress local = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9042);
    prepared.execute(
        new StatementExecution(
            Arrays.asList(values), 0, null, new RequestPrincipal(local, _ -> {}, _ -> {})));
  }

  @Test
  void timesThatAreNullOrUnset() {
    run("CREATE TABLE t (p int PRIMARY KEY, v int) WITH default_time_to_live = 100");
    ByteBuffer none = null;
    ByteBuffer empty = ByteBuffer.allocate(0);
    ByteBuffer ten = WireCodec.encode(NativeType.INT, 10);
    String insert = "INSERT INTO t (p, v) VALUES (%d, 1) USING TTL ?";
    execute(insert.formatted(1), none);
    execute(insert.formatted(2), empty);
    execute(insert.formatted(3), StatementExecution.UNSET);
    execute(insert.formatted(4), ten);
    execute("UPDATE t USING TTL ? SET v = 1 WHERE p = 5", none);
    execute("UPDATE t USING TTL ? SET v = 1 WHERE p = 6", StatementExecution.UNSET);
    execute("INSERT INTO t JSON '{\"p\": 7, \"v\": 1}' USING TTL ?", none);
    execute("BEGIN BATCH INSERT INTO t (p, v) VALUES (8, 1) USING TTL ?; APPLY BATCH", none);
    List<String> wanted = List.of("null", "null", "100", "10", "null", "100", "null", "null");
    for (int p = 1; p <= wanted.size(); p++) {
      assertEquals(
          List.of("[" + wanted.get(p - 1) + "]"),
          asking.rows("SELECT ttl(v) FROM t WHERE p = " + p));
    }
    for (String statement :
        List.of(
            "INSERT INTO t (p, v) VALUES (9, 1) USING TIMESTAMP ?",
            "UPDATE t USING TIMESTAMP ? SET v = 1 WHERE p = 9",
            "DELETE FROM t USING TIMESTAMP ? WHERE p = 1",
            "BEGIN BATCH USING TIMESTAMP ? INSERT INTO t (p, v) VALUES (9, 1); APPLY BATCH",
            "SELECT p FROM t LIMIT ?",
            "SELECT p FROM t PER PARTITION LIMIT ?")) {
      CqlException refused =
          assertThrows(CqlException.class, () -> execute(statement, none), statement);
      assertTrue(refused.sentence().startsWith("Invalid null value of "), statement);
      execute(statement, StatementExecution.UNSET);
    }
  }

  @Test
  void partitionsOfStaticsAloneOnPages() {
    run("CREATE TABLE t (p int, c int, s int static, PRIMARY KEY (p, c))");
    for (int p = 1; p <= 9; p++) {
      run("INSERT INTO t (p, s) VALUES (%d, %d)".formatted(p, p));
      if (p % 3 == 0) {
        run(
            "INSERT INTO t (p, c) VALUES (%d, 1)".formatted(p),
            "INSERT INTO t (p, c) VALUES (%d, 2)".formatted(p));
      }
    }
    String in = " WHERE p IN (1, 2, 3, 4, 5, 6, 7, 8, 9)";
    for (String statement :
        List.of(
            "SELECT p, c, s FROM t",
            "SELECT p, c, s FROM t" + in,
            "SELECT p, c, s FROM t" + in + " ORDER BY c ASC",
            "SELECT p, c, s FROM t" + in + " ORDER BY c DESC",
            "SELECT p, c FROM t" + in + " ORDER BY c DESC PER PARTITION LIMIT 1",
            "SELECT DISTINCT p, s FROM t",
            "SELECT DISTINCT p, s FROM t" + in,
            "SELECT p, count(*) FROM t GROUP BY p",
            "SELECT DISTINCT p, count(*) FROM t GROUP BY p")) {
      List<String> all = asking.rows(statement);
      assertEquals(
          statement.contains(" c,") || statement.contains("GROUP BY p, c") ? 12 : 9,
          all.size(),
          statement);
      IntStream.rangeClosed(1, 13)
          .forEach(page -> assertEquals(all, asking.rows(statement, page), statement));
    }
    assertEquals(List.of("[9]"), asking.rows("SELECT DISTINCT count(p) FROM t" + in));
    assertEquals(List.of("[12]"), asking.rows("SELECT count(*) FROM t"));
  }
}
