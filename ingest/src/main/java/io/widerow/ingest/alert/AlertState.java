package io.widerow.ingest.alert;

import io.widerow.query.aggregation.Cell;
import io.widerow.query.promql.GoNumber;
import org.jspecify.annotations.Nullable;

/// The state of an alert rule after the last complete step.
///
/// @param value the aggregate of that step; null for none, as of a maximum of no events
/// @param stepNanos start of the step, nanoseconds since the Unix epoch; null before the first
/// @param why it is unknown; null when it is known
public record AlertState(
    Kind kind, @Nullable Cell value, @Nullable Long stepNanos, @Nullable String why) {
  /// Before a rule was evaluated.
  public static final AlertState NEW =
      new AlertState(Kind.UNKNOWN, null, null, "it was not evaluated yet");

  /// Whether it fires.
  public enum Kind {
    QUIET("quiet"),
    UNKNOWN("unknown"),
    FIRING("firing");

    public final String text;

    Kind(String text) {
      this.text = text;
    }
  }

  /// @param stepMillis start of the step
  static AlertState of(GroupState.OfRule rule, long stepMillis) {
    String error = rule.error();
    if (error != null) {
      return unknown(error);
    }
    Evaluation.Value shown = rule.shown();
    ActiveAlert.State worst = rule.worst();
    ActiveAlert alert =
        rule.alerts().values().stream()
            .filter(each -> each.state() == worst && each.isActive())
            .findFirst()
            .orElse(null);
    Cell value =
        shown != null
            ? shown.cell()
            : alert == null ? null : Cell.ofNumber(GoNumber.json(alert.value()));
    Kind kind = worst == ActiveAlert.State.FIRING ? Kind.FIRING : Kind.QUIET;
    return new AlertState(kind, value, stepMillis * 1_000_000, null);
  }

  /// The value as a number of JSON; `null` for none.
  public String number() {
    return AlertLine.number(value);
  }

  static AlertState unknown(String why) {
    return new AlertState(Kind.UNKNOWN, null, null, why);
  }
}
