package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.Text;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.TestClock;
import io.widerow.storage.Arrivals;
import io.widerow.storage.Filter;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.DeletionControl.Asked;
import io.widerow.storage.embedded.DeletionControl.Plan;
import io.widerow.storage.manifest.Deletion;
import io.widerow.storage.manifest.Deletion.State;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: what a deletion removes is hidden from the moment it begins, is in no file when it is
/// done, nothing else goes, and a power cut at any moment changes none of that. Method: stores on a
/// simulated disk; before its operations copies of what a cut leaves are opened and compared.
class DeletionTest {
  private static final long HOUR = Duration.ofHours(1).toNanos();
  private static final List<String> TYPES = List.of("cpu", "disk", "disk.io");
  private static int states;

  private SplittableRandom random = new SplittableRandom(0);
  private SplittableRandom cuts = new SplittableRandom(0);
  private TestClock clock = new TestClock(RetentionStore.START_NANOS);
  private final Set<String> before = new HashSet<>();
  private final Set<String> after = new HashSet<>();
  private boolean begins;
  private boolean begun;

  static List<Long> seeds() {
    return Seeds.of(Slice.of("deletioncrashes", 2, 6));
  }

  @AfterAll
  static void enoughStatesWereSeen() {
    System.out.println(states + " crash states of deletions");
  }

  private static Filter has(String word) {
    return new Filter.Has(AttributeName.BODY, Text.of(word));
  }

  private static Asked asked(List<String> types, String word) {
    return new Asked(types, Long.MIN_VALUE, Long.MAX_VALUE, "body has " + word, has(word));
  }

  private static Plan plan(RetentionStore it, Asked asked) {
    try (StoreView view = it.store().view()) {
      return it.store().deletions().plan(asked, view);
    }
  }

  private static void finish(RetentionStore it) {
    for (int look = 0; look < 100; look++) {
      it.store().maintain();
    }
  }

  @Test
  void eventsGoFromEveryFileAndNothingElse() {
    try (var it = new RetentionStore()) {
      for (String type : TYPES) {
        assertEquals(List.of(), it.write(type, it.clock.wallNanos() - 5 * HOUR, 40));
      }
      it.merge();
      assertEquals(List.of(), it.write("cpu", it.clock.wallNanos() - HOUR, 40));
      List<String> all = it.shown();
      Plan plan = plan(it, asked(List.of(), "7"));
      List<String> kept = all.stream().filter(each -> !hasWord(each, "7")).toList();
      assertEquals(all.size() - kept.size(), plan.events());
      assertEquals(1, plan.id());
      assertEquals(all, it.shown(), "a plan hides nothing");
      var begun = it.store().deletions().run(1);
      assertEquals(kept, it.shown(), "hidden at once");
      it.store().sealAll();
      finish(it);
      Deletion done = it.store().deletions().get(1);
      assertEquals(State.DONE, done.state(), begun::toString);
      assertEquals(plan.events(), done.proof().removed());
      assertEquals(done.proof().keptBefore(), done.proof().kept());
      assertEquals(0, it.store().deletions().verify(1));
      assertEquals(kept, it.shown());
      assertEquals(List.of(), it.write("cpu", it.clock.wallNanos(), 1));
      assertEquals(kept.size() + 1, it.shown().size(), "what comes later is shown");
      it.reopen();
      assertEquals(kept.size() + 1, it.shown().size());
      assertEquals(done, it.store().deletions().get(1));
      assertEquals(it.filesOnDisk(), it.store().statistics().segments());
    }
  }

