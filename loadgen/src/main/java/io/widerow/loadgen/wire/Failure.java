package io.widerow.loadgen.wire;

/// The ways in which a batch does not arrive; each is counted apart.
public enum Failure {
  /// Nobody listens, or no connection came about.
  DOWN("down"),
  /// The connection ended in the middle.
  CLOSED("closed"),
  /// No answer within `--timeout`.
  SLOW("slow"),
  /// 429 or 503: the target has too much to do.
  OVERLOADED("overloaded"),
  /// Any other 4xx: the target does not want what it was sent.
  REFUSED("refused"),
  /// Any other 5xx.
  BROKEN("broken"),
  /// Some of the batch's events were not taken in.
  REJECTED("rejected"),
  /// The answer is no answer.
  GARBLED("garbled"),
  /// The schedule had the batch, but its time was over before any connection was free.
  UNSENT("unsent");

  final String label;

  Failure(String label) {
    this.label = label;
  }

  static Failure ofStatus(int status) {
    if (status == 429 || status == 503) {
      return OVERLOADED;
    }
    return status >= 500 ? BROKEN : status >= 400 ? REFUSED : GARBLED;
  }

  /// Says so for people.
  @Override
  public String toString() {
    return label;
  }
}
