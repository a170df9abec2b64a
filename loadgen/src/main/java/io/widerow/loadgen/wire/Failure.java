package io.widerow.loadgen.wire;

/// Why a batch failed; each kind is counted separately.
public enum Failure {
  /// The connection was refused or could not be made.
  DOWN("down"),
  /// The connection ended during the exchange.
  CLOSED("closed"),
  /// No response within `--timeout`.
  SLOW("slow"),
  /// 429 or 503: the target is overloaded.
  OVERLOADED("overloaded"),
  /// 404, 405, 415 or 501: the target does not serve this protocol.
  UNSERVED("unserved"),
  /// Any other 4xx: the target refused the request.
  REFUSED("refused"),
  /// Any other 5xx.
  BROKEN("broken"),
  /// Some of the batch's events were rejected.
  REJECTED("rejected"),
  /// All is kept, at a lower level than was asked for: the cluster was not reached in time.
  WEAKER("weaker"),
  /// The response could not be parsed.
  GARBLED("garbled"),
  /// The batch was due, but no connection was free before the end of the run.
  UNSENT("unsent");

  final String label;

  Failure(String label) {
    this.label = label;
  }

  static Failure ofStatus(int status) {
    if (status == 429 || status == 503) {
      return OVERLOADED;
    }
    if (status == 404 || status == 405 || status == 415 || status == 501) {
      return UNSERVED;
    }
    return status >= 500 ? BROKEN : status >= 400 ? REFUSED : GARBLED;
  }

  /// A readable name.
  @Override
  public String toString() {
    return label;
  }
}
