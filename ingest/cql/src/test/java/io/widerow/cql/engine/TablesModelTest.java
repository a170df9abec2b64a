package io.widerow.cql.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.cql.store.Mutations;
import io.widerow.cql.store.TableDriver;
import io.widerow.cql.store.TableModel;
import io.widerow.cql.store.TableView;
import io.widerow.cql.store.TableWrite;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.TestClock;
import io.widerow.storage.embedded.EmbeddedStore;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: the tables of a store show what a model shows that is only rules, whatever was flushed,
/// merged or reopened in between. Method: random groups of mutations with equal and old timestamps,
/// all kinds of deletions and times to live, applied to both; slices in both directions compared.
/// The seed is the test's name; to replay one, run with `-Dseed=<n>`. Number of runs:
/// `-Dtables=<n>`.
public class TablesModelTest {
  private static final long START_SECONDS = 1_700_000_000L;
  private static final int RUNS = Slice.of("tables", 4, 20);

  static List<Long> seeds() {
    return Seeds.of(RUNS);
  }

  static void write(EmbeddedStore store, TableModel model, Consumer<Mutations> group) {
    model.write((_, out) -> run(group, out)).join();
    store.extension(TableEngine.class).write((_, out) -> run(group, out)).join();
  }

  /// Writes a group, and adds to it what follows from a look at the tables with it.
  private static void writeLooking(EmbeddedStore store, TableModel model, TableDriver driver) {
    Consumer<Mutations> group = driver.group(START_SECONDS);
    Consumer<Mutations> more = driver.group(START_SECONDS);
    byte[][] range = driver.range();
    List<List<String>> seen = new ArrayList<>();
    model.write((_, out) -> run(group, out)).join();
    try (TableView right = model.view()) {
      look(right, range, seen);
    }
    model.write((_, out) -> run(more, out)).join();
    store
        .extension(TableEngine.class)
        .write(
            new TableWrite<Boolean>() {
              @Override
              public Boolean run(TableView before, Mutations out) {
                return TablesModelTest.run(group, out);
              }

              @Override
              public boolean derives() {
                return true;
              }

              @Override
              public void derive(TableView before, TableView after, Mutations out) {
                look(after, range, seen);
                more.accept(out);
                look(after, range, seen);
              }
            })
        .join();
    assertEquals(seen.subList(0, 2), seen.subList(2, 4));
    assertEquals(seen.subList(0, 2), seen.subList(4, 6)); // without the added rows
  }

  private static void look(TableView view, byte[][] range, List<List<String>> seen) {
    seen.add(TableDriver.readAll(view, START_SECONDS));
    seen.add(TableDriver.read(view, range[0], range[1], true, START_SECONDS));
  }

  static boolean run(Consumer<Mutations> group, Mutations out) {
    group.accept(out);
    return true;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  public void showsWhatTheModelShows(long seed) {
    var random = new SplittableRandom(seed);
    var clock = new TestClock(START_SECONDS * 1_000_000_000L);
    var disk = new SimDisk(random.nextLong());
    var driver = new TableDriver(random.split());
    if (random.nextInt(4) == 0) {
      driver.withValues(20_000);
    }
    var model = new TableModel();
    EmbeddedStore store = SimStore.open(disk, clock, random, Runnable::run);
    for (int step = 0; step < 60; step++) {
      long now = clock.wallNanos() / 1_000_000_000L;
      switch (random.nextInt(10)) {
        case 0 -> store.extension(TableEngine.class).flush();
        case 1 -> store.extension(TableEngine.class).mergeAll();
        case 2 -> {
          if (random.nextBoolean()) {
            store.close();
          } else {
            disk = disk.restart(); // killed
          }
          store = SimStore.open(disk, clock, random, Runnable::run);
        }
        case 3 -> {
          clock.advance(random.nextLong(70_000_000_000L));
          store.maintain();
        }
        default -> {
          for (int left = random.nextInt(8); left > 0; left--) {
            write(store, model, driver.group(now));
          }
          writeLooking(store, model, driver);
        }
      }
      compare(store, model, driver, random, clock.wallNanos() / 1_000_000_000L);
    }
    store.close();
  }

  /// How many rows the partitions of the driver's first table have, counting all rows, and counting
  /// only rows that are live themselves.
  private static List<String> widths(TableView view, long now) {
    List<String> widths = new ArrayList<>();
    for (boolean onlyLive : new boolean[] {false, true}) {
      view.widest(TableDriver.table(), onlyLive, 100, Long.MAX_VALUE, now).partitions().stream()
          .map(each -> HexFormat.of().formatHex(each.key()) + " " + each.rows())
          .sorted()
          .forEach(widths::add);
    }
    return widths;
  }

  private static void compare(
      EmbeddedStore store,
      TableModel model,
      TableDriver driver,
      SplittableRandom random,
      long now) {
    try (TableView shown = store.extension(TableEngine.class).view();
        TableView right = model.view()) {
      assertEquals(TableDriver.readAll(right, now), TableDriver.readAll(shown, now));
      assertEquals(TableDriver.liveExpiries(right, now), TableDriver.liveExpiries(shown, now));
      assertEquals(widths(right, now), widths(shown, now));
      for (int i = 0; i < 6; i++) {
        byte[][] range = driver.range();
        boolean descending = random.nextBoolean();
        assertEquals(
            TableDriver.read(right, range[0], range[1], descending, now),
            TableDriver.read(shown, range[0], range[1], descending, now));
      }
    }
  }
}
