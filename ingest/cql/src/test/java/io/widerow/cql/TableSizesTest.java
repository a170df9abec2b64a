package io.widerow.cql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.engine.SimStore;
import io.widerow.cql.engine.TableEngine;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.embedded.EmbeddedStore;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: `widerow.table_sizes` lists the widest partitions of the existing tables, with the cells
/// by the formula for wide rows. Method: tables of the hotel and others over a store on a simulated
/// disk.
class TableSizesTest {
  private static final int DAYS = 30;
  private static final int ROOMS = 10;

  private static final String ROWS =
      "SELECT partition_key, n_r, n_c, n_pk, n_s, n_v, exact FROM widerow.table_sizes";

  private final TestClock clock = new TestClock(1_700_000_000_000_000_000L);
  private final SimDisk disk = new SimDisk(1);
  private EmbeddedStore store = open();
  private TableServer server = new TableServer(() -> store.extension(TableEngine.class), this::now);
  private Asking asking = server.asking("hotel");

  private EmbeddedStore open() {
    return SimStore.open(disk, clock, new SplittableRandom(1), Runnable::run);
  }

  private Instant now() {
    return Instant.ofEpochSecond(0, clock.wallNanos());
  }

  @BeforeEach
  void create() {
    asking.run("CREATE KEYSPACE hotel WITH replication = {'class': 'SimpleStrategy'}");
    asking.run(
        "CREATE TABLE rooms (hotel_id text, date date, room_number smallint, is_available boolean,"
            + " PRIMARY KEY ((hotel_id), date, room_number))");
    asking.run(
        "CREATE TABLE guests (country text, month int, id int, currency text static, name text,"
            + " phone text, PRIMARY KEY ((country, month), id))");
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void fill() {
    LocalDate first = LocalDate.of(2026, 1, 1);
    for (int hotel = 1; hotel <= 3; hotel++) {
      for (int day = 0; day < DAYS * hotel; day++) {
        StringBuilder batch = new StringBuilder("BEGIN BATCH ");
        for (int room = 0; room < ROOMS; room++) {
          batch.append(
              ("INSERT INTO rooms (hotel_id, date, room_number, is_available) VALUES ('NY%d',"
                      + " '%s', %d, true); ")
                  .formatted(hotel, first.plusDays(day), room));
        }
        asking.run(batch.append("APPLY BATCH").toString());
      }
    }
    asking.run("INSERT INTO guests (country, month, id, currency) VALUES ('us', 1, 1, 'usd')");
    asking.run("INSERT INTO guests (country, month, id, name) VALUES ('us', 1, 2, 'Ann')");
    asking.run("UPDATE guests SET phone = '1' WHERE country = 'no' AND month = 2 AND id = 3");
  }

  private List<String> sizes(String table) {
    return asking.rows(
        ROWS + " WHERE keyspace_name = 'hotel' AND table_name = '%s'".formatted(table));
  }

  @Test
  void theyAreThoseOfTheFormula() {
    fill();
    for (int times = 0; times < 3; times++) { // in memory, in a file, after a restart
      assertEquals(
          List.of(
              "[NY3, 900, 4, 3, 0, 900, true]",
              "[NY2, 600, 4, 3, 0, 600, true]",
              "[NY1, 300, 4, 3, 0, 300, true]"),
          sizes("rooms"));
      assertEquals(
          List.of("[us:1, 2, 6, 3, 1, 5, true]", "[no:2, 1, 6, 3, 1, 3, true]"), sizes("guests"));
      if (times == 0) {
        store.extension(TableEngine.class).flush();
      } else {
        store.close();
        store = open();
        server.restart();
      }
    }
    List<String> bytes =
        asking.rows(
            "SELECT bytes FROM widerow.table_sizes WHERE keyspace_name = 'hotel' AND table_name ="
                + " 'rooms' AND n_v > 500");
    assertEquals(2, bytes.size());
    assertTrue(bytes.stream().noneMatch("[0]"::equals), bytes::toString);
    String last =
        " WHERE keyspace_name = 'hotel' AND table_name = 'rooms' ORDER BY table_name DESC";
    assertEquals("[NY1, 300, 4, 3, 0, 300, true]", asking.rows(ROWS + last).getFirst());
    assertEquals(5, asking.rows(ROWS, 2).size());
  }

  @Test
  void tablesThatAreGoneAreNotShown() {
    fill();
    asking.run(
        "CREATE MATERIALIZED VIEW by_phone AS SELECT phone, country, month, id, name FROM guests"
            + " WHERE phone IS NOT NULL AND"
            + " country IS NOT NULL AND month IS NOT NULL AND id IS NOT NULL PRIMARY KEY (phone,"
            + " country, month, id)");
    assertEquals(List.of("[1, 1, 5, 4, 0, 1, true]"), sizes("by_phone"));
    store.extension(TableEngine.class).flush();
    asking.run("DELETE FROM guests WHERE country = 'no' AND month = 2");
    assertEquals(List.of(), sizes("by_phone"));
    assertEquals(List.of("[us:1, 2, 6, 3, 1, 5, true]"), sizes("guests"));
    asking.run("TRUNCATE rooms");
    assertEquals(List.of(), sizes("rooms"));
    asking.run("DROP MATERIALIZED VIEW by_phone");
    asking.run("DROP TABLE guests");
    assertEquals(List.of(), asking.rows(ROWS));
  }

  @Test
  void itTakesNoChanges() {
    assertEquals(
        "2100 widerow keyspace is not user-modifiable.",
        asking.refusal("DELETE FROM widerow.table_sizes WHERE keyspace_name = 'hotel'"));
    assertEquals(
        "2100 widerow keyspace is not user-modifiable.",
        asking.refusal("DROP TABLE widerow.table_sizes"));
    assertEquals(
        List.of("[indexes]", "[table_sizes]"),
        asking.rows("SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'widerow'"));
  }
}
