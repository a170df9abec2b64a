package io.widerow.cql.server;

import io.widerow.cql.server.CqlAnswers.Step;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/// For tests: random statements about tables with secondary indexes, of both kinds that Cassandra
/// has, on columns of every role and on parts of collections.
final class IndexStatements {
  private static final int CHANGES = 40;
  private static final int QUERIES = 100;

  /// Statements of a table, about.
  static final int OF_TABLE = 150;

  private static final List<String> TARGETS =
      List.of(
          "q",
          "c",
          "d",
          "v",
          "w",
          "r",
          "ts",
          "s",
          "l",
          "m",
          "keys(m)",
          "entries(m)",
          "values(m)",
          "full(f)",
          "st",
          "u",
          "f",
          "values(v)",
          "keys(s)",
          "full(l)",
          "nosuch");

  private static final List<String> PARTITIONS =
      List.of("p = 1 AND q = 0", "p = 0 AND q = 1", "p = 0", "q = 1", "p IN (0, 1) AND q = 1", "");

  private static final List<String> CLUSTERING =
      List.of(
          "c = 1",
          "c > 0",
          "c >= 1 AND c < 3",
          "c IN (0, 2)",
          "c IN (1)",
          "c = 2 - 1",
          "c > 3 % 2",
          "c = 1 AND d = 'a'",
          "d = 'b'",
          "c > 0 AND d = 'a'",
          "(c, d) = (1, 'a')",
          "(c, d) > (0, 'a')",
          "(c) >= (1)");

  private static final List<String> VALUES =
      List.of(
          "v = 1",
          "v = 2",
          "v > 0",
          "v >= 1 AND v < 2",
          "v IN (1, 2)",
          "v IN (1)",
          "v = 3 - 2",
          "v > -1 + 1",
          "v >= 4 % 3 AND v < 6 / 3",
          "w = 'x' + 'y'",
          "r > -(0.25) * 2.0",
          "ts > 1500 - 10",
          "m['a'] = 2 - 1",
          "st = 1 * 1",
          "w = 'x'",
          "w > 'a'",
          "w LIKE 'x%'",
          "r = 0.5",
          "r > 0.0",
          "ts > 1500",
          "ts = 1000",
          "s CONTAINS 1",
          "s CONTAINS 1 AND s CONTAINS 2",
          "l CONTAINS 'x'",
          "m CONTAINS 1",
          "m CONTAINS KEY 'a'",
          "m['a'] = 1",
          "m['b'] > 1",
          "m CONTAINS 1 AND m CONTAINS KEY 'a'",
          "f = [1, 2]",
          "f > [1]",
          "st = 1",
          "st > 0",
          "u = {a: 1, b: 'x'}",
          "u > {a: 1, b: 'x'}");

  private static final List<String> SELECTIONS =
      List.of("*", "p, q, c, d, v, st", "p, q, st", "count(*)", "DISTINCT p, q", "max(v), min(c)");

  private static final List<String> ENDS =
      List.of(
          "", "", "", " LIMIT 3", " PER PARTITION LIMIT 1", " ORDER BY c DESC", " GROUP BY p, q");

  private final SplittableRandom random;
  private final List<Step> steps = new ArrayList<>();

  private IndexStatements(SplittableRandom random) {
    this.random = random;
  }

  /// @param tables how many tables they make
  static List<Step> steps(long seed, int tables) {
    IndexStatements all = new IndexStatements(new SplittableRandom(seed));
    all.add(
        "CREATE KEYSPACE x%d WITH replication = {'class': 'SimpleStrategy',".formatted(seed)
            + " 'replication_factor': 1}");
    all.add("USE x" + seed);
    all.add("CREATE TYPE pair (a int, b text)");
    for (int table = 0; table < tables; table++) {
      all.table("t" + table);
    }
    return List.copyOf(all.steps);
  }

