package io.widerow.ingest.receive.loki;

/// Reports why an entry, or all entries of a stream, are refused in a valid request. The exception
/// has no stack trace, because bad input is common.
final class BadPart extends Exception {
  private static final long serialVersionUID = 1L;

  /// The bad part: `labels` or `entry`.
  final String part;

  /// The byte of the body, from 0.
  final int at;

  BadPart(String part, int at, String why) {
    super(why, null, false, false);
    this.part = part;
    this.at = at;
  }

  String why() {
    return String.valueOf(getMessage());
  }
}
