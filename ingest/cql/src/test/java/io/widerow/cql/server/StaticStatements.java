package io.widerow.cql.server;

import io.widerow.cql.server.ConditionStatements.Case;
import io.widerow.cql.server.CqlAnswers.Step;
import java.util.ArrayList;
import java.util.List;

/// For tests: statements about partitions that have only static columns, in every kind of question
/// and of condition, about elements of lists that one group writes, and about times and limits that
/// are null.
final class StaticStatements {
  private static final List<String> SELECTIONS =
      List.of(
          "*",
          "p",
          "s",
          "p, c",
          "count(*)",
          "p, count(*), count(c), max(s)",
          "JSON p, c, s",
          "DISTINCT p",
          "DISTINCT p, s",
          "DISTINCT s",
          "DISTINCT count(*)",
          "DISTINCT p, count(*), max(s)",
          "DISTINCT p, max(v)",
          "DISTINCT v",
          "JSON DISTINCT p, s");

  private static final List<String> WHERES =
      List.of(
          "",
          " WHERE p = 1",
          " WHERE p = 3",
          " WHERE p = 6",
          " WHERE p IN (1, 2, 3, 4, 5)",
          " WHERE p IN (4, 3)",
          " WHERE token(p) > -9000000000000000000",
          " WHERE s > 0 ALLOW FILTERING",
          " WHERE v > 0 ALLOW FILTERING",
          " WHERE p = 3 AND s = 3 ALLOW FILTERING",
          " WHERE p = 3 AND c = 1",
          " WHERE p IN (1, 3) AND c > 0");

  private static final List<String> ENDS =
      List.of(
          "",
          " GROUP BY p",
          " GROUP BY p, c",
          " ORDER BY c ASC",
          " ORDER BY c DESC",
          " LIMIT 2",
          " PER PARTITION LIMIT 1",
          " ORDER BY c DESC PER PARTITION LIMIT 1 LIMIT 3",
          " GROUP BY p ORDER BY c DESC LIMIT 2");

  private static final List<String> TESTS =
      List.of(
          "s = 1",
          "s = null",
          "s != 1",
          "s != null",
          "s > 0",
          "s IN (1, 2)",
          "s IN (null)",
          "sl CONTAINS 1",
          "sl[0] = 1",
          "v = 1",
          "v = null",
          "s = 1 AND v = 1",
          "s = 1 AND v = null",
          "EXISTS");

  /// What a partition has before a condition looks at it.
  private static final List<List<String>> FOUND =
      List.of(
          List.of(),
          List.of("UPDATE one SET s = 1, sl = [1] WHERE p = P"),
          List.of("INSERT INTO one (p, c, v) VALUES (P, 1, 1)"),
          List.of(
              "UPDATE one SET s = 1, sl = [1] WHERE p = P",
              "INSERT INTO one (p, c, v) VALUES (P, 1, 1)"),
          List.of(
              "INSERT INTO one (p, c, v, s) VALUES (P, 1, 1, 1)",
              "DELETE FROM one WHERE p = P AND c = 1"));

  private final List<Case> all = new ArrayList<>();
  private int partition = 1_000;

  private StaticStatements() {}

  /// All of them, in a keyspace that they make.
  static List<Case> all() {
    StaticStatements statements = new StaticStatements();
    statements.make();
    statements.questions();
    statements.conditions();
    statements.lists();
    statements.nulls();
    return statements.all;
  }

  private void add(String... statements) {
    for (String statement : statements) {
      all.add(Case.of(statement));
    }
  }

