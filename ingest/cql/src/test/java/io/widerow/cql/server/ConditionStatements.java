package io.widerow.cql.server;

import io.widerow.cql.server.CqlAnswers.Step;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// For tests: statements with each operator on each kind of column, in each place of each kind of
/// statement. Every change begins with the same rows and ends with reading all of them.
final class ConditionStatements {
  private static final String KEYSPACE = "conditions";

  /// Changes name no other columns than those of keys, so that a few operators do for the others.
  private static final int CHANGES_LENGTH_MAX = 6;

  /// A statement, with what goes before it and the question after it when it is a change.
  ///
  /// @param before statements whose answers do not matter
  /// @param after null for none
  record Case(List<String> before, Step step, String after) {
    static Case of(String statement) {
      return new Case(List.of(), new Step(statement, 100), "");
    }
  }

  /// What a column is for.
  private enum Role {
    PARTITION,
    CLUSTERING,
    STATIC,
    VALUE
  }

  /// @param value that a row has
  /// @param less than that
  /// @param greater than that
  /// @param element of the value, when it is a collection
  private record Column(
      String name,
      String type,
      Role role,
      String value,
      String less,
      String greater,
      String element) {
    boolean isKey() {
      return role == Role.PARTITION || role == Role.CLUSTERING;
    }
  }

  /// @param order of the clustering columns
  private record Shape(String name, List<Column> columns, String order) {
    List<Column> of(Role role) {
      return columns.stream().filter(column -> column.role == role).toList();
    }

    String equal(Role role, @Nullable Column but) {
      List<String> all = new ArrayList<>();
      for (Column column : of(role)) {
        if (!column.equals(but)) {
          all.add(column.name + " = " + column.value);
        }
      }
      return String.join(" AND ", all);
    }
  }

  private static Column column(
      Role role, String name, String type, String less, String value, String greater) {
    return new Column(name, type, role, value, less, greater, "1");
  }

  private static final List<Shape> SHAPES =
      List.of(
          new Shape(
              "wide",
              List.of(
                  column(Role.PARTITION, "p", "int", "0", "1", "2"),
                  column(Role.PARTITION, "q", "text", "'a'", "'b'", "'c'"),
                  column(Role.CLUSTERING, "a", "int", "0", "1", "2"),
                  column(Role.CLUSTERING, "b", "frozen<set<int>>", "{0}", "{1}", "{1, 2}"),
                  column(Role.CLUSTERING, "c", "text", "'a'", "'b'", "'c'"),
                  column(Role.STATIC, "s", "int", "0", "1", "2"),
                  column(Role.STATIC, "sm", "map<int, int>", "{1: 0}", "{1: 1}", "{1: 2}"),
                  column(Role.VALUE, "v", "int", "0", "1", "2"),
                  column(Role.VALUE, "x", "text", "'a'", "'b'", "'c'"),
                  column(Role.VALUE, "l", "list<int>", "[0]", "[1]", "[2]"),
                  column(Role.VALUE, "e", "set<int>", "{0}", "{1}", "{2}"),
                  column(Role.VALUE, "m", "map<int, int>", "{1: 0}", "{1: 1}", "{1: 2}"),
                  column(Role.VALUE, "fl", "frozen<list<int>>", "[0]", "[1]", "[2]"),
                  column(Role.VALUE, "fm", "frozen<map<int, int>>", "{1: 0}", "{1: 1}", "{1: 2}"),
                  column(Role.VALUE, "u", "pair", "{x: 0}", "{x: 1}", "{x: 2}"),
                  column(Role.VALUE, "fu", "frozen<pair>", "{x: 0}", "{x: 1}", "{x: 2}"),
                  column(Role.VALUE, "t", "tuple<int, int>", "(0, 1)", "(1, 1)", "(2, 1)"),
                  column(Role.VALUE, "d", "duration", "1s", "2s", "3s")),
              "a DESC, b ASC, c DESC"),
          new Shape(
              "collections",
              List.of(
                  column(Role.PARTITION, "p", "frozen<list<int>>", "[0]", "[1]", "[2]"),
                  column(
                      Role.CLUSTERING, "b", "frozen<map<int, int>>", "{1: 0}", "{1: 1}", "{1: 2}"),
                  column(Role.VALUE, "v", "int", "0", "1", "2")),
              "b ASC"),
          new Shape(
              "parts",
              List.of(
                  column(Role.PARTITION, "p", "frozen<pair>", "{x: 0}", "{x: 1}", "{x: 2}"),
                  column(Role.CLUSTERING, "a", "frozen<pair>", "{x: 0}", "{x: 1}", "{x: 2}"),
                  column(Role.CLUSTERING, "b", "tuple<int, int>", "(0, 1)", "(1, 1)", "(2, 1)"),
                  column(Role.VALUE, "v", "int", "0", "1", "2")),
              "a DESC, b ASC"),
          new Shape(
              "flat",
              List.of(
                  column(Role.PARTITION, "p", "text", "'a'", "'b'", "'c'"),
                  column(Role.VALUE, "v", "int", "0", "1", "2")),
              ""));

