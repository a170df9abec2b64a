package io.widerow.ingest.alert;

import io.widerow.ingest.alert.AlertSteps.Transition;
import io.widerow.query.QueryException;
import io.widerow.query.logql.RuleTemplate;
import io.widerow.query.promql.PromqlException;
import io.widerow.query.promql.run.SampleSource;
import io.widerow.query.series.Labels;
import io.widerow.storage.StorageException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// One evaluation of a group: from its state before to the state after, and what is stored of it.
///
/// - Threads: one.
final class GroupEvaluation {
  static final String ALERTS = "ALERTS";
  static final String FOR_STATE = "ALERTS_FOR_STATE";
  static final String ALERT_NAME = "alertname";
  private static final String ALERT_STATE = "alertstate";
  static final double MARKER = Double.longBitsToDouble(SampleSource.STALE_BITS);
  private static final double NANOS_PER_SECOND = 1e9;

  private final RuleGroup group;
  private final long at;
  private final Results results;
  private final RecordedSamples recorded;
  private final External external;
  private final Map<Labels, Double> written = new LinkedHashMap<>();
  private final List<Transition> transitions = new ArrayList<>();

  /// What notifications carry in addition to the alert.
  ///
  /// @param url of this daemon, for people
  record External(String url, SortedMap<String, String> labels) {}

  /// Evaluates expressions.
  interface Results {
    List<RuleSample> of(RuleExpr expr, long millis, RecordedSamples recorded);

    /// The result of an expression in a template.
    List<RuleSample> ofTemplate(String text, long millis, RecordedSamples recorded);
  }

  /// The outcome.
  ///
  /// @param written samples to store, at [#millis]; the value of [#isMarker] is a marker
  record Outcome(
      GroupState after, long millis, Map<Labels, Double> written, List<Transition> transitions) {
    /// The same evaluation with the outcome that was stored.
    Outcome with(GroupState stored) {
      return new Outcome(stored, millis, Map.of(), List.of());
    }

    /// The same evaluation with other samples to store.
    Outcome with(Map<Labels, Double> samples) {
      return new Outcome(after, millis, samples, transitions);
    }
  }

  /// The result cannot be that of a rule.
  private static final class Failed extends Exception {
    private static final long serialVersionUID = 1L;

    Failed(String why) {
      super(why, null, false, false);
    }
  }

  private GroupEvaluation(
      RuleGroup group, long at, Results results, RecordedSamples recorded, External external) {
    this.group = group;
    this.at = at;
    this.results = results;
    this.recorded = recorded;
    this.external = external;
  }

  /// True for the value of a series that ends.
  static boolean isMarker(double value) {
    return Double.doubleToRawLongBits(value) == SampleSource.STALE_BITS;
  }

  /// @param at of the evaluation, milliseconds since the Unix epoch
  /// @param arrived the position in the order of arrival that it reads
  /// @param recorded gets the samples that this evaluation makes
  static Outcome run(
      RuleGroup group,
      GroupState before,
      long at,
      String arrived,
      Results results,
      RecordedSamples recorded,
      External external) {
    GroupEvaluation run = new GroupEvaluation(group, at, results, recorded, external);
    List<GroupState.OfRule> after = new ArrayList<>();
    for (int i = 0; i < group.rules().size(); i++) {
      after.add(run.rule(group.rules().get(i), before.rules().get(i)));
    }
    run.endSeries(before, after);
    return new Outcome(
        new GroupState(at, arrived, after), run.millis(), run.written, run.transitions);
  }

  /// The time that is read.
  private long millis() {
    return at - group.offsetMillis();
  }

