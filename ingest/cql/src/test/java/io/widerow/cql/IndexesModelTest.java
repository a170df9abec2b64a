package io.widerow.cql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.engine.SimStore;
import io.widerow.cql.engine.TableEngine;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.TestClock;
import io.widerow.storage.embedded.EmbeddedStore;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a query by an index has the rows that all rows of the table have for its condition, in
/// their order, and the index no other entries, after any writes, whatever was flushed, merged,
/// reopened or lost with the power in between. Method: random statements over a store on a
/// simulated disk; rows are counted from all rows of the table. The seed is the test's name; to
/// replay one, run with `-Dseed=<n>`. Number of runs: `-Dindexes=<n>`.
class IndexesModelTest {
  private static final int RUNS = Slice.of("indexes", 1, 4);
  private static final AtomicLong ROWS = new AtomicLong();
  private static final long START_SECONDS = 1_700_000_000L;

  private final TestClock clock = new TestClock(START_SECONDS * 1_000_000_000L);

  static List<Long> seeds() {
    return Seeds.of(RUNS);
  }

  private Instant now() {
    return Instant.ofEpochSecond(0, clock.wallNanos());
  }

  private TableServer server(EmbeddedStore store) {
    return new TableServer(() -> store.extension(TableEngine.class), this::now);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void findsWhatARecountFinds(long seed) {
    var random = new SplittableRandom(seed);
    var disk = new SimDisk(random.nextLong());
    var driver = new IndexDriver(random.split(), START_SECONDS * 1_000_000);
    SplittableRandom choice = random.split();
    EmbeddedStore store = SimStore.open(disk, clock, random, Runnable::run);
    TableServer server = server(store);
    Asking asking = server.asking("k");
    IndexDriver.create(asking);
    for (int step = 0; step < 120; step++) {
      switch (choice.nextInt(20)) {
        case 0 -> store.extension(TableEngine.class).flush();
        case 1 -> store.extension(TableEngine.class).mergeAll();
        case 2 -> {
          if (choice.nextBoolean()) {
            store.close();
          } else {
            disk = disk.restart(); // killed
          }
          store = SimStore.open(disk, clock, random, Runnable::run);
          server = server(store);
          asking = server.asking("k");
        }
        case 3, 4 -> {
          clock.advance(choice.nextLong(30_000_000_000L));
          store.maintain();
        }
        case 5, 6 -> asking.run(driver.definition(IndexDriver.there(asking)));
        case 8 -> { // what has expired is forgotten
          forget(store);
        }
        case 7 -> clock.step(-choice.nextLong(5_000_000_000L));
        default -> asking.change(driver.change());
      }
      compare(server, driver);
    }
    store.close();
  }

  /// Lets so much time pass that what has expired is forgotten.
  private void forget(EmbeddedStore store) {
    store.extension(TableEngine.class).flush();
    clock.advance(12 * 86_400_000_000_000L);
    store.maintain();
    store.extension(TableEngine.class).mergeAll();
  }

  private static int compare(TableServer server, IndexDriver driver) {
    Asking asking = server.asking("k");
    assertEquals(List.of(), server.faultsOfIndexes());
    List<String> there = IndexDriver.there(asking);
    driver
        .expected(asking, there)
        .forEach((query, rows) -> {
          assertEquals(rows, asking.rows(query), query);
          assertEquals(rows, asking.rows(query, 1 + rows.size() % 3), query + " in pages");
          ROWS.addAndGet(rows.size());
        });
    return there.size();
  }

  @AfterAll
  static void rowsWereCompared() {
    Slice.met("rows of indexes", ROWS.get(), 200);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void isWholeAfterACrash(long seed) {
    var random = new SplittableRandom(seed);
    var disk = new SimDisk(random.nextLong());
    var driver = new IndexDriver(random.split(), START_SECONDS * 1_000_000);
    SplittableRandom crashes = random.split();
    EmbeddedStore store = SimStore.open(disk, clock, random, Runnable::run);
    Asking asking = server(store).asking("k");
    IndexDriver.create(asking);
    int[] checked = new int[2];
    disk.beforeEach(() -> {
      if (crashes.nextInt(8) == 0) {
        SimDisk crashed = disk.crash(crashes.nextBoolean());
        try (EmbeddedStore opened = SimStore.open(crashed, clock, crashes.split(), Runnable::run)) {
          TableServer after = server(opened);
          checked[0]++;
          checked[1] += compare(after, driver);
        }
      }
    });
    for (int step = 0; step < 40; step++) {
      asking.change(step % 4 == 3 ? driver.definition(IndexDriver.there(asking)) : driver.change());
      clock.advance(1_000_000_000L);
    }
    store.close();
    assertTrue(
        checked[0] > 3 && checked[1] > 3,
        "%d states with %d indexes".formatted(checked[0], checked[1]));
  }
}
