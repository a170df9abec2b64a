package io.widerow.loadgen.workload;

/// A value written into an event when it is sent. Its width is fixed, so a prepared batch keeps its
/// length. During preparation one character of Unicode's private use area, [#mark], takes its
/// place.
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

  /// The placeholder during preparation.
  private final char mark;

  final int width;

  /// The resolution of the event's time in this form, nanoseconds.
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
