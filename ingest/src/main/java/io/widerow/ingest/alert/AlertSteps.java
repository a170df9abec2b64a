package io.widerow.ingest.alert;

import io.widerow.ingest.alert.ActiveAlert.State;
import io.widerow.query.series.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// One evaluation of the alerts of a rule: a pure function of the alerts before it and the results.
///
/// ```
///   inactive --result--> pending --for--> firing --no result for keep_firing_for--> inactive
///                          |                                                          |
///                          +--no result--> gone             kept 15 m for delivery ---+
/// ```
///
/// Source: prometheus/prometheus `rules/alerting.go`.
final class AlertSteps {
  /// How long an alert is kept after it was resolved.
  static final long KEPT_MILLIS = 900_000;

  private AlertSteps() {}

  /// A result, after labels and annotations were expanded.
  record Found(SortedMap<String, String> annotations, double value) {}

  /// A change of the state of an alert.
  record Transition(long millis, String alert, Labels labels, State from, State to, double value) {}

  /// @param before in the order of labels, as the result
  /// @param changes gets each change
  static SortedMap<Labels, ActiveAlert> step(
      Rule rule,
      SortedMap<Labels, ActiveAlert> before,
      SortedMap<Labels, Found> found,
      long millis,
      List<Transition> changes) {
    SortedMap<Labels, ActiveAlert> after = new TreeMap<>();
    before.forEach((labels, alert) -> {
      Found now = found.get(labels);
      ActiveAlert next =
          now != null && alert.isActive()
              ? alert.found(now.annotations(), now.value())
              : now == null ? without(rule, alert, millis) : null;
      if (next != null) {
        after.put(labels, next);
      }
    });
    found.forEach((labels, now) ->
        after.computeIfAbsent(
            labels, _ -> ActiveAlert.begin(labels, now.annotations(), now.value(), millis)));
    after.replaceAll((_, alert) ->
        alert.state() == State.PENDING && millis - alert.activeAt() >= rule.forMillis()
            ? alert.firing(millis)
            : alert);
    List<Labels> all = new ArrayList<>(before.keySet());
    after.keySet().stream().filter(labels -> !before.containsKey(labels)).forEach(all::add);
    all.sort(null);
    for (Labels labels : all) {
      note(rule, before.get(labels), after.get(labels), millis, changes);
    }
    return after;
  }

  /// An alert that has no result; null when it is not kept.
  private static @Nullable ActiveAlert without(Rule rule, ActiveAlert alert, long millis) {
    return switch (alert.state()) {
      case PENDING -> null;
      case INACTIVE -> millis - alert.resolvedAt() > KEPT_MILLIS ? null : alert;
      case FIRING -> {
        long since = alert.keepSince() == 0 ? millis : alert.keepSince();
        yield rule.keepMillis() > 0 && millis - since < rule.keepMillis()
            ? alert.kept(since)
            : alert.resolved(millis);
      }
    };
  }

  private static void note(
      Rule rule,
      @Nullable ActiveAlert before,
      @Nullable ActiveAlert after,
      long millis,
      List<Transition> changes) {
    State from = before == null ? State.INACTIVE : before.state();
    State to = after == null ? State.INACTIVE : after.state();
    ActiveAlert shown = after == null ? before : after;
    if (from != to && shown != null) {
      changes.add(new Transition(millis, rule.name(), shown.labels(), from, to, shown.value()));
    }
  }
}
