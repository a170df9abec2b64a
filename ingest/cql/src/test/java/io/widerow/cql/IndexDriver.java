package io.widerow.cql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/// For tests: random statements for a table with indexes, and the rows that a query by each index
/// should have, counted from all rows of the table.
final class IndexDriver extends DerivedDriver {
  static final String COLUMNS = "p, q, c, v, w, s, m, l, f, st";

  private static final String TABLE =
      "CREATE TABLE t (p int, q int, c int, v int, w text, s set<int>, m map<int, text>,"
          + " l list<int>, f frozen<set<int>>, st int static, PRIMARY KEY ((p, q), c))";
  private static final int INDEXES_MAX = 5;

  private final Map<String, Index> indexes = new LinkedHashMap<>();

  /// An index, and queries that it serves.
  ///
  /// @param of the column, or the part of it, that is indexed
  private record Index(String of, List<Query> queries) {}

  /// A query by an index.
  ///
  /// @param meets the condition for a row whose cells are texts
  private record Query(String condition, Predicate<Cells> meets) {}

  /// The cells of a row as texts.
  private record Cells(Map<String, String> texts) {
    String get(String column) {
      return Objects.requireNonNull(texts.get(column));
    }
  }

  IndexDriver(SplittableRandom random, long firstMicros) {
    super(random, firstMicros);
    add("v", equal("v", "1"), equal("v", "2"));
    add("w", equal("w", "'a'"));
    add("c", equal("c", "1"));
    add("p", equal("p", "0"));
    add("st", equal("st", "1"));
    add("s", query("s CONTAINS 1", row -> row.get("s").matches(".*\\b1\\b.*")));
    add("l", query("l CONTAINS 2", row -> row.get("l").matches(".*\\b2\\b.*")));
    add("values(m)", query("m CONTAINS 'a'", row -> row.get("m").contains("=a")));
    add("keys(m)", query("m CONTAINS KEY 1", row -> row.get("m").contains("1=")));
    add("entries(m)", query("m[1] = 'a'", row -> row.get("m").contains("1=a")));
    add("full(f)", query("f = {1}", row -> row.get("f").equals("[1]")));
    Query range =
        query("v > 0 AND v <= 2", row -> row.get("v").equals("1") || row.get("v").equals("2"));
    Query least = query("v < 1", row -> row.get("v").equals("0"));
    indexes.put("sai_v", new Index("v) USING 'sai", List.of(equal("v", "0"), range, least)));
    Query both =
        query("v >= 1 AND st = 1", row -> number(row, "v") >= 1 && row.get("st").equals("1"));
    indexes.put("sai_st", new Index("st) USING 'sai", List.of(both)));
  }

  private void add(String of, Query... queries) {
    indexes.put("i_" + of.replaceAll("\\W", ""), new Index(of, List.of(queries)));
  }

  private static int number(Cells row, String column) {
    return row.get(column).equals("null") ? -1 : Integer.parseInt(row.get(column));
  }

  private static Query query(String condition, Predicate<Cells> meets) {
    return new Query(condition, meets);
  }

  private static Query equal(String column, String value) {
    String shown = value.replace("'", "");
    return query(column + " = " + value, row -> row.get(column).equals(shown));
  }

  @Override
  String table() {
    return TABLE;
  }

  @Override
  String definition(List<String> there) {
    List<String> names = there.size() < INDEXES_MAX ? List.copyOf(indexes.keySet()) : there;
    String name = names.get(random.nextInt(names.size()));
    String of = Objects.requireNonNull(indexes.get(name)).of;
    String target = of.contains("USING") ? of + "'" : of + ")";
    return there.contains(name)
        ? "DROP INDEX " + name
        : "CREATE INDEX %s ON t (%s".formatted(name, target);
  }

