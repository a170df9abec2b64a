package io.widerow.storage.embedded;

import static io.widerow.storage.embedded.FigureStore.DAY_NANOS;
import static io.widerow.storage.embedded.FigureStore.HOUR_NANOS;
import static io.widerow.storage.embedded.FigureStore.figures;
import static io.widerow.storage.embedded.FigureStore.filesOfFigures;
import static io.widerow.storage.embedded.FigureStore.rollup;
import static io.widerow.storage.embedded.RetentionStore.START_NANOS;
import static io.widerow.storage.embedded.RetentionStore.rule;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.TestClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: aggregates of a rollup with `keep` cover all events that were written, whatever retention
/// is set, whatever was dropped, and after a power cut at any moment. Method: random policies, late
/// writes and repeated ids, time and starts on the simulated disk; before its operations, copies of
/// the disk as a cut leaves it are opened, compared, maintained and compared again. The seed is the
/// test's name.
class FigureCrashTest {
  private static final Duration KEEP = Duration.ofDays(400);
  private static final List<String> TYPES = List.of("ka", "kb", "kc");
  private static final int STEPS = 16;
  private static long states;
  private static long statesWithFigures;

  private final FigureStore model = new FigureStore();
  private SplittableRandom random = new SplittableRandom(0);
  private SplittableRandom cuts = new SplittableRandom(0);
  private TestClock clock = new TestClock(START_NANOS);

  static List<Long> seeds() {
    return Seeds.of(Slice.of("figurecrashes", 1, 3));
  }

  @AfterAll
  static void enoughStatesWereSeen() {
    System.out.printf("%d crash states, %d with files of figures%n", states, statesWithFigures);
    Slice.met("crash states with figures", statesWithFigures, 1);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void figuresAreThoseOfAllEventsAfterACut(long seed) {
    random = new SplittableRandom(seed);
    cuts = random.split();
    clock = new TestClock(START_NANOS);
    var disk = new SimDisk(random.nextLong());
    try (var it = new RetentionStore(disk, clock, Runnable::run)) {
      it.store().rollups().set(rollup("kept", "k*", random.nextBoolean() ? 1 : 60, KEEP));
      for (int day = 9; day > 0; day--) {
        for (String type : TYPES) {
          long nanos = START_NANOS - day * DAY_NANOS;
          model.write(it, type, nanos, 4, random.nextInt(3) == 0);
          model.write(it, type, nanos + HOUR_NANOS / 2, 4, false);
        }
        if (random.nextInt(3) == 0) {
          it.merge();
        }
      }
      it.merge();
      for (int step = 0; step < STEPS; step++) {
        disk.beforeEach(() -> cut(disk));
        step(it);
        disk.beforeEach(() -> {});
        if (random.nextInt(3) == 0) {
          write(it);
        }
        assertEquals(model.expected(), figures(it.store()), "step " + step);
      }
    }
  }

  private void step(RetentionStore it) {
    switch (random.nextInt(6)) {
      case 0, 1 -> {
        Duration grace = random.nextBoolean() ? Duration.ZERO : Duration.ofMinutes(15);
        String glob = random.nextBoolean() ? "k*" : TYPES.get(random.nextInt(TYPES.size()));
        it.retention().set(rule(glob, Duration.ofDays(2 + random.nextInt(8)), grace));
      }
      case 2 -> {
        clock.advance(Duration.ofMinutes(9).toNanos());
        it.store().maintain();
      }
      case 3 -> it.reopen();
      default -> it.store().maintain();
    }
  }

  /// Writes events of the last day, which no policy reaches; some replace stored events.
  private void write(RetentionStore it) {
    String type = TYPES.get(random.nextInt(TYPES.size()));
    long nanos = START_NANOS - DAY_NANOS + (random.nextInt(2) == 0 ? 0 : HOUR_NANOS / 2);
    model.write(it, type, nanos, 3, random.nextBoolean());
    if (random.nextBoolean()) {
      it.store().sealAll();
    }
  }

  private void cut(SimDisk disk) {
    if (cuts.nextInt(4) != 0) {
      return;
    }
    SimDisk left = disk.crash(cuts.nextBoolean());
    Map<String, String> expected = model.expected();
    try (var it = new RetentionStore(left, clock, Runnable::run)) {
      assertEquals(expected, figures(it.store()), "after a cut");
      statesWithFigures += filesOfFigures(it) > 0 ? 1 : 0;
      it.store().maintain();
      assertEquals(expected, figures(it.store()), "after a cut, maintained");
      states++;
    }
  }
}
