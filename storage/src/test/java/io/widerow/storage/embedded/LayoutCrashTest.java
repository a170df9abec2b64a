package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.LayoutOverride;
import io.widerow.event.PartitionWeights;
import io.widerow.event.RetentionPolicy.Source;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.TestClock;
import io.widerow.storage.layout.LayoutOverrides;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a layout that was set outlives a power cut from the moment it is acknowledged, a layout
/// that is being set is present as a whole or not at all, and no event is lost by it, nor when a
/// merge gives events other keys. Method: random changes and writes on a simulated disk; the power
/// is cut before each operation of the disk, and the surviving disk is opened and compared with a
/// model.
class LayoutCrashTest {
  private static final List<String> TYPES = List.of("cpu", "disk", "disk.io");
  private static final List<String> GLOBS = List.of("*", "cpu", "disk*", "disk.io");
  private static final List<Integer> WIDTHS =
      List.of(LayoutOverride.AUTO, LayoutOverride.UNSAID, 15, 60, 1_440);
  private static final int STEPS = 14;

  private static int states;

  private SplittableRandom random = new SplittableRandom(0);
  private SplittableRandom cuts = new SplittableRandom(0);
  private TestClock clock = new TestClock(RetentionStore.START_NANOS);
  private LayoutOverrides acknowledged = LayoutOverrides.NONE;
  private LayoutOverrides flying = LayoutOverrides.NONE;
  private final Set<Integer> events = new HashSet<>();
  private final Set<Integer> written = new HashSet<>();

  static List<Long> seeds() {
    return Seeds.of(Slice.of(3, 12));
  }

  @AfterAll
  static void enoughStatesWereSeen() {
    System.out.println(states + " crash states of layouts");
    Slice.met("crash states", states, 100);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void layoutsThatWereSetOutliveACut(long seed) {
    random = new SplittableRandom(seed);
    cuts = random.split();
    clock = new TestClock(RetentionStore.START_NANOS);
    var disk = new SimDisk(random.nextLong());
    try (var it = new RetentionStore(disk, clock, Runnable::run)) {
      fit(it);
      TYPES.forEach(type -> write(it, type));
      disk.beforeEach(() -> cut(disk));
      for (int step = 0; step < STEPS; step++) {
        step(it);
        assertEquals(rules(acknowledged), set(it));
      }
      disk.beforeEach(() -> {});
      assertEquals(events, numbers(it));
    }
  }

  /// Lets merges divide buckets of more than four events.
  private static void fit(RetentionStore it) {
    it.store()
        .layout()
        .configure(List.of(), new PartitionWeights(1 << 30, 2, 1 << 20, 1 << 30), true);
  }

  private void step(RetentionStore it) {
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> {
        String glob = GLOBS.get(random.nextInt(GLOBS.size()));
        int width = WIDTHS.get(random.nextInt(WIDTHS.size()));
        var rule = new LayoutOverride(glob, width, 1 + random.nextInt(4), Source.API);
        flying = acknowledged.with(rule);
        var _ = it.store().layout().set(rule);
        acknowledged = flying;
      }
      case 3 -> {
        List<LayoutOverride> there = acknowledged.inOrder();
        if (!there.isEmpty()) {
          String glob = there.get(random.nextInt(there.size())).glob();
          flying = acknowledged.without(glob, Source.API);
          it.store().layout().unset(glob);
          acknowledged = flying;
        }
      }
      case 4 -> {
        it.reopen();
        fit(it);
      }
      case 5 -> it.merge();
      default -> write(it, TYPES.get(random.nextInt(TYPES.size())));
    }
  }

  private void write(RetentionStore it, String type) {
    int first = written.size();
    for (int i = 0; i < 5; i++) {
      written.add(first + i);
    }
    long late = random.nextLong(10 * RetentionStore.HOUR.toNanos());
    assertEquals(List.of(), it.write(type, clock.wallNanos() - late, 5));
    events.addAll(written);
  }

  private static Set<LayoutOverride> set(RetentionStore it) {
    Set<LayoutOverride> rules = new HashSet<>();
    it.store().layout().rules().forEach(each -> rules.add(each.rule()));
    return rules;
  }

  private static Set<LayoutOverride> rules(LayoutOverrides of) {
    return new HashSet<>(of.inOrder());
  }

  private void cut(SimDisk disk) {
    if (cuts.nextInt(2) != 0) {
      return;
    }
    SimDisk left = disk.crash(cuts.nextBoolean());
    try (var it = new RetentionStore(left, clock, Runnable::run)) {
      Set<LayoutOverride> there = set(it);
      assertTrue(
          there.equals(rules(acknowledged)) || there.equals(rules(flying)),
          "rules %s, acknowledged %s".formatted(there, acknowledged));
      Set<Integer> shown = numbers(it);
      assertTrue(shown.containsAll(events), "lost: " + events + " shown: " + shown);
      assertTrue(written.containsAll(shown), "never written: " + shown);
      states++;
      fit(it);
      it.merge();
      assertEquals(shown, numbers(it), "after a merge");
    }
  }

  private static Set<Integer> numbers(RetentionStore it) {
    Set<Integer> numbers = new HashSet<>();
    for (String shown : it.shown()) {
      assertTrue(numbers.add(Integer.parseInt(shown.split(" ", -1)[4])), "twice: " + shown);
    }
    return numbers;
  }
}
