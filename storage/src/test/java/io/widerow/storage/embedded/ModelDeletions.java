package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.TypeGlob;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreModel.Written;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.Filter.Literal;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.DeletionControl.Asked;
import io.widerow.storage.embedded.DeletionControl.Plan;
import io.widerow.storage.manifest.Deletion;
import io.widerow.storage.manifest.Deletion.State;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Deletions by random filters, in a store and in its model. Events that come after a deletion has
/// begun are shown.
final class ModelDeletions {
  private static final AttributeName VALUE = AttributeName.of("value");
  private static final int LOOKS = 50;

  private final SplittableRandom random;
  private final List<Integer> begun = new ArrayList<>(); // ids

  ModelDeletions(SplittableRandom random) {
    this.random = random;
  }

  /// A deletion, for the store and for the model.
  record Drawn(Asked asked, Predicate<Written> test) {
    /// True when aggregates that count an event may count a deleted event.
    boolean mayConcern(Written event) {
      return isOfTypes(asked.globs(), event.type()) && event.timeNanos() >= asked.fromNanos();
    }
  }

  private static boolean isOfTypes(List<String> globs, String type) {
    return globs.isEmpty() || globs.stream().anyMatch(glob -> TypeGlob.matches(glob, type));
  }

  /// Draws what to delete.
  ///
  /// @param fromNanos times to choose from, whole ticks
  Drawn draw(StoreModel model, List<Long> fromNanos) {
    List<Written> all = model.all();
    List<String> globs =
        switch (random.nextInt(4)) {
          case 0 -> List.of();
          case 1 -> List.of("*c*"); // access, cpu|load
          default -> List.of(StoreDriver.TYPES.get(random.nextInt(StoreDriver.TYPES.size())));
        };
    boolean ranged = !fromNanos.isEmpty() && random.nextInt(3) == 0;
    long from = ranged ? fromNanos.get(random.nextInt(fromNanos.size())) : Long.MIN_VALUE;
    Filter filter;
    Predicate<Written> test;
    if (all.isEmpty() || random.nextInt(3) == 0) {
      double least = random.nextInt(100) / 4.0;
      filter = new Filter.Compare(VALUE, Comparison.GREATER_OR_EQUAL, new Literal.Fraction(least));
      test = event -> event.value() >= least;
    } else {
      List<Long> numbers = new ArrayList<>();
      List<Filter> parts = new ArrayList<>();
      for (int left = 1 + random.nextInt(6); left > 0; left--) {
        long number = all.get(random.nextInt(all.size())).number();
        numbers.add(number);
        parts.add(
            new Filter.Compare(StoreModel.NUMBER, Comparison.EQUAL, new Literal.Whole(number)));
      }
      filter = new Filter.Or(parts);
      test = event -> numbers.contains(event.number());
    }
    return new Drawn(
        new Asked(globs, from, Long.MAX_VALUE, "drawn", filter),
        event -> isOfTypes(globs, event.type()) && event.timeNanos() >= from && test.test(event));
  }

  /// Begins a deletion, whose events are hidden at once; or checks that there is nothing to do.
  /// Everything that was appended must be committed.
  void begin(EmbeddedStore store, StoreModel model, Drawn drawn) {
    Plan plan = plan(store, model, drawn);
    if (plan != null) {
      run(store, model, plan, drawn);
    }
  }

  /// @return null when nothing that is shown matches
  @Nullable Plan plan(EmbeddedStore store, StoreModel shown, Drawn drawn) {
    long expected = shown.all().stream().filter(drawn.test).count();
    try (StoreView view = store.view()) {
      if (expected == 0) {
        var refused =
            assertThrows(
                IllegalArgumentException.class, () -> store.deletions().plan(drawn.asked, view));
        assertTrue(String.valueOf(refused.getMessage()).contains("nothing matches"));
        return null;
      }
      Plan plan = store.deletions().plan(drawn.asked, view);
      assertEquals(expected, plan.events(), "planned");
      return plan;
    }
  }

  void run(EmbeddedStore store, StoreModel model, Plan plan, Drawn drawn) {
    var _ = store.deletions().run(plan.id());
    model.remove(drawn.test);
    begun.add(plan.id());
  }

  /// Waits until all are done, and checks what they say of themselves.
  void finish(EmbeddedStore store) {
    store.sealAll();
    for (int look = 0; look < LOOKS && !store.deletions().all().isEmpty(); look++) {
      store.maintain();
    }
    for (int id : begun) {
      Deletion done = store.deletions().get(id);
      assertEquals(State.DONE, done.state(), () -> "d-" + id);
      assertEquals(done.proof().keptBefore(), done.proof().kept());
      assertEquals(0, store.deletions().verify(id));
    }
  }

  int count() {
    return begun.size();
  }
}