  @Override
  String change() {
    return switch (random.nextInt(24)) {
      case 0, 1 -> batch();
      case 2 ->
          "INSERT INTO t (p, q, c, v) VALUES (%d, 0, %d, %d) IF NOT EXISTS"
              .formatted(random.nextInt(2), random.nextInt(4), random.nextInt(3));
      case 3 -> "UPDATE t SET v = %s%s IF v = %d".formatted(number(), row(), random.nextInt(3));
      case 4 -> "UPDATE t SET st = %s%s IF st = 1".formatted(number(), partition());
      default -> random.nextInt(200) == 0 ? "TRUNCATE t" : simple();
    };
  }

  @Override
  String simple() {
    return switch (random.nextInt(12)) {
      case 0 -> "DELETE FROM t" + time() + row();
      case 1 -> "DELETE " + pick("v", "w", "s", "m[1]", "m", "l", "f") + " FROM t" + time() + row();
      case 2 ->
          "DELETE FROM t"
              + time()
              + partition()
              + pick("", " AND c > 1", " AND c <= 2", " AND c < 9");
      case 3 -> "DELETE st FROM t" + time() + partition();
      case 4 -> "UPDATE t" + using() + " SET st = " + number() + partition();
      case 5, 6, 7 ->
          "INSERT INTO t (p, q, c, v, w, s) VALUES (%d, %d, %d, %s, %s, %s)%s"
              .formatted(
                  random.nextInt(2),
                  random.nextInt(2),
                  random.nextInt(4),
                  number(),
                  text(),
                  pick("{1}", "{1, 2}", "{}", "null"),
                  using());
      default -> "UPDATE t" + using() + " SET " + assignment() + row();
    };
  }

  private String assignment() {
    return switch (random.nextInt(11)) {
      case 0 -> "w = " + text();
      case 1 -> "s = s + {%d}".formatted(random.nextInt(3));
      case 2 -> "s = s - {%d}".formatted(random.nextInt(3));
      case 3 -> "m[%d] = %s".formatted(random.nextInt(2), text());
      case 4 -> "m = " + pick("{1: 'a'}", "{1: 'b', 0: 'a'}", "{}", "null");
      case 5 -> "l = l + [2, 2]";
      case 6 -> "l = " + pick("[1, 2]", "[2]", "[]", "l - [2]");
      case 7 -> "f = " + pick("{1}", "{1, 2}", "null");
      default -> "v = " + number();
    };
  }

  private String partition() {
    return " WHERE p = %d AND q = %d".formatted(random.nextInt(2), random.nextInt(2));
  }

  private String row() {
    return partition() + " AND c = " + random.nextInt(4);
  }

  @Override
  List<String> there(Asking asking) {
    return names(asking, "SELECT index_name FROM system_schema.indexes WHERE keyspace_name = 'k'");
  }

  @Override
  int compare(TableServer server) {
    Asking asking = server.asking("k");
    assertEquals(List.of(), server.faultsOfIndexes());
    int[] compared = new int[1];
    expected(asking, there(asking))
        .forEach((query, rows) -> {
          assertEquals(rows, asking.rows(query), query);
          assertEquals(rows, asking.rows(query, 1 + rows.size() % 3), query + " in pages");
          compared[0] += rows.size();
        });
    return compared[0];
  }

  /// The queries that indexes serve, with the rows that each should have.
  private Map<String, List<String>> expected(Asking asking, List<String> there) {
    List<List<String>> rows = asking.cells("SELECT " + COLUMNS + " FROM t");
    Map<String, List<String>> expected = new LinkedHashMap<>();
    for (String name : there) {
      for (Query query : Objects.requireNonNull(indexes.get(name)).queries) {
        if (query.condition.contains("AND st") && !there.contains("sai_v")) {
          continue;
        }
        List<String> met = new ArrayList<>();
        for (List<String> row : rows) {
          if (query.meets.test(named(row))) {
            met.add(row.toString());
          }
        }
        expected.put("SELECT " + COLUMNS + " FROM t WHERE " + query.condition, met);
      }
    }
    return expected;
  }

  private static Cells named(List<String> row) {
    String[] columns = COLUMNS.split(", ", -1);
    Map<String, String> named = new LinkedHashMap<>();
    for (int i = 0; i < columns.length; i++) {
      named.put(columns[i], row.get(i));
    }
    return new Cells(named);
  }
}