  private void make() {
    add(
        "CREATE KEYSPACE statics WITH replication ="
            + " {'class': 'SimpleStrategy', 'replication_factor': 1}",
        "USE statics");
    for (String table : List.of("one", "other")) {
      add(
          ("CREATE TABLE %s (p int, c int, s int static, sl list<int> static, v int,"
                  + " l list<int>, PRIMARY KEY (p, c))%s")
              .formatted(table, table.equals("one") ? "" : " WITH CLUSTERING ORDER BY (c DESC)"));
    }
    for (String table : List.of("asked", "turned")) {
      add(
          "CREATE TABLE %s (p int, c int, s int static, v int, PRIMARY KEY (p, c))%s"
              .formatted(table, table.equals("asked") ? "" : " WITH CLUSTERING ORDER BY (c DESC)"),
          "INSERT INTO %s (p, c, s, v) VALUES (1, 1, 1, 1)".formatted(table),
          "INSERT INTO %s (p, c, v) VALUES (1, 2, 2)".formatted(table),
          "INSERT INTO %s (p, c, v) VALUES (2, 1, 1)".formatted(table),
          "INSERT INTO %s (p, c, v) VALUES (2, 3, 3)".formatted(table),
          "INSERT INTO %s (p, s) VALUES (3, 3)".formatted(table),
          "INSERT INTO %s (p, s) VALUES (4, 4)".formatted(table),
          "INSERT INTO %s (p, c, s, v) VALUES (5, 1, 5, 1)".formatted(table),
          "DELETE FROM %s WHERE p = 5 AND c = 1".formatted(table),
          "INSERT INTO %s (p, s) VALUES (6, 6)".formatted(table),
          "DELETE s FROM %s WHERE p = 6".formatted(table));
    }
  }

  private void questions() {
    for (String table : List.of("asked", "turned")) {
      for (String selection : SELECTIONS) {
        for (String where : WHERES) {
          for (String end : ENDS) {
            boolean filters = where.endsWith(" ALLOW FILTERING");
            String conditions = where.replace(" ALLOW FILTERING", "");
            String statement =
                "SELECT %s FROM %s%s%s%s"
                    .formatted(
                        selection, table, conditions, end, filters ? " ALLOW FILTERING" : "");
            boolean sorts = end.contains("ORDER BY") && where.contains(" IN ");
            if (!sorts) { // Cassandra has no pages of these
              all.add(new Case(List.of(), new Step(statement, 1), ""));
            }
            all.add(new Case(List.of(), new Step(statement, sorts ? 0 : 3), ""));
          }
        }
      }
    }
  }

  private void conditions() {
    List<String> changes = new ArrayList<>();
    for (String test : TESTS) {
      for (String change :
          List.of(
              "UPDATE one SET v = 9 WHERE p = P AND c = 1 IF ",
              "UPDATE one SET s = 9 WHERE p = P IF ",
              "UPDATE one SET v = 9, s = 9 WHERE p = P AND c = 1 IF ",
              "DELETE FROM one WHERE p = P AND c = 1 IF ",
              "DELETE v FROM one WHERE p = P AND c = 1 IF ",
              "DELETE s FROM one WHERE p = P IF ",
              "DELETE v, s FROM one WHERE p = P AND c = 1 IF ",
              "DELETE FROM one WHERE p = P IF ")) {
        changes.add(change + test);
      }
      for (String more :
          List.of(
              "UPDATE one SET v = 8 WHERE p = P AND c = 2",
              "UPDATE one SET s = 8 WHERE p = P",
              "INSERT INTO one (p, c) VALUES (P, 3) IF NOT EXISTS",
              "UPDATE one SET s = 8 WHERE p = P IF s = 1",
              "UPDATE one SET v = 8 WHERE p = P AND c = 2 IF v = null")) {
        changes.add(
            "BEGIN BATCH UPDATE one SET v = 9 WHERE p = P AND c = 1 IF %s; %s; APPLY BATCH"
                .formatted(test, more));
      }
    }
    changes.add("INSERT INTO one (p, s) VALUES (P, 9) IF NOT EXISTS");
    changes.add("INSERT INTO one (p, c, v) VALUES (P, 1, 9) IF NOT EXISTS");
    changes.add("INSERT INTO one (p, c, s) VALUES (P, 1, 9) IF NOT EXISTS");
    changes.add("INSERT INTO one JSON '{\"p\": P, \"s\": 9}' IF NOT EXISTS");
    for (String change : changes) {
      for (List<String> found : FOUND) {
        one(found, change, "SELECT * FROM one WHERE p = P");
      }
    }
  }

  /// A case with a partition of its own in place of each `P`.
  private void one(List<String> before, String statement, String after) {
    String place = Integer.toString(partition++);
    all.add(
        new Case(
            before.stream().map(each -> each.replaceAll("\\bP\\b", place)).toList(),
            new Step(statement.replaceAll("\\bP\\b", place), 100),
            after.replaceAll("\\bP\\b", place)));
  }

