package io.widerow.loadgen;

/// Whom the tool talks to, and in which form.
enum Target {
  WIDEROW_TEXT("widerow-text"),
  WIDEROW_JSON("widerow-json"),
  WIDEROW_LINES("widerow-lines"),
  SYSLOG("syslog"),
  NULL("null");

  final String label;

  Target(String label) {
    this.label = label;
  }

  /// True when an answer says that a batch was taken in.
  boolean acknowledges() {
    return this != SYSLOG;
  }

  @Override
  public String toString() {
    return label;
  }
}
