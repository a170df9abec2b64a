package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.SavedRule;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.manifest.RuleSection;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: rules outlive a restart, beside policies and without them; after a power cut at any moment
/// they are those that were acknowledged, or those of the change under way; a refusal changes
/// nothing. Method: a store on a simulated disk, and copies of what a cut leaves.
class RuleControlTest {
  private TreeMap<String, SavedRule> acknowledged = new TreeMap<>();
  private TreeMap<String, SavedRule> flying = acknowledged;
  private int states;

  static List<Long> seeds() {
    return Seeds.of(Integer.getInteger("rulecrashes", 5));
  }

  @Test
  void rulesOutliveRestarts() {
    try (var it = new RetentionStore()) {
      assertEquals(List.of(), it.store().rules().all());
      var errors = new SavedRule("errors", "stats=count&above=1");
      var silent = new SavedRule("a.silent", "stats=count&below=1");
      it.store().rules().set(errors);
      it.store().rules().set(silent);
      it.retention().set(RetentionStore.rule("a", Duration.ofDays(7), Duration.ZERO));
      it.reopen();
      assertEquals(List.of(silent, errors), it.store().rules().all());
      assertEquals(
          1, it.retention().policies().stream().filter(x -> x.policy().glob().equals("a")).count());
      var other = new SavedRule("errors", "stats=count&above=2");
      it.store().rules().set(other);
      it.store().rules().unset("a.silent");
      it.reopen();
      assertEquals(List.of(other), it.store().rules().all());
    }
  }

  @Test
  void refusalsChangeNothing() {
    try (var it = new RetentionStore()) {
      RuleControl rules = it.store().rules();
      var none = assertThrows(IllegalArgumentException.class, () -> rules.unset("x"));
      assertEquals("rule: there is no 'x'; none is set", none.getMessage());
      for (int i = 0; i < RuleSection.COUNT_MAX; i++) {
        rules.set(new SavedRule("r" + i, "x"));
      }
      var full =
          assertThrows(
              IllegalArgumentException.class, () -> rules.set(new SavedRule("one-more", "x")));
      assertTrue(String.valueOf(full.getMessage()).contains("at most 1024"), full.getMessage());
      rules.set(new SavedRule("r7", "y"));
      assertEquals(RuleSection.COUNT_MAX, rules.all().size());
      assertFalse(rules.all().contains(new SavedRule("r7", "x")));
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void rulesOutliveACut(long seed) {
    var random = new SplittableRandom(seed);
    var clock = new TestClock(RetentionStore.START_NANOS);
    var disk = new SimDisk(random.nextLong());
    try (var it = new RetentionStore(disk, clock, Runnable::run)) {
      disk.beforeEach(() -> cut(disk, clock, random.nextBoolean()));
      for (int step = 0; step < 15; step++) {
        flying = new TreeMap<>(acknowledged);
        String name = "r" + random.nextInt(4);
        if (random.nextInt(3) == 0 && flying.remove(name) != null) {
          it.store().rules().unset(name);
        } else {
          var rule = new SavedRule(name, "x".repeat(1 + random.nextInt(3_000)));
          flying.put(name, rule);
          it.store().rules().set(rule);
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
      List<SavedRule> there = it.store().rules().all();
      assertTrue(
          there.equals(List.copyOf(flying.values()))
              || there.equals(List.copyOf(acknowledged.values())),
          () -> "rules %s, acknowledged %s".formatted(there, acknowledged.keySet()));
      states++;
    }
  }
}
