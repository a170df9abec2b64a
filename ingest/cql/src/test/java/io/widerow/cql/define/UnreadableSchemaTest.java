package io.widerow.cql.define;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.Asking;
import io.widerow.cql.CqlException;
import io.widerow.cql.TableServer;
import io.widerow.cql.engine.SimStore;
import io.widerow.cql.engine.TableEngine;
import io.widerow.cql.schema.UnreadableStatement;
import io.widerow.cql.store.KeySpan;
import io.widerow.cql.store.TableModel;
import io.widerow.cql.store.TableStore;
import io.widerow.cql.store.TableView;
import io.widerow.cql.store.TableWrite;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.embedded.EmbeddedStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a stored statement that cannot be read makes its own keyspace unusable, and no other one;
/// the server starts and names it; no row is lost, and another statement instead of it brings all
/// back. Method: statements of each kind are overwritten in the stored form.
class UnreadableSchemaTest {
  private static final String REPLICATION = " WITH replication = {'class': 'SimpleStrategy'}";
  private static final String TYPE = "CREATE TYPE r.addr (\"from\" int)";
  private static final String TABLE =
      "CREATE TABLE r.mail (id int PRIMARY KEY, \"from\" text, home addr)";
  private static final String VIEW =
      "CREATE MATERIALIZED VIEW r.by_from AS SELECT * FROM r.mail WHERE \"from\" IS NOT NULL AND id"
          + " IS NOT NULL PRIMARY KEY (\"from\", id)";

  private static final String INDEX = "CREATE INDEX by_name ON r.mail (\"from\")";

  private final TableModel store = new TableModel();
  private final TableServer server = new TableServer(() -> store, InstantSource.system());
  private final Asking asking = server.asking("r");

