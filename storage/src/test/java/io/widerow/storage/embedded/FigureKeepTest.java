package io.widerow.storage.embedded;

import static io.widerow.storage.embedded.FigureStore.DAY_NANOS;
import static io.widerow.storage.embedded.FigureStore.HOUR_NANOS;
import static io.widerow.storage.embedded.FigureStore.figures;
import static io.widerow.storage.embedded.FigureStore.filesOfFigures;
import static io.widerow.storage.embedded.FigureStore.rollup;
import static io.widerow.storage.embedded.RetentionStore.START_NANOS;
import static io.widerow.storage.embedded.RetentionStore.rule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.storage.Filter;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.DeletionControl.Asked;
import io.widerow.storage.embedded.DeletionControl.Plan;
import io.widerow.storage.manifest.Deletion.State;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Goal: aggregates of a rollup with `keep` are the same before and after retention drops the
/// events that they count; the store reports minutes without aggregates; a clock that jumped loses
/// nothing, and a deletion leaves nothing behind. Method: a store on a simulated disk, compared
/// with a plain list of events.
class FigureKeepTest {
  private static final Duration KEEP = Duration.ofDays(40);

  private final FigureStore model = new FigureStore();

  /// Ten days of two types, some with ids of their own and written again later.
  private RetentionStore filled() {
    return filled(KEEP);
  }

  private RetentionStore filled(Duration keep) {
    var it = new RetentionStore();
    it.store().rollups().set(rollup("kept", "k*", 60, keep));
    for (int day = 10; day > 0; day--) {
      model.write(it, "ka", START_NANOS - day * DAY_NANOS, 20, false);
      model.write(it, "kb", START_NANOS - day * DAY_NANOS, 5, true);
      model.write(it, "kb", START_NANOS - day * DAY_NANOS + HOUR_NANOS / 2, 20, false);
    }
    it.merge();
    for (int day = 10; day > 0; day -= 3) {
      model.write(it, "kb", START_NANOS - day * DAY_NANOS, 3, true); // late, and instead of others
    }
    it.merge();
    return it;
  }

  private static void pass(RetentionStore it, Duration time) {
    for (long left = time.toMinutes(); left > 0; left -= 5) {
      it.clock.advance(Duration.ofMinutes(Math.min(5, left)).toNanos());
      it.store().maintain();
    }
  }

  /// Both segments have cells of the step, and each counts the event.
  @Test
  void anEventThatReplacesOneOfAnotherSegmentIsCountedOnce() {
    try (RetentionStore it = new RetentionStore()) {
      it.store().rollups().set(rollup("kept", "k*", 60, KEEP));
      for (int round = 0; round < 2; round++) {
        model.write(it, "kb", START_NANOS - DAY_NANOS, 5, true);
        it.store().sealAll();
      }
      assertEquals(model.expected(), figures(it.store()));
    }
  }

  @Test
  void figuresOutliveTheirEvents() {
    try (RetentionStore it = filled()) {
      Map<String, String> expected = model.expected();
      assertEquals(expected, figures(it.store()));
      List<String> all = it.shown();
      it.retention().set(rule("k*", Duration.ofDays(3), Duration.ofMinutes(15)));
      it.store().maintain();
      assertTrue(it.shown().size() < all.size(), "hidden at once");
      assertEquals(expected, figures(it.store()), "aggregates of hidden events");
      assertEquals(0, filesOfFigures(it), "within the grace nothing is dropped");
      it.retention().unset("k*");
      assertEquals(all, it.shown(), "it comes back within the grace");

      it.retention().set(rule("k*", Duration.ofDays(3), Duration.ofMinutes(15)));
      long files = it.filesOnDisk();
      pass(it, Duration.ofMinutes(20));
      assertTrue(it.filesOnDisk() < files, "events are dropped");
      assertTrue(filesOfFigures(it) > 0);
      var watch = new ScanWatch(() -> {});
      assertEquals(expected, figures(it.store(), watch));
      assertTrue(watch.keptMinutes() > 0);
      assertEquals(0, watch.missingMinutes());
      it.retention().unset("k*");
      assertTrue(it.shown().size() < all.size(), "events do not come back after the grace");
      it.reopen();
      assertEquals(expected, figures(it.store()), "after a start");
    }
  }

  @Test
  void figuresGoWhenTheirOwnAgeIsPast() {
    try (RetentionStore it = filled()) {
      it.retention().set(rule("k*", Duration.ofDays(3), Duration.ZERO));
      it.store().maintain();
      assertTrue(filesOfFigures(it) > 0);
      it.clock.step(Duration.ofDays(300).toNanos());
      it.store().maintain();
      assertEquals(model.expected(), figures(it.store()), "a clock that jumped drops nothing");
      it.clock.step(-Duration.ofDays(300).toNanos());
      it.store().maintain();
      it.clock.advance(Duration.ofDays(35).toNanos());
      it.store().maintain();
      long now = it.clock.wallNanos();
      model.forget(event -> hourEnd(event.nanos()) + KEEP.toNanos() <= now);
      assertTrue(model.expected().size() > 3, "some are kept still");
      assertEquals(model.expected(), figures(it.store()), "hidden by the hour");
      it.clock.advance(Duration.ofDays(20).toNanos());
      it.store().maintain();
      assertEquals(Map.of(), figures(it.store()));
      assertEquals(0, filesOfFigures(it));
    }
  }

