package io.widerow.cql;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.engine.SimStore;
import io.widerow.cql.engine.TableEngine;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.embedded.EmbeddedStore;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: what is derived from a table shows what a recount of the table shows, after any writes,
/// whatever was flushed, merged, reopened or lost with the power in between. Method: random
/// statements over a store on a simulated disk; all is read through CQL. The seed is the test's
/// name; to replay one, run with `-Dseed=<n>`. A class has its seeds in a method `seeds`.
abstract class DerivedModelTest {
  private static final long START_SECONDS = 1_700_000_000L;

  protected final TestClock clock = new TestClock(START_SECONDS * 1_000_000_000L);
  private final AtomicLong rows;

  /// @param rows counts what is compared
  DerivedModelTest(AtomicLong rows) {
    this.rows = rows;
  }

  /// @param firstMicros of the timestamps that statements name
  abstract DerivedDriver driver(SplittableRandom random, long firstMicros);

  TableServer server(EmbeddedStore store) {
    return new TableServer(
        () -> store.extension(TableEngine.class),
        () -> Instant.ofEpochSecond(0, clock.wallNanos()));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void showsWhatARecountShows(long seed) {
    var random = new SplittableRandom(seed);
    var disk = new SimDisk(random.nextLong());
    DerivedDriver driver = driver(random.split(), START_SECONDS * 1_000_000);
    SplittableRandom choice = random.split();
    EmbeddedStore store = SimStore.open(disk, clock, random, Runnable::run);
    TableServer server = server(store);
    Asking asking = server.asking("k");
    driver.create(asking);
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
        case 5, 6 -> asking.change(driver.definition(driver.there(asking)));
        case 8 -> forget(store);
        case 7 -> clock.step(-choice.nextLong(5_000_000_000L));
        default -> asking.change(driver.change());
      }
      rows.addAndGet(driver.compare(server));
    }
    store.close();
  }

  /// Lets so much time pass that what has expired is forgotten.
  void forget(EmbeddedStore store) {
    store.extension(TableEngine.class).flush();
    clock.advance(12 * 86_400_000_000_000L);
    store.maintain();
    store.extension(TableEngine.class).mergeAll();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void isWholeAfterACrash(long seed) {
    var random = new SplittableRandom(seed);
    var disk = new SimDisk(random.nextLong());
    DerivedDriver driver = driver(random.split(), START_SECONDS * 1_000_000);
    SplittableRandom crashes = random.split();
    EmbeddedStore store = SimStore.open(disk, clock, random, Runnable::run);
    Asking asking = server(store).asking("k");
    driver.create(asking);
    int[] checked = new int[2];
    disk.beforeEach(() -> {
      if (crashes.nextInt(8) == 0) {
        SimDisk crashed = disk.crash(crashes.nextBoolean());
        try (EmbeddedStore opened = SimStore.open(crashed, clock, crashes.split(), Runnable::run)) {
          TableServer after = server(opened);
          rows.addAndGet(driver.compare(after));
          checked[0]++;
          checked[1] += driver.there(after.asking("k")).size();
        }
      }
    });
    for (int step = 0; step < 40; step++) {
      asking.change(step % 4 == 3 ? driver.definition(driver.there(asking)) : driver.change());
      clock.advance(1_000_000_000L);
    }
    store.close();
    assertTrue(
        checked[0] > 3 && checked[1] > 3,
        "%d states with %d views or indexes".formatted(checked[0], checked[1]));
  }
}
