package io.widerow.ingest.alert;

import io.widerow.ingest.alert.GroupEvaluation.Outcome;
import io.widerow.query.promql.run.SampleSource;
import io.widerow.query.promql.run.StepTimes;
import io.widerow.query.series.Labels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The evaluations of a group that are made again, because events for their times arrived after
/// they were made. They become part of the batch of the next evaluation, with which they share the
/// view: a kill leaves all of them or none.
///
/// ```
///   made before   T1   T2   T3   T4        an event for T2 arrives after T4
///   in one batch       T2'  T3'  T4'  T5   from the state after T1
/// ```
///
/// - Threads: one.
final class LateEvaluations {
  private final RuleGroup group;
  private final List<RuleStore.Stored> former; // those that are made again
  private final List<Outcome> outcomes = new ArrayList<>(); // those that are stored again
  private final RecordedSamples recorded;
  private final OwnSamples own;
  private final List<Map<Labels, Firing>> firing = new ArrayList<>(); // by rule
  private final List<SortedMap<Labels, ActiveAlert>> found = new ArrayList<>(); // by rule
  private GroupState state; // after the last one

  /// An alert while it fires.
  ///
  /// @param known whether it fired at one of the times before events were late
  private record Firing(ActiveAlert alert, boolean known) {}

  private LateEvaluations(
      RuleGroup group, GroupState before, List<RuleStore.Stored> former, long fromMillis) {
    this.group = group;
    this.former = former;
    this.state = before;
    own = new OwnSamples(group, fromMillis);
    recorded = new RecordedSamples().hiding(own);
    for (GroupState.OfRule rule : before.rules()) {
      Map<Labels, Firing> known = new HashMap<>();
      rule.alerts().values().stream()
          .filter(alert -> alert.state() == ActiveAlert.State.FIRING)
          .forEach(alert -> known.put(alert.labels(), new Firing(alert, true)));
      firing.add(known);
      found.add(new TreeMap<>());
    }
  }

  /// Makes evaluations again, if events arrived late for any.
  ///
  /// @param last the state after the last evaluation
  /// @param fromMillis no evaluation before this time is made again
  /// @return null when there is nothing to do
  static @Nullable LateEvaluations run(
      RuleStore store,
      RuleReader.Pass pass,
      RuleGroup group,
      GroupState last,
      long fromMillis,
      GroupEvaluation.External external) {
    boolean isAny = last.at() != GroupState.NEVER && last.at() >= fromMillis;
    if (!isAny || group.last(last.at()) != last.at()) { // its interval has changed
      return null;
    }
    long from = group.last(fromMillis - 1) + group.intervalMillis();
    Long first = firstLate(pass.since(last.arrived()), group, from, last.at());
    if (first == null) {
      return null;
    }
    List<RuleStore.Stored> former = new ArrayList<>();
    for (RuleStore.Stored each : store.evaluations(pass.view(), group, first, last.at())) {
      if (!each.hash().equals(group.hash())) {
        former.clear(); // another version of the file made these
      } else {
        former.add(each);
      }
    }
    if (former.isEmpty()) {
      return null;
    }
    long begin = former.getFirst().millis();
    GroupState before = store.restore(pass.view(), group, begin - 1);
    LateEvaluations late =
        new LateEvaluations(group, before == null ? GroupState.of(group) : before, former, begin);
    late.make(pass, last, late.samples(store, pass, begin, last.at()), external);
    return late;
  }

  /// The first evaluation that may read an event of a view.
  private static @Nullable Long firstLate(
      RuleReader.Pass since, RuleGroup group, long fromMillis, long lastMillis) {
    long interval = group.intervalMillis();
    int count = Math.toIntExact((lastMillis - fromMillis) / interval + 1);
    StepTimes times = new StepTimes(fromMillis - group.offsetMillis(), interval, count);
    OwnSamples own = new OwnSamples(group, fromMillis);
    Long first = null;
    for (Rule rule : group.rules()) {
      Long read = since.firstReading(rule.expr(), times, own::has);
      if (read != null && (first == null || read < first)) {
        first = read;
      }
    }
    return first == null ? null : first + group.offsetMillis();
  }

  /// The samples that the group has recorded, by their time.
  private Map<Long, Map<Labels, Double>> samples(
      RuleStore store, RuleReader.Pass pass, long fromMillis, long lastMillis) {
    Map<Long, Map<Labels, Double>> all = new HashMap<>();
    long offset = group.offsetMillis();
    for (String metric : own.metrics()) {
      for (SampleSource.Samples series :
          store.samples(pass.view(), metric, fromMillis - offset, lastMillis - offset)) {
        for (int i = 0; own.isSeries(series.labels()) && i < series.millis().length; i++) {
          long millis = series.millis()[i];
          if (own.isTime(millis)) {
            all.computeIfAbsent(millis, _ -> new TreeMap<>())
                .put(series.labels(), series.values()[i]);
          }
        }
      }
    }
    return all;
  }