  private static final List<String> OPERATORS =
      List.of(
          """
          c = V | c != V | c < V | c <= V | c > L | c >= V | c > L AND c < G |
          c IN (L, V) | c IN (V) | c IN () | c NOT IN (V) | c CONTAINS E |
          c CONTAINS 9 | c NOT CONTAINS E | c CONTAINS KEY E | c CONTAINS KEY 9 |
          c NOT CONTAINS KEY E | c LIKE 'b%' | c BETWEEN L AND V | c IS NOT NULL |
          c IS NULL | c[1] = 1 | c[1] = 2 | c[1] != 1 | c[1] > 0 | c[1] IN (1) |
          c[1] CONTAINS 1 | c[1] = null | c.x = 1 | c.x > 0 | c.x IN (1) | c = null |
          c > null | c IN (null) | c CONTAINS null | c CONTAINS KEY null |
          (c) = (V) | (c) != (V) | (c) > (L) | (c) IN ((V), (G)) | (c) CONTAINS (E) |
          (c) = (null) | token(c) > -9000000000000000000 | token(c) = token(V) |
          token(c) IN (1) | c = V AND c = V | c = V AND c > L | c > L AND c > L |
          c CONTAINS E AND c CONTAINS 2 | c CONTAINS E AND c = V | c = c
          """
              .strip()
              .split("\\s*\\|\\s*", -1));

  private final List<Case> all = new ArrayList<>();
  private long time = 1_000;

  private ConditionStatements() {}

  /// All of them, in a keyspace that they make.
  static List<Case> all() {
    ConditionStatements statements = new ConditionStatements();
    statements.make();
    for (Shape shape : SHAPES) {
      statements.table(shape);
      for (Column column : shape.columns) {
        for (String operator : OPERATORS) {
          String relation = relation(operator, column);
          statements.selects(shape, column, relation);
          if (column.isKey() || operator.length() < CHANGES_LENGTH_MAX) {
            statements.changes(shape, column, relation);
          }
          statements.tests(shape, column, relation);
        }
      }
    }
    statements.several();
    statements.counters();
    return statements.all;
  }

  private static String relation(String operator, Column column) {
    StringBuilder text = new StringBuilder();
    for (String word : operator.split("\\b", -1)) {
      text.append(
          switch (word) {
            case "c" -> column.name;
            case "V" -> column.value;
            case "L" -> column.less;
            case "G" -> column.greater;
            case "E" -> column.element;
            default -> word;
          });
    }
    return text.toString();
  }

  private void add(String... statements) {
    for (String statement : statements) {
      all.add(Case.of(statement));
    }
  }

  private void make() {
    add(
        "CREATE KEYSPACE %s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
            .formatted(KEYSPACE),
        "USE " + KEYSPACE,
        "CREATE TYPE pair (x int, y int)");
  }