  private static long hourEnd(long nanos) {
    return (nanos / HOUR_NANOS + 1) * HOUR_NANOS;
  }

  @Test
  void aRollupThatIsNotKeptLeavesNothing() {
    try (var it = new RetentionStore()) {
      it.store().rollups().set(rollup("short", "*", 60, null));
      model.write(it, "ka", START_NANOS - 10 * DAY_NANOS, 20, false);
      it.merge();
      it.retention().set(rule("*", Duration.ofDays(3), Duration.ZERO));
      it.store().maintain();
      assertEquals(Map.of(), figures(it.store()));
      assertEquals(0, it.filesOnDisk());
      assertTrue(it.disk.files().stream().noneMatch(file -> file.toString().contains("figures")));
    }
  }

  /// Types of one file that are kept differently long: a merge leaves one out.
  @Test
  void figuresAreKeptOfWhatAMergeLeavesOut() {
    try (RetentionStore it = filled()) {
      it.retention().set(rule("kb", Duration.ofDays(3), Duration.ZERO));
      for (int look = 0; look < 20; look++) {
        it.store().maintain();
      }
      assertEquals(model.expected(), figures(it.store()));
      assertTrue(filesOfFigures(it) > 0);
      assertEquals(200, it.counts().get("ka"), "all of the type that stays");
    }
  }

  @Test
  void aRollupThatIsRemovedHidesWhatItKept() {
    try (RetentionStore it = filled()) {
      it.retention().set(rule("k*", Duration.ofDays(3), Duration.ZERO));
      it.store().maintain();
      it.store().rollups().unset("kept");
      it.store().maintain();
      var watch = new ScanWatch(() -> {});
      assertNotEquals(model.expected(), figures(it.store(), watch));
      assertTrue(watch.missingMinutes() > 0, "missing minutes are reported");
      it.store().rollups().set(rollup("again", "k*", 60, KEEP));
      assertEquals(model.expected(), figures(it.store()));
    }
  }

  @Test
  void manyFilesBecomeOne() {
    try (RetentionStore it = filled(Duration.ofDays(400))) {
      for (int days = 9; days >= 2; days--) {
        it.retention().set(rule("k*", Duration.ofDays(days), Duration.ZERO));
        it.store().maintain();
        assertEquals(model.expected(), figures(it.store()), days + " days");
      }
      for (int look = 0; look < 5; look++) {
        it.store().maintain();
      }
      assertTrue(filesOfFigures(it) < 8, filesOfFigures(it) + " files");
      assertEquals(model.expected(), figures(it.store()));
      it.reopen();
      assertEquals(model.expected(), figures(it.store()));
    }
  }

  /// Deleted events cannot be subtracted from aggregates whose events are gone: such aggregates are
  /// deleted as a whole.
  @Test
  void aDeletionTakesFiguresThatMayCountItsEvents() {
    try (RetentionStore it = filled()) {
      it.retention().set(rule("k*", Duration.ofDays(3), Duration.ZERO));
      it.store().maintain();
      long from = START_NANOS - 6 * DAY_NANOS;
      var filter =
          new Filter.Compare(
              AttributeName.of("value"), Filter.Comparison.EQUAL, new Filter.Literal.Whole(1));
      var asked = new Asked(List.of("kb"), from, Long.MAX_VALUE, "value = 1", filter);
      Plan plan;
      try (StoreView view = it.store().view()) {
        plan = it.store().deletions().plan(asked, view);
      }
      assertTrue(plan.figures() > 0, plan::toString);
      assertTrue(plan.figureEvents() > 0, plan::toString);
      assertEquals(model.expected(), figures(it.store()), "a plan takes nothing");
      long droppedUntil = it.clock.wallNanos() - 3 * DAY_NANOS;
      var _ = it.store().deletions().run(plan.id());
      model.forget(event ->
          event.type().equals("kb")
              && event.nanos() >= from
              && (event.value() == 1 || hourEnd(event.nanos()) <= droppedUntil));
      assertEquals(model.expected(), figures(it.store()), "at once");
      it.store().sealAll();
      for (int look = 0; look < 50; look++) {
        it.store().maintain();
      }
      assertEquals(State.DONE, it.store().deletions().get(plan.id()).state());
      assertEquals(model.expected(), figures(it.store()));
      it.reopen();
      assertEquals(model.expected(), figures(it.store()));
    }
  }

  /// A snapshot has the aggregates, too.
  @Test
  void aSnapshotHasThem() {
    try (RetentionStore it = filled()) {
      it.retention().set(rule("k*", Duration.ofDays(3), Duration.ZERO));
      it.store().maintain();
      Path target = Path.of("/copy");
      var _ = it.store().snapshot(target);
      Map<String, Long> names = new TreeMap<>();
      it.disk.files().stream()
          .filter(file -> file.toString().endsWith(".fig"))
          .forEach(file -> names.merge(file.getFileName().toString(), 1L, Long::sum));
      assertTrue(!names.isEmpty() && names.values().stream().allMatch(count -> count == 2));
    }
  }
}