  private void make(
      RuleReader.Pass pass,
      GroupState last,
      Map<Long, Map<Labels, Double>> samples,
      GroupEvaluation.External external) {
    String arrived = pass.view().arrivals().toString();
    for (RuleStore.Stored each : former) {
      Outcome outcome =
          GroupEvaluation.run(group, state, each.millis(), arrived, pass, recorded, external);
      Map<Labels, Double> changed =
          changed(outcome, samples.getOrDefault(outcome.millis(), Map.of()));
      boolean same =
          outcomes.isEmpty()
              && changed.isEmpty()
              && RuleStore.alerts(group, outcome.after()).equals(each.alerts());
      if (!same) { // it and all that follow it are of this view
        outcomes.add(outcome.with(changed));
      }
      see(outcome.after(), each);
      state = outcome.after();
    }
    state = withLate(state, last);
  }

  /// The samples that differ from those in the store. One that is none any more gets a marker,
  /// unless its rule has failed.
  private Map<Labels, Double> changed(Outcome outcome, Map<Labels, Double> stored) {
    Map<Labels, Double> changed = new TreeMap<>(outcome.written());
    stored.forEach((labels, value) -> {
      Double now = changed.get(labels);
      if (now == null) {
        if (!GroupEvaluation.isMarker(value) && !hasFailed(outcome, labels)) {
          changed.put(labels, GroupEvaluation.MARKER);
        }
      } else if (Double.doubleToRawLongBits(now) == Double.doubleToRawLongBits(value)) {
        changed.remove(labels);
      }
    });
    return changed;
  }

  private boolean hasFailed(Outcome outcome, Labels labels) {
    String alert = labels.get(GroupEvaluation.ALERT_NAME);
    String metric = labels.get(Labels.NAME);
    for (int i = 0; i < group.rules().size(); i++) {
      Rule rule = group.rules().get(i);
      boolean isOf = rule.name().equals(rule.isAlert() ? alert : metric);
      if (isOf && outcome.after().rules().get(i).error() != null) {
        return true;
      }
    }
    return false;
  }

  /// Alerts that were found before stay found.
  private static GroupState withLate(GroupState state, GroupState last) {
    List<GroupState.OfRule> rules = new ArrayList<>();
    for (int i = 0; i < state.rules().size(); i++) {
      rules.add(state.rules().get(i).withLate(last.rules().get(i).late()));
    }
    return new GroupState(state.at(), state.arrived(), rules);
  }

  /// Notes which alerts fire, and which of them had fired at the time.
  private void see(GroupState after, RuleStore.@Nullable Stored stored) {
    List<Set<Labels>> fired = new ArrayList<>();
    after.rules().forEach(_ -> fired.add(new TreeSet<>()));
    if (stored != null) {
      stored.alerts().stream()
          .filter(each -> each.alert().state() == ActiveAlert.State.FIRING)
          .forEach(each -> fired.get(each.rule()).add(each.alert().labels()));
    }
    for (int i = 0; i < after.rules().size(); i++) {
      Map<Labels, Firing> now = new HashMap<>();
      for (ActiveAlert alert : after.rules().get(i).alerts().values()) {
        Firing before = firing.get(i).get(alert.labels());
        if (alert.state() == ActiveAlert.State.FIRING) {
          boolean known = before != null && before.known;
          now.put(
              alert.labels(), new Firing(alert, known || fired.get(i).contains(alert.labels())));
          found.get(i).remove(alert.labels()); // it is sent as one that fires
        } else if (before != null && !before.known) {
          found.get(i).put(alert.labels(), alert);
        }
      }
      firing.set(i, now);
    }
  }

  /// The state from which the group continues.
  GroupState state() {
    return state;
  }

  /// What the evaluation that follows reads of these.
  RecordedSamples recorded() {
    return recorded;
  }

  /// These evaluations with the one that follows them, which has the alerts that were found.
  ///
  /// @param nowMillis when they were found
  List<Outcome> with(Outcome next, long nowMillis) {
    see(next.after(), null);
    List<GroupState.OfRule> rules = new ArrayList<>();
    for (int i = 0; i < next.after().rules().size(); i++) {
      GroupState.OfRule rule = next.after().rules().get(i);
      SortedMap<Labels, ActiveAlert> fresh = found.get(i);
      List<LateAlert> late = new ArrayList<>();
      rule.late().stream()
          .filter(each -> !fresh.containsKey(each.alert().labels()))
          .forEach(late::add);
      fresh.values().forEach(each -> late.add(new LateAlert(each, nowMillis, false)));
      rules.add(rule.withLate(late));
    }
    GroupState after = new GroupState(next.after().at(), next.after().arrived(), rules);
    List<Outcome> all = new ArrayList<>(outcomes);
    all.add(new Outcome(after, next.millis(), next.written(), next.transitions()));
    return all;
  }
}
