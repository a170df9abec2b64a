package io.widerow.ingest.receive.statsd;

import org.jspecify.annotations.Nullable;

/// What a metric measures.
final class Kind {
  static final Kind COUNTER = new Kind("counter");
  static final Kind GAUGE = new Kind("gauge");
  static final Kind SET = new Kind("set");
  private static final Kind TIMER = new Kind("timer");
  private static final Kind HISTOGRAM = new Kind("histogram");
  private static final Kind DISTRIBUTION = new Kind("distribution");

  /// The value of the attribute `kind`.
  final byte[] text;

  private Kind(String text) {
    this.text = Message.ascii(text);
  }

  /// The kind that a type of StatsD stands for; null when there is none.
  static @Nullable Kind of(byte[] bytes, int offset, int length) {
    if (length == 2 && bytes[offset] == 'm' && bytes[offset + 1] == 's') {
      return TIMER;
    }
    if (length != 1) {
      return null;
    }
    return switch (bytes[offset]) {
      case 'c' -> COUNTER;
      case 'g' -> GAUGE;
      case 'h' -> HISTOGRAM;
      case 'd' -> DISTRIBUTION;
      case 's' -> SET;
      default -> null;
    };
  }
}
