package io.widerow.ingest.alert;

import io.widerow.query.series.Labels;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What a group knows after an evaluation. It is never changed: the evaluation that follows it
/// makes another one, which counts once it is stored.
///
/// @param at time of the evaluation, milliseconds since the Unix epoch; [#NEVER] before the first
/// @param arrived the position in the order of arrival that it has read; empty before the first
record GroupState(long at, String arrived, List<OfRule> rules) {
  static final long NEVER = Long.MIN_VALUE;

  GroupState {
    rules = List.copyOf(rules);
  }

  /// The state of a rule.
  ///
  /// @param alerts in the order of labels, those that were resolved lately too
  /// @param series that the last evaluation wrote
  /// @param error of the last evaluation; null when it had none
  /// @param seconds that it took
  /// @param shown the aggregate of a rule that the store keeps
  /// @param late alerts that fired and ended in the past, as late events have shown
  record OfRule(
      SortedMap<Labels, ActiveAlert> alerts,
      Set<Labels> series,
      @Nullable String error,
      double seconds,
      Evaluation.@Nullable Value shown,
      List<LateAlert> late) {
    static final OfRule NEW = new OfRule(new TreeMap<>(), Set.of(), null, 0, null, List.of());

    OfRule {
      alerts = Collections.unmodifiableSortedMap(alerts);
      series = Collections.unmodifiableSet(new TreeSet<>(series));
      late = List.copyOf(late);
    }

    /// The same after an evaluation without a result.
    OfRule failed(String why, double took) {
      return new OfRule(alerts, series, why, took, null, late);
    }

    OfRule withSeries(Set<Labels> others) {
      return new OfRule(alerts, others, error, seconds, shown, late);
    }

    OfRule withLate(List<LateAlert> others) {
      return new OfRule(alerts, series, error, seconds, shown, others);
    }

    /// The worst state of its alerts.
    ActiveAlert.State worst() {
      return alerts.values().stream()
          .map(ActiveAlert::state)
          .max(ActiveAlert.State::compareTo)
          .orElse(ActiveAlert.State.INACTIVE);
    }
  }

  static GroupState of(RuleGroup group) {
    return new GroupState(NEVER, "", Collections.nCopies(group.rules().size(), OfRule.NEW));
  }

  /// The state of another version of the group: rules that did not change continue.
  GroupState forGroup(RuleGroup old, RuleGroup group) {
    List<OfRule> left = new ArrayList<>(rules);
    List<Rule> leftRules = new ArrayList<>(old.rules());
    List<OfRule> next = new ArrayList<>();
    for (Rule rule : group.rules()) {
      int same = 0;
      while (same < leftRules.size() && !leftRules.get(same).isSame(rule)) {
        same++;
      }
      boolean found = same < leftRules.size();
      next.add(found ? left.remove(same) : OfRule.NEW);
      if (found) {
        leftRules.remove(same);
      }
    }
    Set<Labels> ended = new TreeSet<>();
    left.forEach(each -> ended.addAll(each.series()));
    if (!next.isEmpty() && !ended.isEmpty()) { // the next evaluation ends them
      ended.addAll(next.getFirst().series());
      next.set(0, next.getFirst().withSeries(ended));
    }
    return new GroupState(group.hasTimesOf(old) ? at : NEVER, arrived, next);
  }
}
