package io.widerow.cql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.CqlException.Code;
import io.widerow.cql.engine.TableEngine;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.TableOptions;
import io.widerow.faults.Seeds;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: every schema that was accepted is the same after a restart and in a snapshot, and its
/// DESCRIBE statements make the same one in an empty store. Method: random statements in any order,
/// with names that need quotes, over the model of the store and over a store on disk; none may be
/// refused because it could not be read back. `-Dschemas=<n>` sets the number of schemas.
class SchemaRestartTest {
  private static final int SCHEMAS = Integer.getInteger("schemas", 40);
  private static final int STATEMENTS = 60; // of a schema
  private static final List<String> SYSTEM =
      List.of("keyspaces", "tables", "views", "columns", "types");

  @TempDir private Path directory = Path.of(".");

  private int accepted;
  private int refused;
  private int restarts;
  private final Map<String, Integer> made = new TreeMap<>();

  @Test
  void everyAcceptedSchemaIsReadBack() {
    long first = Seeds.one();
    for (int i = 0; i < SCHEMAS; i++) {
      TableServer server = new TableServer();
      SplittableRandom random = new SplittableRandom(first + i);
      String seed = "seed " + (first + i);
      RandomSchema statements = new RandomSchema(random, server::schema);
      for (int n = 0; n < STATEMENTS; n++) {
        run(server, statements.next(), seed);
        if (random.nextInt(20) == 0) {
          requireSameAfterRestart(server, seed);
        }
      }
      requireSameAfterRestart(server, seed);
      requireDescribed(server, seed);
    }
    System.out.printf(
        "%d schemas, %d restarts, %d statements refused, %d accepted: %s%n",
        SCHEMAS, restarts, refused, accepted, made);
    assertTrue(accepted > refused, made.toString());
    assertEquals(16, made.size(), made.toString());
  }

  @Test
  void aStoreOnDiskAndItsSnapshotHaveTheSame() {
    long seed = Seeds.one();
    Path data = directory.resolve("d");
    Schema before;
    List<String> described;
    EmbeddedStore[] store = {open(data)};
    try {
      TableServer server =
          new TableServer(() -> store[0].extension(TableEngine.class), InstantSource.system());
      RandomSchema statements = new RandomSchema(new SplittableRandom(seed), server::schema);
      for (int round = 0; round < 8; round++) {
        for (int n = 0; n < STATEMENTS / 3; n++) {
          run(server, statements.next(), "seed " + seed);
        }
        before = server.schema();
        store[0].close();
        store[0] = open(data);
        server.restart();
        assertEquals(before, server.schema(), () -> "seed " + seed);
        restarts++;
      }
      before = server.schema();
      described = described(server);
      var _ = store[0].snapshot(directory.resolve("s"));
    } finally {
      store[0].close();
    }
    try (EmbeddedStore copy = EmbeddedStore.openForReading(directory.resolve("s"))) {
      TableServer server =
          new TableServer(() -> copy.extension(TableEngine.class), InstantSource.system());
      assertEquals(before, server.schema());
      assertEquals(described, described(server));
    }
  }

  private static EmbeddedStore open(Path data) {
    return EmbeddedStore.open(StoreConfig.at(data), Runnable::run);
  }

  private void run(TableServer server, String statement, String seed) {
    try {
      server.asking("none").run(statement);
      accepted++;
      made.merge(firstWords(statement), 1, Integer::sum);
    } catch (CqlException refusal) {
      refused++;
      boolean ofRules =
          switch (refusal.code()) {
            case INVALID, CONFIGURATION, ALREADY_EXISTS, UNAUTHORIZED -> true;
            default -> false;
          };
      assertTrue(ofRules, () -> seed + ": " + refusal.sentence() + ": " + statement);
    }
  }

  private static String firstWords(String statement) {
    return statement.replaceAll("^(TRUNCATE|\\w+ \\w+)(?s:.*)$", "$1");
  }

  private void requireSameAfterRestart(TableServer server, String seed) {
    Schema before = server.schema();
    List<String> described = described(server);
    server.restart();
    restarts++;
    assertEquals(List.of(), server.schema().unreadable(), seed);
    assertEquals(before, server.schema(), seed);
    assertEquals(before.version(), server.schema().version(), seed);
    assertEquals(described, described(server), seed);
  }

  /// All that clients see of the schema.
  private static List<String> described(TableServer server) {
    List<String> all = new ArrayList<>(server.asking("none").rows("DESCRIBE SCHEMA"));
    for (String table : SYSTEM) {
      all.addAll(
          server.asking("none").rows("SELECT * FROM system_schema." + table).stream()
              .filter(row -> !row.startsWith("[system"))
              .toList());
    }
    return all;
  }

  /// Runs what DESCRIBE shows, on an empty store.
  private static void requireDescribed(TableServer server, String seed) {
    TableServer other = new TableServer();
    for (String statement : statements(server)) {
      other.asking("none").run(statement);
    }
    assertEquals(statements(server), statements(other), seed);
    assertEquals(withoutNumbers(server.schema()), withoutNumbers(other.schema()), seed);
  }

  private static List<String> statements(TableServer server) {
    return server.asking("none").cells("DESCRIBE SCHEMA").stream().map(List::getLast).toList();
  }

  private static List<CqlKeyspace> withoutNumbers(Schema schema) {
    return schema.keyspaces().stream()
        .map(keyspace ->
            keyspace.withTables(
                keyspace.tables().stream().map(SchemaRestartTest::withoutNumbers).toList()))
        .toList();
  }

