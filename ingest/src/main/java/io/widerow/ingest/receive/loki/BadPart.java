package io.widerow.ingest.receive.loki;

/// Why an entry, or all entries of a stream, are refused, though the request around them is whole.
/// It has no stack trace, because bad input is common.
final class BadPart extends Exception {
  private static final long serialVersionUID = 1L;

  /// What is bad: `labels`, `entry`.
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