  private void add(String statement) {
    steps.add(new Step(statement, any(List.of(1, 2, 3, 100, 5_000))));
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private void table(String name) {
    add(
        ("CREATE TABLE %s (p int, q int, c int, d text, v int, w text, r double, ts timestamp,"
                + " s set<int>, l list<text>, m map<text, int>, f frozen<list<int>>, st int static,"
                + " u frozen<pair>, PRIMARY KEY ((p, q), c, d))"
                + " WITH CLUSTERING ORDER BY (c %s, d %s)")
            .formatted(name, any(List.of("ASC", "DESC")), any(List.of("ASC", "DESC"))));
    boolean onlyLocal = random.nextInt(3) == 0;
    int indexes = 2 + random.nextInt(5);
    for (int i = 0; i < indexes; i++) {
      add("CREATE INDEX ON %s (%s)%s".formatted(name, any(TARGETS), using(onlyLocal)));
    }
    for (int i = 0; i < CHANGES; i++) {
      add(change(name));
    }
    for (int i = 0; i < QUERIES; i++) {
      add(i % 9 == 8 ? change(name) : query(name));
    }
    add(
        "SELECT index_name, kind, options FROM system_schema.indexes WHERE table_name = '%s'"
                .formatted(name)
            + " AND keyspace_name = 'none'");
  }

  private String using(boolean onlyLocal) {
    return onlyLocal || random.nextBoolean()
        ? any(List.of("", " USING 'legacy_local_table'"))
        : any(List.of(" USING 'sai'", " USING 'StorageAttachedIndex'"));
  }

  private String key() {
    return "p = %d AND q = %d".formatted(random.nextInt(2), random.nextInt(2));
  }

  private String row() {
    return key()
        + " AND c = %d AND d = %s".formatted(random.nextInt(3), any(List.of("'a'", "'b'")));
  }

  private String change(String table) {
    return switch (random.nextInt(10)) {
      case 0 -> "DELETE FROM %s WHERE %s".formatted(table, row());
      case 1 ->
          "DELETE FROM %s WHERE %s%s"
              .formatted(table, key(), any(List.of("", " AND c = 1", " AND c > 1")));
      case 2 -> "UPDATE %s SET st = %d WHERE %s".formatted(table, random.nextInt(3), key());
      case 3 ->
          "DELETE %s FROM %s WHERE %s"
              .formatted(any(List.of("v", "w", "s", "l", "m", "f", "u", "m['a']")), table, row());
      default -> "UPDATE %s SET %s WHERE %s".formatted(table, assignments(), row());
    };
  }

  private String assignments() {
    Set<String> all = new LinkedHashSet<>();
    all.add("v = " + any(List.of("0", "1", "2", "null")));
    all.add("w = " + any(List.of("'x'", "'y'", "'xy'", "null")));
    all.add("r = " + any(List.of("0.5", "-1.5", "0.0")));
    all.add("ts = " + any(List.of("1000", "2000")));
    all.add("s = " + any(List.of("{1}", "{1, 2}", "s + {2}", "s - {1}", "null")));
    all.add("l = " + any(List.of("['x']", "['x', 'x']", "l + ['y']", "[]")));
    all.add("m = " + any(List.of("{'a': 1}", "{'a': 2, 'b': 1}", "m + {'b': 2}", "m - {'a'}")));
    all.add("f = " + any(List.of("[1, 2]", "[1]", "[]", "null")));
    all.add("u = " + any(List.of("{a: 1, b: 'x'}", "{a: 1}", "null")));
    all.removeIf(_ -> random.nextInt(4) == 0);
    return all.isEmpty() ? "v = 1" : String.join(", ", all);
  }

  private String query(String table) {
    List<String> where = new ArrayList<>();
    String partition = any(PARTITIONS);
    if (random.nextInt(3) == 0 && !partition.isEmpty()) {
      where.add(partition);
    }
    boolean ofRows = random.nextInt(4) == 0;
    if (ofRows) {
      where.add(any(CLUSTERING));
    }
    int conditions = random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(2);
    for (int i = 0; i < conditions; i++) {
      String condition = any(VALUES);
      boolean quirk = ofRows && condition.startsWith("st"); // finds nothing in Cassandra
      if (!quirk) {
        where.add(condition);
      }
    }
    String conditionsText = where.isEmpty() ? "" : " WHERE " + String.join(" AND ", where);
    return "SELECT %s FROM %s%s%s%s"
        .formatted(
            any(SELECTIONS),
            table,
            conditionsText,
            any(ENDS),
            random.nextBoolean() ? "" : " ALLOW FILTERING");
  }
}