  private GroupState.OfRule rule(Rule rule, GroupState.OfRule before) {
    long start = System.nanoTime();
    try {
      List<RuleSample> found = results.of(rule.expr(), millis(), recorded);
      Evaluation.Value shown = recorded.takeShown();
      SortedMap<Labels, ActiveAlert> alerts = before.alerts();
      SortedMap<Labels, Double> made;
      if (rule.isAlert()) {
        List<Transition> changes = new ArrayList<>();
        alerts = AlertSteps.step(rule, alerts, found(rule, found), at, changes);
        requireLimit(alerts.values().stream().filter(ActiveAlert::isActive).count(), "alerts");
        transitions.addAll(changes);
        made = samples(rule, alerts);
      } else {
        made = recorded(rule, found);
        requireLimit(made.size(), "series");
      }
      made.forEach((labels, value) -> {
        written.put(labels, value);
        recorded.add(labels, millis(), value);
      });
      return new GroupState.OfRule(
          alerts, made.keySet(), null, seconds(start), shown, before.late());
    } catch (Failed | QueryException | PromqlException | StorageException failed) {
      return before.failed(String.valueOf(failed.getMessage()), seconds(start));
    }
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) / NANOS_PER_SECOND;
  }

  private void requireLimit(long count, String what) throws Failed {
    if (group.limit() > 0 && count > group.limit()) {
      throw new Failed("exceeded limit of %d with %d %s".formatted(group.limit(), count, what));
    }
  }

  /// A label without text is none.
  static Labels labels(SortedMap<String, String> map) {
    SortedMap<String, String> left = new TreeMap<>(map);
    left.values().removeIf(String::isEmpty);
    return Labels.of(left);
  }

  private SortedMap<Labels, AlertSteps.Found> found(Rule rule, List<RuleSample> samples)
      throws Failed {
    SortedMap<Labels, AlertSteps.Found> found = new TreeMap<>();
    for (RuleSample sample : samples) {
      SortedMap<String, String> map = sample.labels().map();
      RuleTemplate.Data data =
          new RuleTemplate.Data(
              map,
              sample.value(),
              external.labels(),
              external.url(),
              millis(),
              text ->
                  results.ofTemplate(text, millis(), recorded).stream()
                      .map(each -> new RuleTemplate.Sample(each.labels().map(), each.value()))
                      .toList());
      SortedMap<String, String> of = new TreeMap<>(map);
      of.remove(Labels.NAME);
      rule.labels().forEach((name, text) -> of.put(name, text.template().expand(data)));
      of.put(ALERT_NAME, rule.name());
      SortedMap<String, String> annotations = new TreeMap<>();
      rule.annotations()
          .forEach((name, text) -> annotations.put(name, text.template().expand(data)));
      if (found.put(labels(of), new AlertSteps.Found(annotations, sample.value())) != null) {
        throw new Failed(
            "vector contains metrics with the same labelset after applying alert labels");
      }
    }
    return found;
  }

  /// The samples of alerts.
  static SortedMap<Labels, Double> samples(Rule rule, SortedMap<Labels, ActiveAlert> alerts) {
    SortedMap<Labels, Double> made = new TreeMap<>();
    for (ActiveAlert alert : alerts.values()) {
      if (alert.isActive()) {
        SortedMap<String, String> map = alert.labels().map();
        map.put(ALERT_NAME, rule.name());
        map.put(Labels.NAME, FOR_STATE);
        made.put(labels(map), (double) Math.floorDiv(alert.activeAt(), 1_000L));
        map.put(Labels.NAME, ALERTS);
        map.put(ALERT_STATE, alert.state().text());
        made.put(labels(map), 1.0);
      }
    }
    return made;
  }

  private static SortedMap<Labels, Double> recorded(Rule rule, List<RuleSample> samples)
      throws Failed {
    SortedMap<Labels, Double> made = new TreeMap<>();
    for (RuleSample sample : samples) {
      SortedMap<String, String> map = sample.labels().map();
      rule.labels().forEach((name, text) -> map.put(name, text.text()));
      map.put(Labels.NAME, rule.name());
      if (made.put(labels(map), sample.value()) != null) {
        throw new Failed(
            "vector contains metrics with the same labelset after applying rule labels");
      }
    }
    return made;
  }

  /// Series that were written and are not any more get a marker.
  private void endSeries(GroupState before, List<GroupState.OfRule> after) {
    Set<Labels> left = new TreeSet<>();
    before.rules().forEach(rule -> left.addAll(rule.series()));
    after.forEach(rule -> left.removeAll(rule.series()));
    for (Labels labels : left) {
      written.put(labels, MARKER);
      recorded.add(labels, millis(), MARKER);
    }
  }
}