  /// A reader that follows has no second look: what arrives while a deletion runs is shown at once.
  @Test
  void whatArrivesLaterIsNeverHidden() {
    try (var it = new RetentionStore()) {
      assertEquals(List.of(), it.write("cpu", it.clock.wallNanos() - HOUR, 5));
      assertEquals(1, plan(it, asked(List.of("cpu"), "line")).id());
      var _ = it.store().deletions().run(1);
      assertEquals(List.of(), it.shown());
      Arrivals followed;
      try (StoreView view = it.store().view()) {
        followed = view.arrivals();
      }
      assertEquals(List.of(), it.write("cpu", it.clock.wallNanos() - HOUR, 3));
      assertEquals(State.RUNNING, stateOf(it));
      List<String> later = it.shown(_ -> true, followed);
      assertEquals(3, later.size());
      assertEquals(later, it.shown());
      it.store().sealAll();
      finish(it);
      assertEquals(State.DONE, stateOf(it));
      assertEquals(later, it.shown());
    }
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    try (var it = new RetentionStore()) {
      assertEquals(List.of(), it.write("cpu", it.clock.wallNanos(), 3));
      var nothing =
          assertThrows(IllegalArgumentException.class, () -> plan(it, asked(List.of(), "nowhere")));
      assertTrue(String.valueOf(nothing.getMessage()).contains("nothing matches"));
      var none = assertThrows(IllegalArgumentException.class, () -> it.store().deletions().run(7));
      assertTrue(String.valueOf(none.getMessage()).contains("no d-7"));
      var opaque =
          new Asked(
              List.of(),
              Long.MIN_VALUE,
              Long.MAX_VALUE,
              "body ~ x",
              new Filter.Matches(AttributeName.BODY, (_, _, _) -> true));
      assertThrows(IllegalArgumentException.class, () -> plan(it, opaque));
      assertEquals(3, it.shown().size());
      assertEquals(List.of(), it.store().deletions().all());
    }
  }

  private static boolean hasWord(String shown, String word) {
    return List.of(shown.split(" ", -1)).contains(word);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aCutHidesAndRemovesAllOrNothing(long seed) {
    random = new SplittableRandom(seed);
    cuts = random.split();
    clock = new TestClock(RetentionStore.START_NANOS);
    var disk = new SimDisk(random.nextLong());
    try (var it = new RetentionStore(disk, clock, Runnable::run)) {
      for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 12; i++) {
          String type = TYPES.get(random.nextInt(TYPES.size()));
          long late = random.nextLong(12 * HOUR);
          assertEquals(List.of(), it.write(type, clock.wallNanos() - late, 1));
        }
        if (random.nextBoolean()) {
          it.merge();
        } else {
          it.store().sealAll();
        }
      }
      before.addAll(it.shown());
      List<String> some = List.copyOf(before);
      String word = some.get(random.nextInt(some.size())).split(" ", -1)[4];
      after.addAll(
          before.stream().filter(each -> !hasWord(each, word)).collect(Collectors.toSet()));
      Plan plan = plan(it, asked(List.of(), word));
      disk.beforeEach(() -> cut(disk));
      begins = true;
      var _ = it.store().deletions().run(plan.id());
      begun = true;
      assertEquals(after, Set.copyOf(it.shown()));
      finish(it);
      disk.beforeEach(() -> {});
      assertEquals(State.DONE, stateOf(it));
      assertEquals(0, it.store().deletions().verify(1));
      assertEquals(after, Set.copyOf(it.shown()));
    }
  }

  private static State stateOf(RetentionStore it) {
    return assertDoesNotThrow(() -> it.store().deletions().get(1).state(), "it is lost");
  }

  private void cut(SimDisk disk) {
    if (cuts.nextInt(3) != 0) {
      return;
    }
    SimDisk left = disk.crash(cuts.nextBoolean());
    try (var it = new RetentionStore(left, clock, Runnable::run)) {
      Set<String> shown = Set.copyOf(it.shown());
      assertTrue(
          shown.equals(after) || (!begun && shown.equals(before)),
          () -> "begun %s, begins %s: %s".formatted(begun, begins, shown));
      assertEquals(1, it.store().deletions().all().size(), "a plan that was acknowledged");
      boolean goes = stateOf(it) != State.PLANNED;
      assertEquals(goes, shown.equals(after));
      states++;
      finish(it);
      assertEquals(shown, Set.copyOf(it.shown()));
      if (goes) {
        assertEquals(State.DONE, stateOf(it));
        assertEquals(0, it.store().deletions().verify(1));
      }
    }
  }
}
