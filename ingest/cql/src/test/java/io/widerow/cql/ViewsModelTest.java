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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a materialized view shows what a recount of its table shows, with times and expiry, after
/// any writes, whatever was flushed, merged, reopened or lost with the power in between; and a view
/// that is there has all rows from the start. Method: random statements over a store on a simulated
/// disk; table and views are both read through CQL. The seed is the test's name; to replay one, run
/// with `-Dseed=<n>`. Number of runs: `-Dviews=<n>`.
class ViewsModelTest {
  private static final int RUNS = Slice.of("views", 1, 4);
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
  void showsWhatARecountShows(long seed) {
    var random = new SplittableRandom(seed);
    var disk = new SimDisk(random.nextLong());
    var driver = new ViewDriver(random.split(), START_SECONDS * 1_000_000);
    SplittableRandom choice = random.split();
    EmbeddedStore store = SimStore.open(disk, clock, random, Runnable::run);
    Asking asking = server(store).asking("k");
    ViewDriver.create(asking);
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
          asking = server(store).asking("k");
        }
        case 3, 4 -> {
          clock.advance(choice.nextLong(30_000_000_000L));
          store.maintain();
        }
        case 5, 6 -> asking.change(driver.definition(ViewDriver.there(asking)));
        case 8 -> { // what has expired is forgotten
          forget(store);
        }
        case 7 -> clock.step(-choice.nextLong(5_000_000_000L));
        default -> asking.change(driver.change());
      }
      compare(asking, driver);
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

  private static void compare(Asking asking, ViewDriver driver) {
    for (String view : ViewDriver.there(asking)) {
      List<String> rows = driver.rows(asking, view, true);
      assertEquals(rows, driver.rows(asking, view, false), view);
      ROWS.addAndGet(rows.size());
    }
  }

  @AfterAll
  static void rowsWereCompared() {
    Slice.met("rows of views", ROWS.get(), 200);
  }

  /// A row of a view ends with what its key is made of. When that is forgotten, and comes again,
  /// the other cells of its first life are not in the second.
  @Test
  void whatHadExpiredDoesNotComeBack() {
    var random = new SplittableRandom(1);
    try (EmbeddedStore store = SimStore.open(new SimDisk(1), clock, random, Runnable::run)) {
      Asking asking = server(store).asking("k");
      ViewDriver.create(asking);
      asking.run(
          "CREATE MATERIALIZED VIEW by_v AS SELECT p, c, v, w FROM t WHERE v IS NOT NULL AND p IS"
              + " NOT NULL AND c IS NOT NULL PRIMARY KEY (v, p, c)");
      asking.run("INSERT INTO t (p, c, w) VALUES (1, 1, 'a')");
      asking.run("UPDATE t USING TTL 10 SET v = 5 WHERE p = 1 AND c = 1");
      assertEquals(List.of("[5, a]"), asking.rows("SELECT v, w FROM by_v"));
      forget(store);
      assertEquals(List.of(), asking.rows("SELECT v, w FROM by_v"));
      asking.run("DELETE w FROM t WHERE p = 1 AND c = 1");
      asking.run("UPDATE t SET v = 5 WHERE p = 1 AND c = 1");
      assertEquals(List.of("[5, null]"), asking.rows("SELECT v, w FROM by_v"));
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void isWholeAfterACrash(long seed) {
    var random = new SplittableRandom(seed);
    var disk = new SimDisk(random.nextLong());
    var driver = new ViewDriver(random.split(), START_SECONDS * 1_000_000);
    SplittableRandom crashes = random.split();
    EmbeddedStore store = SimStore.open(disk, clock, random, Runnable::run);
    Asking asking = server(store).asking("k");
    ViewDriver.create(asking);
    int[] checked = new int[2];
    disk.beforeEach(() -> {
      if (crashes.nextInt(8) == 0) {
        SimDisk crashed = disk.crash(crashes.nextBoolean());
        try (EmbeddedStore opened = SimStore.open(crashed, clock, crashes.split(), Runnable::run)) {
          Asking after = server(opened).asking("k");
          compare(after, driver);
          checked[0]++;
          checked[1] += ViewDriver.there(after).size();
        }
      }
    });
    for (int step = 0; step < 40; step++) {
      asking.change(step % 4 == 3 ? driver.definition(ViewDriver.there(asking)) : driver.change());
      clock.advance(1_000_000_000L);
    }
    store.close();
    assertTrue(
        checked[0] > 3 && checked[1] > 3,
        "%d states with %d views".formatted(checked[0], checked[1]));
  }
}
