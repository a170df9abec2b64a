package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.TestClock;
import io.widerow.rollup.RollupDefinition;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupFigure;
import io.widerow.rollup.RollupShape;
import io.widerow.storage.manifest.RollupSection;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: rollups outlive a restart, with policies and without them; after a power cut at any moment
/// they are the acknowledged ones, or the ones of the change in progress; a refusal changes
/// nothing. Method: a store on a simulated disk, and copies of the disk as a cut leaves it.
class RollupControlTest {
  private TreeMap<String, RollupDefinition> acknowledged = new TreeMap<>();
  private TreeMap<String, RollupDefinition> flying = acknowledged;
  private int states;

  static List<Long> seeds() {
    return Seeds.of(Slice.of("rollupcrashes", 1, 5));
  }

  private static RollupDefinition rollup(String name, int figures) {
    var field = new RollupField(AttributeName.of("ms"), figures);
    var shape = new RollupShape(60, List.of(AttributeName.of("status")), List.of(field));
    return new RollupDefinition(name, "http*", shape, "sum(ms)", Duration.ofDays(figures));
  }

  @Test
  void rollupsOutliveRestarts() {
    try (var it = new RetentionStore()) {
      assertEquals(List.of(), it.store().rollups().all());
      it.store().rollups().set(rollup("b", 1));
      it.store().rollups().set(rollup("a.b", 2));
      it.retention().set(RetentionStore.rule("a", Duration.ofDays(7), Duration.ZERO));
      it.reopen();
      assertEquals(List.of(rollup("a.b", 2), rollup("b", 1)), it.store().rollups().all());
      it.store().rollups().set(rollup("b", 3));
      it.store().rollups().unset("a.b");
      it.reopen();
      assertEquals(List.of(rollup("b", 3)), it.store().rollups().all());
    }
  }

  @Test
  void refusalsChangeNothing() {
    try (var it = new RetentionStore()) {
      RollupControl rollups = it.store().rollups();
      var none = assertThrows(IllegalArgumentException.class, () -> rollups.unset("x"));
      assertEquals("rollup: there is no 'x'; none is defined", none.getMessage());
      for (int i = 0; i < RollupSection.COUNT_MAX; i++) {
        rollups.set(rollup("r" + i, 1));
      }
      var full =
          assertThrows(IllegalArgumentException.class, () -> rollups.set(rollup("one-more", 1)));
      assertEquals("rollup: 64 are defined; at most 64 can be", full.getMessage());
      rollups.set(rollup("r7", RollupFigure.ALL));
      assertEquals(RollupSection.COUNT_MAX, rollups.all().size());
      assertTrue(rollups.all().contains(rollup("r7", RollupFigure.ALL)));
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void rollupsOutliveACut(long seed) {
    var random = new SplittableRandom(seed);
    var clock = new TestClock(RetentionStore.START_NANOS);
    var disk = new SimDisk(random.nextLong());
    try (var it = new RetentionStore(disk, clock, Runnable::run)) {
      disk.beforeEach(() -> cut(disk, clock, random.nextBoolean()));
      for (int step = 0; step < 15; step++) {
        flying = new TreeMap<>(acknowledged);
        String name = "r" + random.nextInt(4);
        if (random.nextInt(3) == 0 && flying.remove(name) != null) {
          it.store().rollups().unset(name);
        } else {
          RollupDefinition rollup = rollup(name, 1 + random.nextInt(RollupFigure.ALL));
          flying.put(name, rollup);
          it.store().rollups().set(rollup);
        }
        acknowledged = flying;
        if (random.nextInt(4) == 0) {
          it.reopen();
        }
      }
      disk.beforeEach(() -> {});
    }
    assertTrue(states > 15, states + " crash states");
  }

  private void cut(SimDisk disk, TestClock clock, boolean torn) {
    try (var it = new RetentionStore(disk.crash(torn), clock, Runnable::run)) {
      List<RollupDefinition> there = it.store().rollups().all();
      assertTrue(
          there.equals(List.copyOf(flying.values()))
              || there.equals(List.copyOf(acknowledged.values())),
          () -> "rollups %s, acknowledged %s".formatted(there, acknowledged.keySet()));
      states++;
    }
  }
}
