package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.SavedText;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.TestClock;
import io.widerow.storage.manifest.SavedSection;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: alert rules and queries outlive a restart, together with policies; after a power cut at
/// any moment they are the acknowledged ones, or the ones of the change in progress; a refusal
/// changes nothing. Method: a store on a simulated disk, and copies of the disk as a cut leaves it.
class SavedControlTest {
  private TreeMap<String, SavedText> acknowledged = new TreeMap<>();
  private TreeMap<String, SavedText> flying = acknowledged;
  private boolean questions; // else rules
  private int states;

  static List<Long> seeds() {
    return Seeds.of(Slice.of("rulecrashes", 1, 5));
  }

  @Test
  void rulesOutliveRestarts() {
    try (var it = new RetentionStore()) {
      assertEquals(List.of(), it.store().saved(SavedControl.Kind.RULES).all());
      var errors = new SavedText("errors", "stats=count&above=1");
      var silent = new SavedText("a.silent", "stats=count&below=1");
      it.store().saved(SavedControl.Kind.RULES).set(errors);
      it.store().saved(SavedControl.Kind.RULES).set(silent);
      it.retention().set(RetentionStore.rule("a", Duration.ofDays(7), Duration.ZERO));
      it.reopen();
      assertEquals(List.of(silent, errors), it.store().saved(SavedControl.Kind.RULES).all());
      assertEquals(
          1, it.retention().policies().stream().filter(x -> x.policy().glob().equals("a")).count());
      var other = new SavedText("errors", "stats=count&above=2");
      it.store().saved(SavedControl.Kind.RULES).set(other);
      it.store().saved(SavedControl.Kind.RULES).unset("a.silent");
      var question = new SavedText("errors", "where=status+%3E+499");
      it.store().saved(SavedControl.Kind.QUERIES).set(question);
      it.reopen();
      assertEquals(List.of(other), it.store().saved(SavedControl.Kind.RULES).all());
      assertEquals(List.of(question), it.store().saved(SavedControl.Kind.QUERIES).all());
      it.store().saved(SavedControl.Kind.QUERIES).unset("errors");
      assertEquals(List.of(other), it.store().saved(SavedControl.Kind.RULES).all());
    }
  }

  @Test
  void refusalsChangeNothing() {
    try (var it = new RetentionStore()) {
      SavedControl rules = it.store().saved(SavedControl.Kind.RULES);
      var none = assertThrows(IllegalArgumentException.class, () -> rules.unset("x"));
      assertEquals("rule: there is no 'x'; none is set", none.getMessage());
      for (int i = 0; i < SavedSection.COUNT_MAX; i++) {
        rules.set(new SavedText("r" + i, "x"));
      }
      var full =
          assertThrows(
              IllegalArgumentException.class, () -> rules.set(new SavedText("one-more", "x")));
      assertTrue(String.valueOf(full.getMessage()).contains("at most 1024"), full.getMessage());
      rules.set(new SavedText("r7", "y"));
      assertEquals(SavedSection.COUNT_MAX, rules.all().size());
      assertFalse(rules.all().contains(new SavedText("r7", "x")));
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void rulesOutliveACut(long seed) {
    var random = new SplittableRandom(seed);
    questions = random.nextBoolean();
    var clock = new TestClock(RetentionStore.START_NANOS);
    var disk = new SimDisk(random.nextLong());
    try (var it = new RetentionStore(disk, clock, Runnable::run)) {
      disk.beforeEach(() -> cut(disk, clock, random.nextBoolean()));
      for (int step = 0; step < 15; step++) {
        flying = new TreeMap<>(acknowledged);
        String name = "r" + random.nextInt(4);
        if (random.nextInt(3) == 0 && flying.remove(name) != null) {
          control(it).unset(name);
        } else {
          var text = new SavedText(name, "x".repeat(1 + random.nextInt(3_000)));
          flying.put(name, text);
          control(it).set(text);
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

  private SavedControl control(RetentionStore it) {
    return questions
        ? it.store().saved(SavedControl.Kind.QUERIES)
        : it.store().saved(SavedControl.Kind.RULES);
  }

  private void cut(SimDisk disk, TestClock clock, boolean torn) {
    try (var it = new RetentionStore(disk.crash(torn), clock, Runnable::run)) {
      List<SavedText> there = control(it).all();
      assertTrue(
          there.equals(List.copyOf(flying.values()))
              || there.equals(List.copyOf(acknowledged.values())),
          () -> "rules %s, acknowledged %s".formatted(there, acknowledged.keySet()));
      states++;
    }
  }
}
