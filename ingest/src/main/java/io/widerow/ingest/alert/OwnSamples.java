package io.widerow.ingest.alert;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.query.series.Labels;
import java.util.Set;
import java.util.TreeSet;

/// Tells the samples that a group has recorded from those of others: by the name of the metric or
/// of the alert, and by the time, which is one of its evaluations.
///
/// - Threads: one.
final class OwnSamples {
  private static final AttributeName ALERT_NAME = AttributeName.of(GroupEvaluation.ALERT_NAME);
  private static final long NANOS_PER_MILLISECOND = 1_000_000;

  private final RuleGroup group;
  private final long fromMillis;
  private final Set<String> metrics = new TreeSet<>();
  private final Set<String> alerts = new TreeSet<>();
  private final AttributeValue scratch = new AttributeValue();

  /// @param fromMillis time of the first evaluation whose samples count
  OwnSamples(RuleGroup group, long fromMillis) {
    this.group = group;
    this.fromMillis = fromMillis;
    group.rules().forEach(rule -> (rule.isAlert() ? alerts : metrics).add(rule.name()));
  }

  /// The names of the metrics that the group records.
  Set<String> metrics() {
    Set<String> names = new TreeSet<>(metrics);
    if (!alerts.isEmpty()) {
      names.add(GroupEvaluation.ALERTS);
      names.add(GroupEvaluation.FOR_STATE);
    }
    return names;
  }

  boolean isSeries(Labels labels) {
    return isSeries(labels.get(Labels.NAME), labels.get(GroupEvaluation.ALERT_NAME));
  }

  private boolean isSeries(String metric, String alert) {
    return isOfAlerts(metric) ? alerts.contains(alert) : metrics.contains(metric);
  }

  private static boolean isOfAlerts(String metric) {
    return metric.equals(GroupEvaluation.ALERTS) || metric.equals(GroupEvaluation.FOR_STATE);
  }

  /// True when an evaluation reads at this time, and the samples that it records have it.
  boolean isTime(long millis) {
    long at = millis + group.offsetMillis();
    return at >= fromMillis && group.last(at) == at;
  }

  /// True for an event that is such a sample, or the state of a group.
  boolean has(EventView event) {
    String type = event.type();
    if (type.equals(RuleStore.TYPE)) {
      return true;
    }
    String alert = isOfAlerts(type) && event.find(ALERT_NAME, scratch) ? scratch.toString() : "";
    return isSeries(type, alert) && isTime(Math.floorDiv(event.timeNanos(), NANOS_PER_MILLISECOND));
  }
}
