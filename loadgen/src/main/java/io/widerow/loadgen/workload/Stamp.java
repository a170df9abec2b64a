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
  EPOCH_NANOS('\uE005', 19, 1),
  /// Seconds since the epoch with nine decimals.
  EPOCH_DECIMALS('\uE006', 20, 1),
  EPOCH_SECONDS('\uE007', 10, 1_000_000_000),
  EPOCH_MILLIS('\uE008', 13, 1_000_000),
  EPOCH_MICROS('\uE009', 16, 1_000),
  /// Nanoseconds since the epoch, eight bytes, little-endian: protobuf's fixed64.
  FIXED_NANOS('\uE00A', 8, 1),
  /// The event's number as a double, little-endian.
  FIXED_SEQUENCE('\uE00B', 8, 1),
  /// Seconds since the epoch as a varint, until the year 3058.
  VARINT_SECONDS('\uE00C', 5, 1_000_000_000),
  /// Nanoseconds of the second as a varint. Protobuf allows the leading zeros that the width needs.
  VARINT_NANOS('\uE00D', 5, 1),
  /// Milliseconds since the epoch as a varint, until the year 2109.
  VARINT_MILLIS('\uE00E', 6, 1_000_000),
  /// Fluent's EventTime: seconds and nanoseconds, four bytes each, big-endian.
  EVENT_TIME('\uE00F', 8, 1);

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
    return c >= SEQUENCE.mark && c <= EVENT_TIME.mark;
  }

  static Stamp ofMark(char c) {
    if (!isMark(c)) {
      throw new IllegalArgumentException("not a mark: " + (int) c);
    }
    return ALL[c - SEQUENCE.mark]; // the marks are in order
  }
}
