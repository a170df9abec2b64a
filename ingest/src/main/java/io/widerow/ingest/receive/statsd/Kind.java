package io.widerow.ingest.receive.statsd;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The kind of a metric.
final class Kind {
  static final Kind COUNTER = new Kind("counter", 0);
  static final Kind GAUGE = new Kind("gauge", 1);
  static final Kind SET = new Kind("set", 2);
  private static final Kind TIMER = new Kind("timer", 3);
  private static final Kind HISTOGRAM = new Kind("histogram", 4);
  private static final Kind DISTRIBUTION = new Kind("distribution", 5);

  /// All of them; each is at its place.
  static final List<Kind> ALL = List.of(COUNTER, GAUGE, SET, TIMER, HISTOGRAM, DISTRIBUTION);

  /// The value of the attribute `kind`.
  final String text;

  final int place;

  private Kind(String text, int place) {
    this.text = text;
    this.place = place;
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
