package io.widerow.ingest.decode;

import java.time.ZoneOffset;

/// Times as loggers put them into JSON, under names that do not always mean a time. All results are
/// nanoseconds since the Unix epoch, or [TimeParser#NONE].
///
/// - Threads: one.
public final class JsonTimes {
  private static final long YEAR_2001_NANOS = 978_307_200L * TimeParser.NANOS_PER_SECOND;
  private static final long YEAR_2101_NANOS = 4_133_980_800L * TimeParser.NANOS_PER_SECOND;
  private static final long YEAR_2200_NANOS = 7_258_118_400L * TimeParser.NANOS_PER_SECOND;
  private static final int TIME_BYTES_MIN = 8;

  private final LoneTime times = new LoneTime(ZoneOffset.UTC);

  /// The time that is the value at `json.at`, which is passed over when it is a string or a number.
  ///
  /// @param first byte of the value
  /// @param rank of the name: under any but the first name, a value may mean something else
  /// @param nowNanos completes times without a year
  public long read(JsonScanner json, int first, int rank, AttributeTape tape, long nowNanos)
      throws JsonScanner.Bad {
    if (first == '"') {
      json.string(tape);
      return ofString(json, rank, tape, nowNanos);
    }
    if (first != '-' && !TimeParser.isDigit((byte) first)) {
      return TimeParser.NONE;
    }
    int start = json.at;
    json.number();
    return nanos(json.bytes, start, json.at, rank, nowNanos);
  }

  /// The time that is the string read last.
  public long ofString(JsonScanner json, int rank, AttributeTape tape, long nowNanos) {
    byte[] source = json.textInScratch ? tape.scratch() : json.bytes;
    int end = json.textOffset + json.textBytes;
    return nanos(source, json.textOffset, end, rank, nowNanos);
  }

  private long nanos(byte[] bytes, int offset, int limit, int rank, long nowNanos) {
    return rank == 0
        ? times.nanos(bytes, offset, limit, EpochText.AUTO, nowNanos)
        : guess(bytes, offset, limit, nowNanos);
  }

  /// Whether a number that might mean something else can be taken for a time: it is in 2001..2100.
  public static boolean isPlausible(long nanos) {
    return nanos >= YEAR_2001_NANOS && nanos < YEAR_2101_NANOS;
  }

  /// The time of a text that might mean something else: a number counts in 2001..2100 only.
  public long guess(byte[] bytes, int offset, int limit, long nowNanos) {
    long nanos = times.nanos(bytes, offset, limit, EpochText.AUTO, nowNanos);
    if (nanos == TimeParser.NONE || isPlausible(nanos)) {
      return nanos;
    }
    boolean written = !LoneTime.isEpoch(bytes, offset, limit);
    return written && nanos >= 0 && nanos < YEAR_2200_NANOS ? nanos : TimeParser.NONE;
  }

  /// Whether a text that is no time was hardly meant to be anything else.
  public static boolean isLikeTime(byte[] bytes, int offset, int limit) {
    boolean digit = false;
    boolean colon = false;
    for (int at = offset; at < limit; at++) {
      digit |= TimeParser.isDigit(bytes[at]);
      colon |= digit && (bytes[at] == ':' || bytes[at] == '-');
    }
    return colon && limit - offset >= TIME_BYTES_MIN;
  }
}