  private static Table withoutNumbers(Table table) {
    List<Column> columns =
        table.columns().stream()
            .map(column ->
                new Column(
                    column.name(),
                    column.type(),
                    column.kind(),
                    column.position(),
                    column.descending(),
                    0))
            .toList();
    return table
        .withColumns(columns, null)
        .withIndexes(table.indexes().stream().map(index -> index.withNumber(0)).toList());
  }

  /// Each reserved word, and each word that means something somewhere, is the name of everything.
  @Test
  void everyWordIsANameOfEverything() {
    List<String> words = new ArrayList<>(RandomSchema.RESERVED);
    words.addAll(RandomSchema.CONTEXTUAL);
    TableServer server = new TableServer();
    for (String word : words) {
      String name = "\"" + word + "\"";
      if (word.equals("system")) {
        continue; // is a keyspace of the server's own
      }
      Asking asking = server.asking(word);
      asking.run(
          "CREATE KEYSPACE %s WITH replication = {'class': 'SimpleStrategy'}".formatted(name));
      asking.run("CREATE TYPE %s (%s int)".formatted(name, name));
      asking.run("CREATE TYPE later (a int)");
      asking.run("ALTER TYPE %s ADD more list<frozen<later>>".formatted(name));
      String key = "\"" + word + "2\"";
      asking.run(
          ("CREATE TABLE %1$s (%1$s frozen<%1$s>, %2$s int, v set<frozen<%1$s>>,"
                  + " PRIMARY KEY (%1$s, %2$s)) WITH CLUSTERING ORDER BY (%2$s DESC)")
              .formatted(name, key));
      asking.run(
          ("CREATE MATERIALIZED VIEW \"%3$s3\" AS SELECT %1$s, %2$s FROM %1$s"
                  + " WHERE %1$s = {%1$s: 1} AND %2$s IS NOT NULL PRIMARY KEY (%2$s, %1$s)")
              .formatted(name, key, word));
    }
    requireSameAfterRestart(server, "words");
    requireDescribed(server, "words");
  }

  @Test
  void longAndDeepSchemasAreReadBack() {
    TableServer server = new TableServer();
    Asking asking = server.asking("k");
    asking.run("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
    StringBuilder columns = new StringBuilder();
    for (int i = 0; columns.length() < 130_000; i++) {
      columns.append("A").append(i).append(" int,");
    }
    asking.run("CREATE TABLE t (" + columns + "p int PRIMARY KEY)"); // its stored text is longer
    String deep = "list<".repeat(98) + "int" + ">".repeat(98);
    asking.run("CREATE TABLE d (p int PRIMARY KEY, v frozen<" + deep + ">)");
    requireSameAfterRestart(server, "long");
    assertEquals(2, server.schema().keyspace("k").tables().size());
  }

  @Test
  void typesDoNotGrowWithoutBounds() {
    TableServer server = new TableServer();
    Asking asking = server.asking("k");
    asking.run("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
    asking.run("CREATE TYPE t0 (a int, b int)");
    String refusal = "";
    for (int i = 1; refusal.isEmpty(); i++) {
      String next = "CREATE TYPE t%d (a frozen<t%d>, b frozen<t%d>)".formatted(i, i - 1, i - 1);
      try {
        asking.run(next);
      } catch (CqlException refused) {
        assertEquals(Code.INVALID, refused.code());
        refusal = refused.sentence();
      }
    }
    assertEquals(
        "type t12: a type has at most 10000 fields, including fields of nested types", refusal);
    assertEquals(
        "2200 type t11: a type has at most 10000 fields, including fields of nested types",
        asking.refusal("ALTER TYPE t0 ADD c tuple<int, int, int, int>"));
    requireSameAfterRestart(server, "types");
  }

  @Test
  void circularTypesAreRefused() {
    TableServer server = new TableServer();
    Asking asking = server.asking("k");
    asking.run("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
    asking.run("CREATE TYPE a (x int)");
    asking.run("CREATE TYPE b (y list<frozen<a>>)");
    assertEquals(
        "2200 Cannot add new field z of type map<int, frozen<k.b>> to user type k.a as it would"
            + " create a circular reference",
        asking.refusal("ALTER TYPE a ADD z map<int, frozen<b>>"));
    assertEquals(
        "2200 Cannot add new field z of type frozen<k.a> to user type k.a as it would create a"
            + " circular reference",
        asking.refusal("ALTER TYPE a ADD z frozen<a>"));
    asking.run("ALTER TYPE a ADD y int");
    assertEquals(
        "2200 Duplicate field name c in type k.a",
        asking.refusal("ALTER TYPE a RENAME x TO c AND y TO c"));
    asking.run("ALTER TYPE a RENAME x TO y AND y TO x");
    requireSameAfterRestart(server, "circles");
  }

  @Test
  void optionsOfAnyFormAreKept() {
    TableServer server = new TableServer();
    Asking asking = server.asking("k");
    asking.run("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}");
    asking.run("CREATE TABLE t (p int PRIMARY KEY) WITH comment = 'x' AND gc_grace_seconds = '+5'");
    Map<String, String> kept = Map.of("comment", "x", "gc_grace_seconds", "5");
    assertEquals(new TableOptions(kept, Map.of()), server.schema().table("k", "t").options());
    asking.run("ALTER TABLE t WITH comment = ''");
    assertEquals("", server.schema().table("k", "t").comment());
    requireSameAfterRestart(server, "options");
  }
}
