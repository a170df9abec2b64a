package io.widerow.loadgen.workload;

/// The system under test and the format that it receives.
public enum Target {
  WIDEROW_TEXT("widerow-text"),
  WIDEROW_JSON("widerow-json"),
  WIDEROW_LINES("widerow-lines"),
  SYSLOG("syslog"),
  SYSLOG_UDP("syslog-udp"),
  CASSANDRA("cassandra"),
  NULL("null");

  public final String label;

  Target(String label) {
    this.label = label;
  }

  /// True when the target acknowledges batches.
  public boolean acknowledges() {
    return !isSyslog();
  }

  /// True when its address also serves Widerow's queries.
  public boolean isWiderow() {
    return this == WIDEROW_TEXT || this == WIDEROW_JSON || this == WIDEROW_LINES;
  }

  public boolean isSyslog() {
    return this == SYSLOG || this == SYSLOG_UDP;
  }

  @Override
  public String toString() {
    return label;
  }
}
