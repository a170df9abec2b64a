package io.widerow.storage.embedded;

import static io.widerow.storage.embedded.RetentionStore.START_NANOS;
import static io.widerow.storage.embedded.RetentionStore.rule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.LayoutOverride;
import io.widerow.event.RetentionPolicy;
import io.widerow.event.Text;
import io.widerow.faults.Seeds;
import io.widerow.storage.Filter;
import io.widerow.storage.RetentionSettings.Going;
import io.widerow.storage.RetentionSettings.Standing;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.DeletionControl.Asked;
import io.widerow.storage.embedded.DeletionControl.Plan;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a plan and its execution agree to the event, for retention and for deletions, whatever the
/// widths of the buckets and wherever the clock is. Method: stores on the simulated disk whose
/// buckets became narrower after some events were written, with events ahead of the clock and with
/// deleted ones; each plan is compared with what a reader no longer sees.
class PlanAgreesTest {
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();
  private static final List<Integer> WIDTHS = List.of(60, 30, 10, 1);
  private static int straddled;
  private static int ahead;

  static List<Long> seeds() {
    return Seeds.of(Integer.getInteger("plans", 12));
  }

  @AfterAll
  static void theOddCasesOccurred() {
    assertTrue(straddled > 0, "no plan had part of a partition");
    assertTrue(ahead > 0, "no event was ahead of the clock");
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aPlanIsWhatGoes(long seed) {
    var random = new SplittableRandom(seed);
    try (var it = new RetentionStore()) {
      for (int width : WIDTHS) {
        int events = 40 + random.nextInt(60);
        for (int i = 0; i < events; i++) {
          long minutesAgo = random.nextInt(8) == 0 ? random.nextInt(-9, 0) : random.nextInt(600);
          it.write(random.nextBoolean() ? "cpu" : "disk", START_NANOS - minutesAgo * MINUTE, 1);
        }
        if (random.nextBoolean()) {
          it.store().sealAll();
        }
        it.store()
            .layout()
            .set(
                new LayoutOverride(
                    "cpu", width, LayoutOverride.UNSAID, RetentionPolicy.Source.API));
        if (random.nextInt(3) == 0) {
          delete(it, "" + random.nextInt(10));
        }
        retain(it, random);
      }
    }
  }

  private static void delete(RetentionStore it, String word) {
    var asked =
        new Asked(
            List.of(),
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            "body has " + word,
            new Filter.Has(AttributeName.BODY, Text.of(word)));
    long before = it.shown().size();
    Plan plan;
    try (StoreView view = it.store().view()) {
      plan = it.store().deletions().plan(asked, view);
    } catch (IllegalArgumentException nothing) {
      return; // no text has the word
    }
    ahead += plan.ahead() > 0 ? 1 : 0;
    var _ = it.store().deletions().run(plan.id());
    assertEquals(plan.events(), before - it.shown().size(), plan::toString);
    for (int look = 0;
        look < 200 && it.store().deletions().standing(plan.id()).endedNanos() == 0;
        look++) {
      it.store().sealAll();
      it.store().maintain();
    }
    assertEquals(
        0,
        it.store().deletions().verify(plan.id()),
        () -> plan + " " + it.store().deletions().standing(plan.id()));
  }

  private static void retain(RetentionStore it, SplittableRandom random) {
    RetentionPolicy policy =
        rule("cpu", Duration.ofMinutes(1 + random.nextInt(700)), Duration.ofDays(1));
    List<String> before = it.shown();
    List<Going> plan = it.retention().plan(policy);
    long planned = plan.stream().mapToLong(Going::events).sum();
    straddled += plan.stream().anyMatch(each -> each.bytes() == 0) ? 1 : 0;
    Standing set = it.retention().set(policy);
    assertEquals(planned, before.size() - it.shown().size(), () -> policy + ": " + plan);
    assertEquals(planned, set.hidden().events(), () -> policy + ": " + set);
    it.retention().unset("cpu");
    assertEquals(before, it.shown());
  }
}