  private void table(Shape shape) {
    List<String> parts = new ArrayList<>();
    for (Column column : shape.columns) {
      parts.add(column.name + " " + column.type + (column.role == Role.STATIC ? " static" : ""));
    }
    List<String> clustering = shape.of(Role.CLUSTERING).stream().map(Column::name).toList();
    String partition =
        String.join(", ", shape.of(Role.PARTITION).stream().map(Column::name).toList());
    parts.add(
        "PRIMARY KEY ((%s)%s%s)"
            .formatted(partition, clustering.isEmpty() ? "" : ", ", String.join(", ", clustering)));
    String order = clustering.isEmpty() ? "" : " WITH CLUSTERING ORDER BY (" + shape.order + ")";
    for (String name : List.of(shape.name, shape.name + "_changed")) {
      add("CREATE TABLE " + name + " (" + String.join(", ", parts) + ")" + order);
    }
    add(rows(shape, shape.name, time));
  }

  /// The statement after which a table has the same rows as ever: in two partitions a row with the
  /// value of each clustering column, and two for each of these that differ in it alone; and a
  /// partition with static columns only.
  private static String rows(Shape shape, String table, long time) {
    List<String> all = new ArrayList<>();
    all.add("BEGIN UNLOGGED BATCH");
    Column first = shape.columns.getFirst();
    all.add(
        "DELETE FROM %s USING TIMESTAMP %d WHERE %s;"
            .formatted(table, time - 1, partitions(shape)));
    for (String partition : List.of(first.value, first.greater)) {
      all.add(row(shape, table, time, first, partition, null, ""));
      for (Column column : shape.of(Role.CLUSTERING)) {
        all.add(row(shape, table, time, first, partition, column, column.less));
        all.add(row(shape, table, time, first, partition, column, column.greater));
      }
    }
    if (!shape.of(Role.STATIC).isEmpty()) {
      all.add(
          "UPDATE %s USING TIMESTAMP %d SET s = 1, sm = {1: 1} WHERE %s AND %s = %s;"
              .formatted(table, time, shape.equal(Role.PARTITION, first), first.name, first.less));
    }
    all.add("APPLY BATCH");
    return String.join(" ", all);
  }

  private static String row(
      Shape shape,
      String table,
      long time,
      Column first,
      String partition,
      @Nullable Column other,
      String value) {
    List<String> names = shape.columns.stream().map(Column::name).toList();
    List<String> values =
        shape.columns.stream()
            .map(each -> each.equals(first) ? partition : each.equals(other) ? value : each.value)
            .toList();
    return "INSERT INTO %s (%s) VALUES (%s) USING TIMESTAMP %d;"
        .formatted(table, String.join(", ", names), String.join(", ", values), time);
  }

  /// All partitions that [#rows] makes.
  private static String partitions(Shape shape) {
    Column first = shape.columns.getFirst();
    return and(
        "%s IN (%s, %s, %s)".formatted(first.name, first.less, first.value, first.greater),
        shape.equal(Role.PARTITION, first));
  }

  private static String and(String... conditions) {
    return String.join(
        " AND ", List.of(conditions).stream().filter(each -> !each.isEmpty()).toList());
  }

  private void changes(Shape shape, Column column, String relation) {
    String partition = shape.equal(Role.PARTITION, column);
    String clustering = shape.equal(Role.CLUSTERING, column);
    String changed = shape.name + "_changed";
    String whole = and(partition, clustering, relation);
    change(shape, "UPDATE %s%s SET v = 7 WHERE %s".formatted(changed, "%s", whole));
    change(shape, "DELETE FROM %s%s WHERE %s".formatted(changed, "%s", whole));
    if (!column.isKey()) {
      return;
    }
    change(shape, "DELETE v FROM %s%s WHERE %s".formatted(changed, "%s", whole));
    change(shape, "DELETE FROM %s%s WHERE %s".formatted(changed, "%s", and(partition, relation)));
    if (!shape.of(Role.STATIC).isEmpty()) {
      String some = and(partition, relation);
      change(shape, "UPDATE %s%s SET s = 7 WHERE %s".formatted(changed, "%s", some));
      change(shape, "DELETE s FROM %s%s WHERE %s".formatted(changed, "%s", some));
    }
    change(
        shape,
        "BEGIN BATCH%s UPDATE %s SET v = 7 WHERE %s; DELETE FROM %s WHERE %s; APPLY BATCH"
            .formatted(
                "%s",
                changed,
                and(shape.equal(Role.PARTITION, null), shape.equal(Role.CLUSTERING, null)),
                changed,
                whole));
  }

