package io.widerow.ingest.receive.json;

import io.widerow.ingest.decode.JsonTimes;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.decode.TimeParser;

/// The minute of the time that was read last. The next line is mostly of the same one; then only
/// its seconds are read.
///
/// ```
///   2026-11-20T19:15:00.123Z
///   |<--- minute -->|<---->|  seconds
/// ```
///
/// - Threads: one.
final class RecentMinute {
  private static final int MINUTE_BYTES = 2 * Long.BYTES;

  // The text of the minute. At first it is zeros, which no JSON string has: they are controls.
  private long dateWord;
  private long clockWord;
  private long minuteNanos;

  /// The time of a text as [JsonTimes#ofString] has it, when it is of this minute; else
  /// [TimeParser#NONE].
  long nanos(byte[] bytes, int offset, int length) {
    if (length <= MINUTE_BYTES
        || Swar.word(bytes, offset) != dateWord
        || Swar.word(bytes, offset + Long.BYTES) != clockWord) {
      return TimeParser.NONE;
    }
    long seconds = secondsNanos(bytes, offset, length);
    return seconds < 0 ? TimeParser.NONE : minuteNanos + seconds;
  }

  /// Takes the minute of a text.
  ///
  /// @param nanos its time
  void take(byte[] bytes, int offset, int length, long nanos) {
    if (JsonTimes.isPlausible(nanos)) { // others may be clamped
      long seconds = secondsNanos(bytes, offset, length);
      if (seconds >= 0) {
        dateWord = Swar.word(bytes, offset);
        clockWord = Swar.word(bytes, offset + Long.BYTES);
        minuteNanos = nanos - seconds;
      }
    }
  }

  /// Nanoseconds of `:00Z` to `:59.999999999Z` after the minute; negative when it is another text.
  private static long secondsNanos(byte[] bytes, int offset, int length) {
    int at = offset + MINUTE_BYTES;
    int last = offset + length - 1;
    int fraction = last - at - 4; // digits
    if (fraction < -1 || fraction > 9 || bytes[at] != ':' || bytes[last] != 'Z') {
      return -1;
    }
    long number = TimeParser.digits(bytes, at + 1, 2);
    if (number < 0 || number > 59) {
      return -1;
    }
    if (fraction >= 0) {
      if (fraction == 0 || bytes[at + 3] != '.') {
        return -1;
      }
      for (int i = at + 4; i < last; i++) {
        if (!TimeParser.isDigit(bytes[i])) {
          return -1;
        }
        number = 10 * number + bytes[i] - '0';
      }
    }
    for (int i = Math.max(0, fraction); i < 9; i++) {
      number *= 10;
    }
    return number;
  }
}
