package io.widerow.ingest.alert;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.alert.ActiveAlert.State;
import io.widerow.ingest.alert.AlertSteps.Found;
import io.widerow.ingest.alert.AlertSteps.Transition;
import io.widerow.query.promql.PromqlParser;
import io.widerow.query.series.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: states of alerts follow `for`, `keep_firing_for` and gaps. Method: random results of
/// random rules at random times, against an interpreter that derives each state from all results so
/// far, without the state before.
class AlertStepsTest {
  private static final int LABELS = 3;
  private static final int STEPS = 200;

  private static Labels labels(int number) {
    return Labels.of(new TreeMap<>(java.util.Map.of("n", Integer.toString(number))));
  }

  private static Rule rule(long forMillis, long keepMillis) {
    return new Rule(
        true,
        "a",
        new RuleExpr.Promql("x", PromqlParser.parse("expr", "x")),
        forMillis,
        keepMillis,
        new TreeMap<>(),
        new TreeMap<>());
  }

  /// The state of one alert by the definition: the last unbroken run of results counts, in which a
  /// gap is filled when the alert fired before it and the gap was shorter than `keep_firing_for`.
  private static State state(Rule rule, List<Long> times, List<Boolean> results) {
    State state = State.INACTIVE;
    long began = 0;
    long gap = -1;
    for (int i = 0; i < times.size(); i++) {
      long now = times.get(i);
      if (results.get(i)) {
        gap = -1;
        began = state == State.INACTIVE ? now : began;
        boolean fires = state == State.FIRING || now - began >= rule.forMillis();
        state = fires ? State.FIRING : State.PENDING;
      } else if (state == State.PENDING) {
        state = State.INACTIVE;
      } else if (state == State.FIRING) {
        gap = gap < 0 ? now : gap;
        state = now - gap < rule.keepMillis() ? State.FIRING : State.INACTIVE;
        gap = state == State.INACTIVE ? -1 : gap;
      }
    }
    return state;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void statesAreThoseOfTheInterpreter(long seed) {
    var random = new SplittableRandom(seed);
    Rule rule = rule(random.nextInt(6) * 60_000L, random.nextInt(4) * 60_000L);
    List<Long> times = new ArrayList<>();
    List<List<Boolean>> results = new ArrayList<>();
    for (int i = 0; i < LABELS; i++) {
      results.add(new ArrayList<>());
    }
    SortedMap<Labels, ActiveAlert> alerts = new TreeMap<>();
    SortedMap<Labels, State> told = new TreeMap<>();
    long now = 1_000_000;
    for (int step = 0; step < STEPS; step++) {
      now += 60_000L * (random.nextInt(10) == 0 ? random.nextInt(1, 40) : 1);
      times.add(now);
      SortedMap<Labels, Found> found = new TreeMap<>();
      for (int i = 0; i < LABELS; i++) {
        boolean has = random.nextInt(8) < 4 + i;
        results.get(i).add(has);
        if (has) {
          found.put(labels(i), new Found(new TreeMap<>(), step));
        }
      }
      List<Transition> changes = new ArrayList<>();
      alerts = AlertSteps.step(rule, alerts, found, now, changes);
      for (Transition change : changes) {
        assertEquals(change.from(), told.getOrDefault(change.labels(), State.INACTIVE));
        told.put(change.labels(), change.to());
      }
      for (int i = 0; i < LABELS; i++) {
        ActiveAlert alert = alerts.get(labels(i));
        State expected = state(rule, times, results.get(i));
        assertEquals(expected, alert == null ? State.INACTIVE : alert.state(), "step " + step);
        assertEquals(expected, told.getOrDefault(labels(i), State.INACTIVE), "told " + step);
        if (alert != null && !alert.isActive()) {
          assertTrue(now - alert.resolvedAt() <= AlertSteps.KEPT_MILLIS, "kept " + step);
        }
      }
    }
  }
}
