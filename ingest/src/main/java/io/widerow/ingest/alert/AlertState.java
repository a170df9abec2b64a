package io.widerow.ingest.alert;

import io.widerow.query.aggregation.Cell;
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
    FIRING("firing"),
    UNKNOWN("unknown");

    public final String text;

    Kind(String text) {
      this.text = text;
    }
  }

  static AlertState unknown(String why) {
    return new AlertState(Kind.UNKNOWN, null, null, why);
  }
}
