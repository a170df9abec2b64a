package io.widerow.loadgen.workload;

/// What is written into an event at the moment it is sent, always at the same width, so that a
/// prepared batch keeps its length. While a batch is being prepared the place is held by one
/// character of Unicode's private area, [#mark].
public enum Stamp {
  /// The event's number within the run, from [#SEQUENCE_BASE] on: never a leading zero, which JSON
  /// would refuse.
  SEQUENCE('\uE000', 13, 1),
  /// `20/Nov/2026:19:05:03 +0000`
  COMMON_LOG('\uE001', 26, 1_000_000_000),
  /// `2026-11-20 19:05:03,999`
  LOG4J('\uE002', 23, 1_000_000),
  /// `2026-11-20T19:05:03.999999999Z`
  RFC3339('\uE003', 30, 1),
  /// `2026-11-20T19:05:03.999999Z`, all that syslog allows.
  RFC3339_MICROS('\uE004', 27, 1_000),
  /// Nanoseconds since the epoch.
  EPOCH_NANOS('\uE005', 19, 1);

  public static final long SEQUENCE_BASE = 1_000_000_000_000L;

  private static final Stamp[] ALL = values();

  /// Holds the place while a batch is being prepared.
  private final char mark;

  final int width;

  /// How much of the event's time the form keeps.
  public final long resolutionNanos;

  Stamp(char mark, int width, long resolutionNanos) {
    this.mark = mark;
    this.width = width;
    this.resolutionNanos = resolutionNanos;
  }

  char mark() {
    return mark;
  }

  static boolean isMark(char c) {
    return c >= SEQUENCE.mark && c <= EPOCH_NANOS.mark;
  }

  static Stamp ofMark(char c) {
    for (Stamp stamp : ALL) {
      if (stamp.mark == c) {
        return stamp;
      }
    }
    throw new IllegalArgumentException("not a mark: " + (int) c);
  }
}
