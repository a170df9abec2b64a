package io.widerow.cql.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.store.Mutations;
import io.widerow.cql.store.TableDriver;
import io.widerow.cql.store.TableModel;
import io.widerow.cql.store.TableView;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.embedded.EmbeddedStore;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: after a power cut at any moment the tables have every group that was acknowledged, and the
/// one in flight whole or not at all. Method: random groups on a simulated disk; before every
/// operation on it, a crashed copy is opened and compared with models. The seed is the test's name;
/// to replay one, run with `-Dseed=<n>`. Number of runs: `-Dcrashes=<n>`.
public class TablesCrashTest {
  private static final long START_SECONDS = 1_700_000_000L;
  private static final int RUNS = Math.max(1, Slice.of("crashes", 3, 9) / 3);
  private static final AtomicLong STATES = new AtomicLong();

  private final TableModel acknowledged = new TableModel();
  private final TableModel inFlight = new TableModel();
  private final List<Runnable> background = new ArrayList<>();
  private final TestClock clock = new TestClock(START_SECONDS * 1_000_000_000L);

  static List<Long> seeds() {
    return Seeds.of(RUNS);
  }

  @AfterAll
  static void enoughStatesWereSeen() {
    Slice.met("crash states", STATES.get(), 200L * RUNS);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  public void whatWasAcknowledgedIsThere(long seed) {
    var random = new SplittableRandom(seed);
    var disk = new SimDisk(random.nextLong());
    var driver = new TableDriver(random.split());
    SplittableRandom crashes = random.split();
    SplittableRandom choice = random.split();
    if (choice.nextInt(3) == 0) {
      driver.withValues(30_000); // so that groups have several frames
    }
    disk.beforeEach(() -> crashAndCheck(disk, crashes));
    EmbeddedStore store = SimStore.open(disk, clock, random, background::add);
    for (int step = 0; step < 25; step++) {
      switch (choice.nextInt(8)) {
        case 0 -> store.extension(TableEngine.class).flush();
        case 1 -> store.extension(TableEngine.class).mergeAll();
        case 2 -> runBackground();
        case 3 -> {
          clock.advance(choice.nextLong(70_000_000_000L));
          store.maintain();
          runBackground();
        }
        case 4 -> {
          runBackground();
          store.close();
          store = SimStore.open(disk, clock, random, background::add);
        }
        default -> {
          for (int left = choice.nextInt(5); left > 0; left--) {
            write(store, driver.group(clock.wallNanos() / 1_000_000_000L));
          }
        }
      }
    }
    runBackground();
    store.close();
  }

  /// A wall clock that jumps ahead and comes back has cost no row that expires.
  @Test
  void aClockThatIsWrongForgetsNothing() {
    var random = new SplittableRandom(2);
    try (EmbeddedStore store = SimStore.open(new SimDisk(2), clock, random, background::add)) {
      long expiry = START_SECONDS + 3_600;
      store
          .extension(TableEngine.class)
          .write((_, out) -> {
            byte[] key = {1, 2, 3};
            var _ = out.row(key, 1).cell(1, null, new byte[] {7}, 10, 3_600, expiry);
            return true;
          })
          .join();
      store.extension(TableEngine.class).flush();
      clock.step(400 * 86_400_000_000_000L);
      store.maintain();
      runBackground();
      store.extension(TableEngine.class).mergeAll();
      clock.step(-400 * 86_400_000_000_000L);
      try (TableView shown = store.extension(TableEngine.class).view()) {
        assertEquals(1, TableDriver.readAll(shown, expiry - 1).size());
        assertEquals(0, TableDriver.readAll(shown, expiry).size());
      }
      clock.advance(12 * 86_400_000_000_000L);
      store.maintain();
      runBackground();
      store.extension(TableEngine.class).mergeAll();
      try (TableView shown = store.extension(TableEngine.class).view()) {
        assertEquals(0, TableDriver.readAll(shown, expiry - 1).size(), "forgotten in the end");
      }
    }
  }

  /// At a level that does not wait for the disk, a write is on it when it is a second old, whether
  /// or not another one comes.
  @Test
  void whatIsASecondOldIsThere() {
    var random = new SplittableRandom(1);
    var disk = new SimDisk(1);
    try (EmbeddedStore store = SimStore.open(disk, clock, random, background::add)) {
      store.extension(TableEngine.class).acknowledge(Durability.OS);
      var driver = new TableDriver(random.split());
      for (int i = 0; i < 8; i++) {
        write(store, driver.group(START_SECONDS));
      }
      clock.advance(2_000_000_000L);
      store.maintain();
      runBackground();
      try (EmbeddedStore opened = SimStore.open(disk.crash(false), clock, random, Runnable::run)) {
        long now = clock.wallNanos() / 1_000_000_000L;
        try (TableView shown = opened.extension(TableEngine.class).view();
            TableView written = acknowledged.view()) {
          assertEquals(TableDriver.readAll(written, now), TableDriver.readAll(shown, now));
          assertTrue(!TableDriver.readAll(shown, now).isEmpty());
        }
      }
    }
  }

  private void runBackground() {
    while (!background.isEmpty()) {
      background.removeFirst().run();
    }
  }

  private void write(EmbeddedStore store, Consumer<Mutations> group) {
    inFlight.write((_, out) -> TablesModelTest.run(group, out)).join();
    store.extension(TableEngine.class).write((_, out) -> TablesModelTest.run(group, out)).join();
    acknowledged.write((_, out) -> TablesModelTest.run(group, out)).join();
  }

  private void crashAndCheck(SimDisk disk, SplittableRandom random) {
    SimDisk crashed = disk.crash(random.nextBoolean());
    if (random.nextInt(3) == 0) {
      crashed.cutPowerAt(crashed.operations() + random.nextInt(120));
      try (EmbeddedStore cut = SimStore.open(crashed, clock, random, Runnable::run)) {
        check(cut);
      } catch (SimDisk.PowerCut expected) {
        // the next opening comes to the same state
      }
      crashed = crashed.crash(random.nextBoolean());
    }
    EmbeddedStore opened = SimStore.open(crashed, clock, random, Runnable::run);
    check(opened);
    if (random.nextInt(4) == 0) {
      opened.extension(TableEngine.class).flush();
      opened.extension(TableEngine.class).mergeAll();
      check(opened);
    }
    opened.close();
    STATES.incrementAndGet();
  }

  private void check(EmbeddedStore store) {
    long now = clock.wallNanos() / 1_000_000_000L;
    try (TableView shown = store.extension(TableEngine.class).view();
        TableView before = acknowledged.view();
        TableView after = inFlight.view()) {
      List<String> rows = TableDriver.readAll(shown, now);
      if (!rows.equals(TableDriver.readAll(after, now))) {
        assertEquals(TableDriver.readAll(before, now), rows);
      }
    }
  }
}