  private void lists() {
    List<String> writes =
        List.of(
            "l = [1] + l",
            "l = [2, 3] + l",
            "l = l + [4]",
            "l = l + [5, 6]",
            "l = [7, 8]",
            "l = l - [0]",
            "l[0] = 9");
    for (String table : List.of("one", "other")) {
      for (String first : writes) {
        for (String second : writes) {
          for (String third : List.of("l = [10] + l", "l = l + [11]")) {
            list(table, List.of(first, second, third), "");
            list(table, List.of(first, second, third), " USING TIMESTAMP 2000000000000000");
          }
          list(table, List.of(first + ", " + second), "");
        }
      }
    }
  }

  private void list(String table, List<String> sets, String time) {
    String place = Integer.toString(partition++);
    StringBuilder batch = new StringBuilder("BEGIN BATCH" + time);
    for (String set : sets) {
      batch.append(" UPDATE %s SET %s WHERE p = %s AND c = 1;".formatted(table, set, place));
      String ofStatics = set.replaceAll("\\bl\\b", "sl");
      batch.append(" UPDATE %s SET %s WHERE p = %s;".formatted(table, ofStatics, place));
    }
    all.add(
        new Case(
            List.of(
                "INSERT INTO %s (p, c, l, sl) VALUES (%s, 1, [0], [0]) USING TIMESTAMP 1"
                    .formatted(table, place)),
            new Step(batch + " APPLY BATCH", 100),
            "SELECT l, sl FROM %s WHERE p = %s".formatted(table, place)));
  }

  private void nulls() {
    add(
        "CREATE TABLE lasting (p int PRIMARY KEY, v int, l list<int>) WITH default_time_to_live ="
            + " 100000",
        "CREATE TABLE counts (p int PRIMARY KEY, v counter)");
    for (String table : List.of("lasting", "one")) {
      String key = table.equals("one") ? "p = P AND c = 1" : "p = P";
      String columns = table.equals("one") ? "p, c, v" : "p, v";
      String values = table.equals("one") ? "P, 1, 1" : "P, 1";
      for (String using :
          List.of(
              "TTL null",
              "TTL 0",
              "TTL -1",
              "TTL 700000000",
              "TTL 'x'",
              "TIMESTAMP null",
              "TIMESTAMP 5",
              "TIMESTAMP 5 AND TTL null",
              "TIMESTAMP null AND TTL null",
              "TIMESTAMP 'x'")) {
        String after =
            "SELECT v, ttl(v)%s FROM %s WHERE p = P"
                .formatted(using.contains("5") ? ", writetime(v)" : "", table);
        one(
            List.of(),
            "INSERT INTO %s (%s) VALUES (%s) USING %s".formatted(table, columns, values, using),
            using.contains("TTL") ? after : "");
        one(
            List.of(),
            "UPDATE %s USING %s SET v = 1 WHERE %s".formatted(table, using, key),
            using.contains("TTL") ? after : "");
        one(List.of(), "DELETE FROM %s USING %s WHERE %s".formatted(table, using, key), "");
        one(
            List.of(),
            "BEGIN BATCH USING %s INSERT INTO %s (%s) VALUES (%s); APPLY BATCH"
                .formatted(using, table, columns, values),
            "");
      }
    }
    add(
        "SELECT p FROM asked LIMIT null",
        "SELECT p FROM asked PER PARTITION LIMIT null",
        "SELECT p FROM asked LIMIT 0",
        "SELECT p FROM asked PER PARTITION LIMIT 0",
        "SELECT p FROM asked PER PARTITION LIMIT -1",
        "UPDATE counts USING TTL null SET v = v + 1 WHERE p = 1",
        "UPDATE counts USING TIMESTAMP null SET v = v + 1 WHERE p = 1",
        "UPDATE counts SET v = v + null WHERE p = 1",
        "UPDATE one SET l = l + null WHERE p = 1 AND c = 1",
        "UPDATE one SET l = null + l WHERE p = 1 AND c = 1",
        "UPDATE one SET l = l - null WHERE p = 1 AND c = 1",
        "UPDATE one SET l[null] = 1 WHERE p = 1 AND c = 1",
        "DELETE l[null] FROM one WHERE p = 1 AND c = 1",
        "INSERT INTO one (p, c, l) VALUES (1, 1, [null])",
        "INSERT INTO one (p, c) VALUES (1, null)",
        "INSERT INTO one (p, c) VALUES (null, 1)");
  }
}
