package io.widerow.cql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Random statements on one table with materialized views, few keys and few timestamps, so that
/// much of it meets; and a recount of the views from the table.
///
/// - Threads: one.
final class ViewDriver extends DerivedDriver {
  private static final String TABLE =
      "CREATE TABLE k.t (p int, c int, v int, w text, s set<int>, m map<int, text>, z int static,"
          + " PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC)";

  private static final int VIEWS_MAX = 3;

  private final TreeMap<String, View> views = new TreeMap<>();
  private final List<String> numbers = new ArrayList<>(List.of("v"));

  /// A view: its statement, and the columns that a reader of both sides selects.
  ///
  /// @param columns of the view, in addition to the columns that its key needs
  /// @param required columns that its rows have
  /// @param key columns that have no time of their own in it
  /// @param where the conditions on the key of its rows; empty for none
  private record View(
      String statement,
      List<String> columns,
      List<String> required,
      List<String> key,
      String where) {
    View(String statement, List<String> columns, List<String> required, List<String> key) {
      this(statement, columns, required, key, "");
    }
  }

  ViewDriver(SplittableRandom random, long firstMicros) {
    super(random, firstMicros);
    views.put(
        "by_v",
        new View(
            "SELECT p, c, v, w, s, m FROM t WHERE v IS NOT NULL AND p IS NOT NULL AND c IS NOT NULL"
                + " PRIMARY KEY (v, p, c)",
            List.of("p", "c", "v", "w", "s", "m"),
            List.of("v"),
            List.of("p", "c", "v")));
    views.put(
        "by_c",
        new View(
            "SELECT p, c, s FROM t WHERE p IS NOT NULL AND c IS NOT NULL PRIMARY KEY (c, p)",
            List.of("p", "c", "s"),
            List.of(),
            List.of("p", "c")));
    views.put(
        "by_w",
        new View(
            "SELECT c, w, p, v FROM t WHERE w IS NOT NULL AND p IS NOT NULL AND c IS NOT NULL"
                + " PRIMARY KEY ((p, w), c) WITH CLUSTERING ORDER BY (c ASC)",
            List.of("p", "c", "w", "v"),
            List.of("w"),
            List.of("p", "c", "w")));
    views.put(
        "with_m",
        new View(
            "SELECT p, c, v FROM t WHERE m IS NOT NULL AND p IS NOT NULL AND c IS NOT NULL"
                + " PRIMARY KEY (p, c)",
            List.of("p", "c", "v"),
            List.of("m"),
            List.of("p", "c")));
    views.put(
        "some_c",
        new View(
            "SELECT p, c, v, s FROM t WHERE p IS NOT NULL AND c > 0 AND c <= 2 PRIMARY KEY (c, p)",
            List.of("p", "c", "v", "s"),
            List.of(),
            List.of("p", "c"),
            "c > 0 AND c <= 2"));
    views.put(
        "some_v",
        new View(
            "SELECT p, c, v, w FROM t WHERE v IS NOT NULL AND p = 1 AND c IN (0, 2, 3)"
                + " PRIMARY KEY (v, c, p)",
            List.of("p", "c", "v", "w"),
            List.of("v"),
            List.of("p", "c", "v"),
            "p = 1 AND c IN (0, 2, 3)"));
  }

  @Override
  String table() {
    return TABLE;
  }

  @Override
  String definition(List<String> there) {
    if (random.nextInt(6) == 0 && numbers.size() < 3) {
      numbers.add("n" + numbers.size());
      return "ALTER TABLE t ADD " + numbers.getLast() + " int";
    }
    List<String> names = there.size() < VIEWS_MAX ? List.copyOf(views.keySet()) : there;
    String name = names.get(random.nextInt(names.size()));
    View view = Objects.requireNonNull(views.get(name));
    return there.contains(name)
        ? "DROP MATERIALIZED VIEW " + name
        : "CREATE MATERIALIZED VIEW " + name + " AS " + view.statement;
  }