  private void selects(Shape shape, Column column, String relation) {
    String partition = shape.equal(Role.PARTITION, column);
    String clustering = shape.equal(Role.CLUSTERING, column);
    String shown = String.join(", ", shape.columns.stream().limit(6).map(Column::name).toList());
    List<String> places = new ArrayList<>(List.of(relation, and(partition, clustering, relation)));
    if (column.isKey()) {
      places.add(1, and(partition, relation));
    }
    for (String where : places) {
      for (String end : List.of("", " ALLOW FILTERING")) {
        add("SELECT %s FROM %s WHERE %s%s".formatted(shown, shape.name, where, end));
      }
    }
    String keys = String.join(", ", shape.of(Role.PARTITION).stream().map(Column::name).toList());
    if (column.role == Role.PARTITION || column.role == Role.STATIC) {
      add(
          "SELECT DISTINCT %s FROM %s WHERE %s ALLOW FILTERING"
              .formatted(keys, shape.name, relation));
    }
  }

  /// Conditions of IF, which see rows that only they change.
  private void tests(Shape shape, Column column, String relation) {
    if (!shape.name.equals("wide")) {
      return;
    }
    time++;
    String table = shape.name + "_changed";
    String other = "p = %d AND q = 'x'".formatted(time);
    String key = other + " AND a = 1 AND b = {1} AND c = 'b'";
    List<String> before =
        List.of(
            "INSERT INTO %s (p, q, a, b, c) VALUES (%d, 'x', 1, {1}, 'b')".formatted(table, time),
            "UPDATE %s SET %s WHERE %s"
                .formatted(
                    table,
                    String.join(
                        ", ",
                        shape.columns.stream()
                            .filter(each -> !each.isKey())
                            .map(each -> each.name + " = " + each.value)
                            .toList()),
                    key));
    String after = "SELECT * FROM %s WHERE %s".formatted(table, other);
    all.add(
        new Case(
            before,
            new Step("UPDATE %s SET v = 7 WHERE %s IF %s".formatted(table, key, relation), 100),
            after));
    if (column.role == Role.STATIC || column.isKey()) {
      all.add(
          new Case(
              List.of(),
              new Step("DELETE FROM %s WHERE %s IF %s".formatted(table, key, relation), 100),
              after));
      all.add(
          new Case(
              List.of(),
              new Step("UPDATE %s SET s = 7 WHERE %s IF %s".formatted(table, other, relation), 100),
              after));
    }
  }

  /// @param statement with a place for the time
  private void change(Shape shape, String statement) {
    time += 3;
    String table = shape.name + "_changed";
    String shown =
        String.join(
            ", ",
            shape.columns.stream()
                .map(Column::name)
                .filter(name -> "pqabcsv".contains(name))
                .toList());
    all.add(
        new Case(
            List.of(rows(shape, table, time)),
            new Step(statement.replace("%s", " USING TIMESTAMP " + (time + 1)), 100),
            "SELECT %s FROM %s WHERE %s".formatted(shown, table, partitions(shape))));
  }

