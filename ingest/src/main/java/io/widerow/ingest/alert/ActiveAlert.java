package io.widerow.ingest.alert;

import io.widerow.query.series.Labels;
import java.util.Collections;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/// An alert that has a result, or had one up to [AlertSteps#KEPT_MILLIS] ago. Times are in
/// milliseconds since the Unix epoch.
///
/// @param labels with `alertname`, without a name
/// @param activeAt the first evaluation with a result
/// @param firedAt when it began to fire; 0 before
/// @param resolvedAt the first evaluation without a result, after it had fired; 0 before
/// @param keepSince since when it fires without a result; 0 with one
record ActiveAlert(
    Labels labels,
    SortedMap<String, String> annotations,
    State state,
    double value,
    long activeAt,
    long firedAt,
    long resolvedAt,
    long keepSince) {
  ActiveAlert {
    annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
  }

  /// The states of an alert.
  enum State {
    INACTIVE,
    PENDING,
    FIRING;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    /// @throws IllegalArgumentException when there is no such state
    static State of(String text) {
      return valueOf(text.toUpperCase(Locale.ROOT));
    }
  }

  /// An alert at its first evaluation.
  static ActiveAlert begin(
      Labels labels, SortedMap<String, String> annotations, double value, long millis) {
    return new ActiveAlert(labels, annotations, State.PENDING, value, millis, 0, 0, 0);
  }

  /// The same with a newer result.
  ActiveAlert found(SortedMap<String, String> newAnnotations, double newValue) {
    return new ActiveAlert(
        labels, newAnnotations, state, newValue, activeAt, firedAt, resolvedAt, 0);
  }

  ActiveAlert firing(long millis) {
    return new ActiveAlert(
        labels, annotations, State.FIRING, value, activeAt, millis, 0, keepSince);
  }

  ActiveAlert kept(long since) {
    return new ActiveAlert(labels, annotations, state, value, activeAt, firedAt, resolvedAt, since);
  }

  ActiveAlert resolved(long millis) {
    return new ActiveAlert(
        labels, annotations, State.INACTIVE, value, activeAt, firedAt, millis, keepSince);
  }

  boolean isActive() {
    return state != State.INACTIVE;
  }
}