  @BeforeEach
  void fill() {
    asking.run("CREATE KEYSPACE r" + REPLICATION);
    asking.run(TYPE);
    asking.run(TABLE);
    asking.run(VIEW);
    asking.run(INDEX);
    asking.run("INSERT INTO r.mail (id, \"from\", home) VALUES (1, 'anna', {\"from\": 2})");
    asking.run("CREATE KEYSPACE other" + REPLICATION);
    asking.run("CREATE TABLE other.t (id int PRIMARY KEY, v int)");
    asking.run("INSERT INTO other.t (id, v) VALUES (1, 2)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          table | mail | CREATE TABLE r.mail (id int PRIMARY KEY, from text, home addr)
          table | mail | CREATE TABLE r.mail (id int PRIMARY KEY, "from" text, home phone)
          table | mail | CREATE TABLE r.mail (id int PRIMARY KEY, "from" text)
          table | mail | CREATE TABLE r.post (id int PRIMARY KEY, "from" text, home addr)
          table | mail | SELECT 1
          table | mail | ''
          table | by_from | r.post WHERE a = 1 PRIMARY KEY (a)
          table | by_from | r.mail WHERE x = 1 PRIMARY KEY ("from", id)
          table | by_from | r.mail WHERE id = 'a' PRIMARY KEY ("from", id)
          index | by_name | CREATE INDEX by_name ON r.mail (nosuch)
          index | by_name | CREATE INDEX by_name ON r.nosuch ("from")
          index | by_name | CREATE INDEX other ON r.mail ("from")
          index | by_name | CREATE INDEX by_name ON r.mail ("from") USING 'nosuch'
          index | by_name | SELECT 1
          type | addr | CREATE TYPE r.addr (from int)
          type | addr | CREATE TYPE r.addr (a frozen<addr>)
          keyspace | '' | CREATE KEYSPACE r
          keyspace | '' | CREATE KEYSPACE s WITH replication = {'class': 'SimpleStrategy'}
          """)
  void onlyItsKeyspaceCannotBeUsed(String kind, String name, String shown) {
    String view = "CREATE MATERIALIZED VIEW r.by_from AS SELECT * FROM ";
    String text = name.equals("by_from") ? view + shown : shown;
    BrokenSchema.write(store, "r", kind, name, text);
    server.restart();
    List<UnreadableStatement> unreadable = server.schema().unreadable();
    assertEquals(1, unreadable.size(), unreadable.toString());
    UnreadableStatement found = unreadable.getFirst();
    assertEquals(List.of("r", kind, name, text), parts(found));
    requireUnusable(found);
    asking.run("INSERT INTO other.t (id, v) VALUES (3, 4)");
    asking.run("CREATE TABLE other.u (id int PRIMARY KEY, v int)");
    asking.run("INSERT INTO other.u (id, v) VALUES (1, 2)");
    server.restart();
    assertEquals(List.of("[1, 2]", "[3, 4]"), asking.rows("SELECT * FROM other.t"));
    repair(kind.equals("keyspace") ? "CREATE KEYSPACE r" + REPLICATION : statement(name));
    assertEquals(List.of("[anna, 1, [2]]"), asking.rows("SELECT * FROM r.by_from"));
    assertEquals(List.of("[1]"), asking.rows("SELECT id FROM r.mail WHERE \"from\" = 'anna'"));
    asking.run("DELETE FROM r.mail WHERE id = 1");
    assertEquals(List.of(), asking.rows("SELECT * FROM r.by_from"));
    assertEquals(List.of(), asking.rows("SELECT id FROM r.mail WHERE \"from\" = 'anna'"));
    assertEquals(List.of("[1, 2]"), asking.rows("SELECT * FROM other.u"));
  }

  private static List<String> parts(UnreadableStatement found) {
    return List.of(found.keyspace(), found.kind(), found.name(), found.text());
  }

  private static String statement(String name) {
    return switch (name) {
      case "addr" -> TYPE;
      case "mail" -> TABLE;
      case "by_name" -> INDEX;
      default -> VIEW;
    };
  }

  private void requireUnusable(UnreadableStatement found) {
    String error =
        "0000 keyspace r cannot be used: %s; stop the daemon, then run widerow check repair"
            .formatted(found.sentence());
    for (String statement :
        List.of(
            "SELECT * FROM r.mail",
            "INSERT INTO r.mail (id) VALUES (1)",
            "DELETE FROM r.mail WHERE id = 1",
            "TRUNCATE r.mail",
            "DROP TABLE r.mail",
            "DROP KEYSPACE r",
            "DROP KEYSPACE IF EXISTS r",
            "CREATE KEYSPACE r" + REPLICATION,
            "CREATE KEYSPACE IF NOT EXISTS r" + REPLICATION,
            "ALTER KEYSPACE r" + REPLICATION,
            "CREATE TABLE r.u (id int PRIMARY KEY)",
            "CREATE TYPE r.u (id int)",
            "ALTER TYPE r.addr ADD x int",
            "DESCRIBE KEYSPACE r",
            "DESCRIBE TABLE r.mail",
            "DROP TYPE r.addr")) {
      assertEquals(error, asking.refusal(statement), statement);
    }
    assertEquals(
        List.of("[other]", "[widerow]"),
        asking.rows("SELECT keyspace_name FROM system_schema.keyspaces").stream()
            .filter(row -> !row.contains("system"))
            .toList());
    assertEquals(2, asking.rows("DESCRIBE SCHEMA").size());
  }

  private void repair(String statement) {
    SchemaRepair repair = new SchemaRepair(store);
    repair.replace(statement);
    assertEquals(List.of(), repair.finish());
    server.restart();
    assertEquals(List.of(), server.schema().unreadable());
  }

  @Test
  void anIndexIsDroppedByItsName() {
    BrokenSchema.write(store, "r", "index", "by_name", "SELECT 1");
    SchemaRepair repair = new SchemaRepair(store);
    repair.drop("r.by_name");
    assertEquals(List.of(), repair.finish());
    server.restart();
    assertEquals(List.of(), asking.rows("SELECT index_name FROM system_schema.indexes"));
    assertEquals(List.of("[1]"), asking.rows("SELECT id FROM r.mail"));
    asking.run(INDEX);
    assertEquals(List.of("[1]"), asking.rows("SELECT id FROM r.mail WHERE \"from\" = 'anna'"));
  }

  @Test
  void aTableIsDropped() {
    BrokenSchema.write(store, "r", "table", "by_from", "");
    BrokenSchema.write(store, "r", "table", "mail", "");
    SchemaRepair repair = new SchemaRepair(store);
    repair.drop("r.mail");
    assertEquals(
        List.of("table r.by_from"),
        repair.finish().stream().map(UnreadableStatement::place).toList());
    SchemaRepair view = new SchemaRepair(store);
    view.drop("r.\"by_from\"");
    assertEquals(List.of(), view.finish());
    server.restart();
    asking.run(TABLE); // with another number
    assertEquals(List.of(), asking.rows("SELECT * FROM r.mail"));
    assertEquals(List.of("[1, 2]"), asking.rows("SELECT * FROM other.t"));
  }

  @Test
  void wrongRepairsChangeNothing() {
    assertRefused(
        "table other.t: not a stored statement that cannot be read; keyspace other has []",
        "CREATE TABLE other.t (id int PRIMARY KEY)");
    BrokenSchema.write(store, "r", "table", "mail", "");
    assertRefused(
        "statement: nothing was changed, for the stored statement of table r.mail cannot be read:"
            + " its columns are [id], and the stored ones [from, home, id]",
        "CREATE TABLE r.mail (id int PRIMARY KEY)");
    assertRefused(
        "statement: mail has no keyspace; write keyspace.name",
        "CREATE TABLE mail (id int PRIMARY KEY)");
    assertRefused(
        "table r.nothing: not a stored statement that cannot be read; keyspace r has"
            + " [table r.mail]",
        "CREATE TABLE r.nothing (id int PRIMARY KEY)");
    CqlException readable =
        assertThrows(CqlException.class, () -> new SchemaRepair(store).drop("r.by_from"));
    assertTrue(readable.sentence().contains("not a stored statement"), readable.sentence());
    server.restart();
    assertEquals(1, server.schema().unreadable().size());
  }

  private void assertRefused(String sentence, String statement) {
    CqlException refused =
        assertThrows(
            CqlException.class,
            () -> {
              SchemaRepair repair = new SchemaRepair(store);
              repair.replace(statement);
              repair.finish();
            });
    assertEquals(sentence, refused.sentence());
  }

  @Test
  void onlyTheStatementThatIsWrongIsNamed() {
    asking.run("CREATE TYPE r.street (name text)");
    asking.run("ALTER TYPE r.addr ADD street frozen<street>");
    BrokenSchema.write(store, "r", "type", "street", "CREATE TYPE r.street (from text)");
    server.restart();
    assertEquals(
        List.of("type r.street"),
        server.schema().unreadable().stream().map(UnreadableStatement::place).toList());
    repair("CREATE TYPE r.street (name text)");
    assertEquals(List.of("[anna, 1, [2, null]]"), asking.rows("SELECT * FROM r.by_from"));
  }

  @Test
  void aViewOfAViewIsRefused() {
    asking.run(VIEW.replace("r.by_from", "r.twice"));
    String wrong = VIEW.replace("r.by_from", "r.twice").replace("FROM r.mail", "FROM r.by_from");
    BrokenSchema.write(store, "r", "table", "twice", wrong);
    server.restart();
    UnreadableStatement found = server.schema().unreadable().getFirst();
    assertEquals("table r.twice", found.place());
    assertTrue(found.error().contains("by_from, which it shows, is a view"), found.error());
    assertRefused(
        "statement: nothing was changed, for the stored statement of table r.twice cannot be read:"
            + " by_from, which it shows, is a view",
        wrong);
  }

  @Test
  void tablesWithoutTheirKeyspaceAreNotOverwritten() {
    BrokenSchema.delete(store, "r", "keyspace", "");
    server.restart();
    assertEquals("keyspace r", server.schema().unreadable().getFirst().place());
    requireUnusable(server.schema().unreadable().getFirst());
    repair("CREATE KEYSPACE r" + REPLICATION);
    assertEquals(List.of("[1, anna, [2]]"), asking.rows("SELECT * FROM r.mail"));
  }

  @Test
  void numbersOfLostStatementsAreNotGivenAgain() {
    for (String table : List.of("by_from", "mail")) {
      BrokenSchema.delete(store, "r", "table", table);
    }
    BrokenSchema.delete(store, "other", "table", "t");
    BrokenSchema.deleteNumbers(store);
    server.restart();
    asking.run("CREATE TABLE other.t (id int PRIMARY KEY, v int)");
    assertEquals(List.of(), asking.rows("SELECT * FROM other.t"));
  }

  /// Rows of a keyspace whose schema cannot be read stay through kills, flushes and merges, also
  /// rows that only the journal had.
  @Test
  void rowsStayUntilTheSchemaIsRepaired() {
    SplittableRandom random = new SplittableRandom(Seeds.one());
    TestClock clock = new TestClock(1_700_000_000_000_000_000L);
    InstantSource now = () -> Instant.ofEpochSecond(0, clock.wallNanos());
    SimDisk disk = new SimDisk(1);
    EmbeddedStore[] on = {SimStore.open(disk, clock, random, Runnable::run)};
    TableServer tables = new TableServer(() -> on[0].extension(TableEngine.class), now);
    Asking all = tables.asking("r");
    all.run("CREATE KEYSPACE r" + REPLICATION);
    all.run("CREATE TABLE r.mail (id int PRIMARY KEY, \"from\" text)");
    all.run("CREATE KEYSPACE other" + REPLICATION);
    all.run("CREATE TABLE other.t (id int PRIMARY KEY, v int)");
    for (int i = 0; i < 50; i++) {
      all.run("INSERT INTO r.mail (id, \"from\") VALUES (%d, 'a')".formatted(i));
      if (i == 25) {
        on[0].extension(TableEngine.class).flush();
      }
    }
    all.run("DELETE FROM r.mail WHERE id = 7");
    BrokenSchema.write(
        on[0].extension(TableEngine.class),
        "r",
        "table",
        "mail",
        "CREATE TABLE r.mail (from text)");
    for (int life = 0; life < 6; life++) {
      if (life % 2 == 0) {
        disk = disk.restart(); // killed
      } else {
        on[0].close();
      }
      on[0] = SimStore.open(disk, clock, random, Runnable::run);
      tables.restart();
      assertEquals(1, tables.schema().unreadable().size());
      all.run("INSERT INTO other.t (id, v) VALUES (%d, 1)".formatted(life));
      all.run("CREATE TABLE other.t%d (id int PRIMARY KEY)".formatted(life));
      all.run("DROP TABLE other.t" + life);
      if (life > 1) {
        on[0].extension(TableEngine.class).flush();
        clock.advance(12 * 86_400_000_000_000L);
        on[0].maintain();
        on[0].extension(TableEngine.class).mergeAll();
      }
    }
    SchemaRepair repair = new SchemaRepair(on[0].extension(TableEngine.class));
    repair.replace("CREATE TABLE r.mail (id int PRIMARY KEY, \"from\" text)");
    assertEquals(List.of(), repair.finish());
    tables.restart();
    assertEquals(49, all.rows("SELECT * FROM r.mail").size());
    assertEquals(List.of(), all.rows("SELECT * FROM r.mail WHERE id = 7"));
    assertEquals(6, all.rows("SELECT * FROM other.t").size());
    on[0].close();
  }

  /// A store whose rows cannot be read, for damage.
  private record Damaged(TableModel model) implements TableStore {
    @Override
    public TableView view() {
      throw new IllegalStateException("block 7 is damaged");
    }

    @Override
    public <T> CompletableFuture<T> write(TableWrite<T> write) {
      return model.write(write);
    }

    @Override
    public void forget(List<KeySpan> spans) {
      throw new AssertionError("nothing is to be forgotten");
    }
  }

  @Test
  void whenNothingCanBeReadNoKeyspaceCanBeUsedOrMade() {
    TableModel model = new TableModel();
    TableServer damaged = new TableServer(() -> new Damaged(model), InstantSource.system());
    Asking all = damaged.asking("r");
    for (String statement : List.of("SELECT * FROM a.b", "CREATE KEYSPACE a" + REPLICATION)) {
      assertEquals(
          "0000 keyspace a cannot be used: the schema of tables cannot be read: block 7 is damaged;"
              + " stop the daemon, then run widerow check repair",
          all.refusal(statement));
    }
    assertEquals(0, model.keys());
    assertEquals(1, all.rows("SELECT key FROM system.local").size());
  }
}