  /// Conditions on several columns, in both directions of their order.
  private void several() {
    Shape wide = SHAPES.getFirst();
    for (String relation :
        List.of(
            "(a, b) > (1, {1})",
            "(a, b) >= (1, {1})",
            "(a, b) < (1, {1})",
            "(a, b) <= (1, {1})",
            "(a, b, c) > (1, {1}, 'b')",
            "(a, b, c) >= (1, {1}, 'b')",
            "(a, b, c) < (1, {1}, 'b')",
            "(a, b, c) <= (1, {1}, 'b')",
            "(a, b, c) > (1, {1}, 'b') AND (a, b, c) < (2, {1}, 'b')",
            "(a, b) >= (0, {1}) AND (a, b) < (2, {1})",
            "(a, b) >= (0, {1}) AND a < 2",
            "a > 0 AND (a, b) <= (2, {1})",
            "a = 1 AND (b, c) > ({1}, 'a')",
            "a = 1 AND (b, c) <= ({1}, 'a')",
            "a IN (0, 1) AND (b, c) < ({1}, 'c')",
            "(a, b) = (1, {1})",
            "(a, b) = (1, {1}) AND c > 'a'",
            "(a, b) IN ((1, {1}), (2, {0}))",
            "(a, b) IN ((1, {1}), (2, {0})) AND c >= 'b'",
            "(a, b) IN ((1, {1}), (2, {0})) AND c CONTAINS 'b'",
            "(a, b, c) IN ((1, {1}, 'b'), (2, {0}, 'x'))",
            "(a, b, c) = (1, {1}, 'b')",
            "(a, b, c) > (1, {1}, 'b') AND c > 'a'",
            "(a, b) > (1, {1}) AND c = 'b'",
            "(a, b) > (1, {1}) AND b CONTAINS 1",
            "(a, b) CONTAINS 1",
            "(a, b) LIKE ('a', 'b')",
            "(a, b) IN ()",
            "(a, b) = (1)",
            "(a, c) = (1, 'b')",
            "(b, a) = ({1}, 1)",
            "(a, s) = (1, 1)",
            "(a, v) > (1, 1)",
            "(p, q) = (1, 'b')",
            "a = 1 AND b CONTAINS 1",
            "a = 1 AND b CONTAINS 9",
            "a = 1 AND b CONTAINS 1 AND c = 'b'",
            "a > 0 AND b = {1}",
            "a > 0 AND b CONTAINS 1",
            "b = {1}",
            "c = 'b'",
            "a = 1 AND c = 'b'",
            "b = {1} AND c = 'b'",
            "a > 2 AND a < 1",
            "a IN (1) AND b IN ({1}) AND c IN ('b')",
            "a = 1 AND b = {1} AND c LIKE 'b%'",
            "a = 1 AND b = {1} AND c = 'b' AND v = 1",
            "a = 1 AND b = {1} AND c = 'b' AND s = 1",
            "a = 1 AND b = {1} AND c = 'b' AND m CONTAINS 1",
            "token(p, q) > 0",
            "token(p) > 0",
            "token(q, p) > 0")) {
      String partition = wide.equal(Role.PARTITION, null);
      for (String end : List.of("", " ALLOW FILTERING")) {
        add("SELECT p, a, b, c FROM wide WHERE %s%s".formatted(relation, end));
        add("SELECT a, b, c FROM wide WHERE %s AND %s%s".formatted(partition, relation, end));
        add(
            "SELECT a, b, c FROM wide WHERE %s AND %s ORDER BY a ASC%s"
                .formatted(partition, relation, end));
      }
      for (String statement :
          List.of(
              "DELETE FROM wide_changed%s WHERE ",
              "DELETE v FROM wide_changed%s WHERE ", "UPDATE wide_changed%s SET v = 7 WHERE ")) {
        change(wide, statement + partition + " AND " + relation);
      }
    }
  }

  /// The same for counters, whose tables take no times.
  private void counters() {
    add("CREATE TABLE counts (p int, c int, s counter static, v counter, PRIMARY KEY (p, c))");
    int partition = 0;
    for (String name : List.of("c", "s", "v")) {
      Column column = column(Role.VALUE, name, "", "0", "1", "2");
      for (String operator : OPERATORS) {
        String relation = relation(operator, column);
        add("SELECT * FROM counts WHERE p = 1 AND " + relation + " ALLOW FILTERING");
        for (String change :
            List.of(
                "UPDATE counts SET v = v + 1 WHERE p = %d AND ",
                "UPDATE counts SET s = s + 1 WHERE p = %d AND ",
                "UPDATE counts SET v = v + 1 WHERE p = %d AND c = 1 AND ",
                "DELETE FROM counts WHERE p = %d AND ")) {
          partition++;
          String key =
              "UPDATE counts SET s = s + 1, v = v + 1 WHERE p = %d AND c = ".formatted(partition);
          all.add(
              new Case(
                  List.of(key + 1, key + 2),
                  new Step(change.formatted(partition) + relation, 100),
                  "SELECT * FROM counts WHERE p = " + partition));
        }
      }
    }
  }
}
