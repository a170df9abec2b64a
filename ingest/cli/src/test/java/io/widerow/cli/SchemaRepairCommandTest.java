package io.widerow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.cql.Asking;
import io.widerow.cql.TableServer;
import io.widerow.cql.define.BrokenSchema;
import io.widerow.cql.store.TableStore;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an operator whose store has a schema statement that cannot be read learns which one it is,
/// and replaces it, or drops its table. Method: the command lines on a store on disk.
class SchemaRepairCommandTest {
  private static final String TABLE = "CREATE TABLE r.mail (id int PRIMARY KEY, \"from\" text)";
  private static final String BROKEN = "CREATE TABLE r.mail (id int PRIMARY KEY, from text)";

  @TempDir private Path directory = Path.of(".");

  private EmbeddedStore open() {
    return EmbeddedStore.open(StoreConfig.at(directory.resolve("s")), Runnable::run);
  }

  private static Asking asking(EmbeddedStore store) {
    return new TableServer(() -> store.extension(TableStore.class), InstantSource.system())
        .asking("r");
  }

  @BeforeEach
  void fill() {
    try (EmbeddedStore store = open()) {
      Asking asking = asking(store);
      asking.run("CREATE KEYSPACE r WITH replication = {'class': 'SimpleStrategy'}");
      asking.run(TABLE);
      asking.run("INSERT INTO r.mail (id, \"from\") VALUES (1, 'anna')");
    }
  }

  private void breakTable() {
    try (EmbeddedStore store = open()) {
      BrokenSchema.write(store.extension(TableStore.class), "r", "table", "mail", BROKEN);
    }
  }

  private Ran run(String command, String... more) {
    String[] arguments =
        Stream.concat(Stream.of("--data", directory.resolve("s").toString()), Stream.of(more))
            .toArray(String[]::new);
    return CommandDaemon.run(Map.of(), command, arguments);
  }

  private Ran repair(String... more) {
    return run("check repair", more);
  }

  private Ran verify(String... more) {
    return run("check verify", more);
  }

  @Test
  void anotherStatementBringsTheRowsBack() {
    assertEquals(0, verify().code());
    breakTable();
    Ran found = verify();
    assertEquals(1, found.code(), found.err());
    assertTrue(found.out().contains("table r.mail"), found.out());
    assertTrue(found.out().contains("expected a column, got 'from'"), found.out());
    Ran asked = repair();
    assertEquals(1, asked.code(), asked.err());
    assertTrue(asked.out().contains(BROKEN), asked.out());
    assertTrue(asked.out().contains("--statement"), asked.out());
    Ran json = repair("--output", "json");
    assertTrue(json.out().contains("\"statements\":[{\"place\":\"table r.mail\""), json.out());
    Ran wrong = repair("--statement", BROKEN);
    assertEquals(64, wrong.code(), wrong.err());
    assertTrue(wrong.err().contains("expected a column, got 'from'"), wrong.err());
    assertTrue(
        wrong.out().contains(BROKEN), "the files were repaired, so it reports: " + wrong.out());
    Ran repaired = repair("--statement", TABLE);
    assertEquals(0, repaired.code(), repaired.out() + repaired.err());
    assertTrue(repaired.out().contains("table r.mail: has another statement"), repaired.out());
    assertEquals(0, verify().code());
    try (EmbeddedStore store = open()) {
      assertEquals(List.of("[1, anna]"), asking(store).rows("SELECT * FROM r.mail"));
    }
    assertEquals(64, repair("--statement", TABLE).code());
  }

  @Test
  void aTableIsDropped() {
    assertEquals(64, repair("--drop-table", "r.mail").code());
    breakTable();
    Ran dropped = repair("--drop-table", "r.mail");
    assertEquals(0, dropped.code(), dropped.out() + dropped.err());
    assertTrue(dropped.out().contains("table r.mail: dropped, with its rows"), dropped.out());
    try (EmbeddedStore store = open()) {
      Asking asking = asking(store);
      asking.run(TABLE);
      assertEquals(List.of(), asking.rows("SELECT * FROM r.mail"));
    }
  }
}
