package io.widerow.storage;

/// A store's judgement of the machine's clock.
///
/// @param sentence why, for an operator; empty when the clock is right
public record ClockReport(State state, String sentence) {
  /// The degree to which the clock is trusted.
  public enum State {
    /// It agrees with the time that has passed.
    RIGHT,
    /// It is far ahead of the time that has passed. Retention does not follow it yet.
    DOUBTED,
    /// It is so far off that no event is given its time: events without a time of their own are
    /// refused.
    REFUSED
  }

  /// The clock is right.
  public static ClockReport right() {
    return new ClockReport(State.RIGHT, "");
  }
}