  @Override
  String change() {
    int kind = random.nextInt(12);
    if (kind == 0) {
      return batch();
    }
    if (kind == 1) {
      return random.nextBoolean()
          ? "INSERT INTO t (p, c, v) VALUES (%d, %d, %d) IF NOT EXISTS"
              .formatted(random.nextInt(2), random.nextInt(4), random.nextInt(3))
          : "UPDATE t SET v = %d %s IF v = %d"
              .formatted(random.nextInt(3), row(), random.nextInt(3));
    }
    return random.nextInt(200) == 0 ? "TRUNCATE t" : simple();
  }

  @Override
  String simple() {
    return switch (random.nextInt(10)) {
      case 0 -> "DELETE FROM t" + time() + row();
      case 1 -> "DELETE " + pick("v", "w", "s", "m[1]", "m") + " FROM t" + time() + row();
      case 2 ->
          "DELETE FROM t%s WHERE p = %d%s"
              .formatted(
                  time(), random.nextInt(2), pick("", " AND c > 1", " AND c <= 2", " AND c < 9"));
      case 3, 4, 5 ->
          "INSERT INTO t (p, c, %s) VALUES (%d, %d, %s)%s"
              .formatted(
                  "v, w, s",
                  random.nextInt(2),
                  random.nextInt(4),
                  "%s, %s, %s".formatted(number(), text(), pick("{1}", "{1, 2}", "{}", "null")),
                  using());
      default -> "UPDATE t" + using() + " SET " + assignment() + row();
    };
  }

  private String assignment() {
    return switch (random.nextInt(8)) {
      case 0 -> "w = " + text();
      case 1 -> "s = s + {%d}".formatted(random.nextInt(3));
      case 2 -> "s = s - {%d}".formatted(random.nextInt(3));
      case 3 -> "m[%d] = %s".formatted(random.nextInt(2), text());
      case 4 -> "m = " + pick("{1: 'a'}", "{}", "null");
      default -> numbers.get(random.nextInt(numbers.size())) + " = " + number();
    };
  }

  private String row() {
    return " WHERE p = %d AND c = %d".formatted(random.nextInt(2), random.nextInt(4));
  }

  @Override
  List<String> there(Asking asking) {
    return names(asking, "SELECT view_name FROM system_schema.views WHERE keyspace_name = 'k'");
  }

  @Override
  int compare(TableServer server) {
    Asking asking = server.asking("k");
    int compared = 0;
    for (String view : there(asking)) {
      List<String> rows = rows(asking, view, true);
      assertEquals(rows, rows(asking, view, false), view);
      compared += rows.size();
    }
    return compared;
  }

  /// The rows that a view has, or should have: a line a row, sorted.
  ///
  /// @param counted whether it is counted from the table
  private List<String> rows(Asking asking, String name, boolean counted) {
    View view = Objects.requireNonNull(views.get(name));
    List<String> shown = new ArrayList<>(view.columns);
    for (String column : view.columns) {
      if (List.of("v", "w").contains(column) && !view.key.contains(column)) {
        shown.add("writetime(%s)".formatted(column));
        shown.add("ttl(%s)".formatted(column));
      }
    }
    if (!counted) {
      return sorted(asking.cells("SELECT %s FROM %s".formatted(String.join(", ", shown), name)));
    }
    int columns = shown.size();
    shown.addAll(view.required);
    shown.add("c"); // null for a partition that has static columns alone
    List<List<String>> rows = new ArrayList<>();
    String from = view.where.isEmpty() ? "t" : "t WHERE " + view.where + " ALLOW FILTERING";
    String question = "SELECT %s FROM %s".formatted(String.join(", ", shown), from);
    for (List<String> row : asking.cells(question)) {
      if (!row.subList(columns, row.size()).contains("null")) {
        rows.add(row.subList(0, columns));
      }
    }
    return sorted(rows);
  }

  private static List<String> sorted(List<List<String>> rows) {
    return rows.stream().map(Object::toString).sorted().collect(Collectors.toList());
  }
}
