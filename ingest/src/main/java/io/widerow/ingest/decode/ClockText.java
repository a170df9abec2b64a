package io.widerow.ingest.decode;

import java.time.ZoneId;
import java.util.Objects;

/// Reads a time of day and its zone from text, and the numbers around them. Each read moves [#at].
///
/// - Threads: one.
final class ClockText {
  private static final int END = -1;
  private static final int DIGITS_MAX = 20;

  /// The position at which reading continues.
  int at;

  /// Of the day, as read last.
  long seconds;

  /// Of the second, in nanoseconds.
  long fraction;

  /// False when the time has no seconds.
  boolean exact;

  private boolean alone; // the line is a time, and nothing else
  private final ZoneText zones = new ZoneText();
  private byte[] bytes = {};
  private int limit;

  /// Begins a line.
  ///
  /// @param isAlone whether it is a time, and nothing else
  void begin(byte[] line, int newLimit, boolean isAlone) {
    alone = isAlone;
    bytes = line;
    limit = newLimit;
  }

  /// The byte at `i`; negative after the line, and for bytes that are not ASCII.
  int byteAt(int i) {
    return i < limit ? bytes[i] : END;
  }

  boolean isDigitAt(int i) {
    return i < limit && TimeParser.isDigit(bytes[i]);
  }

  boolean isWordAt(int i) {
    int b = byteAt(i);
    return b == '_' || (b >= '0' && b <= 'z' && Character.isLetterOrDigit(b));
  }

  /// The number of digits at `i`, at most [#DIGITS_MAX].
  int digitsAt(int i) {
    int end = i;
    while (end - i < DIGITS_MAX && isDigitAt(end)) {
      end++;
    }
    return end - i;
  }

  /// Reads `15:04:05`, also without seconds, its fraction, and `AM` or `PM` in any case, after a
  /// space, a narrow one (U+202F) as Java's formats have it since CLDR 42, or none.
  ///
  /// @param loose minutes and seconds of one digit, too
  boolean clock(boolean loose) {
    int hour = take(2);
    if (!expect(':')) {
      return false;
    }
    int minute = loose || digitsAt(at) == 2 ? take(2) : -1;
    int second = 0;
    fraction = 0;
    exact = byteAt(at) == ':' && isDigitAt(at + 1);
    if (exact) {
      at++;
      second = loose || digitsAt(at) == 2 ? take(2) : -1;
      fraction(loose);
    }
    hour = halfDay(hour);
    return setSeconds(hour, minute, second) && !isDigitAt(at);
  }

  /// Reads `15.04.05.675872`.
  boolean db2Clock() {
    int hour = take(2);
    boolean more = expect('.');
    int minute = take(2);
    more &= expect('.');
    int second = take(2);
    exact = true;
    fraction(false);
    return more && setSeconds(hour, minute, second);
  }

  /// Reads `150405`, or `1504`.
  boolean plainClock() {
    int i = at;
    exact = digitsAt(at) == 6;
    at += exact ? 6 : 4;
    fraction = 0;
    if (exact) {
      fraction(false);
    }
    return setSeconds(
        TimeParser.digits(bytes, i, 2),
        TimeParser.digits(bytes, i + 2, 2),
        exact ? TimeParser.digits(bytes, i + 4, 2) : 0);
  }

  /// Takes a time of day. `24:00:00` is the end of the day, a leap second the next second.
  private boolean setSeconds(int hour, int minute, int second) {
    seconds = 3600L * hour + 60L * minute + second;
    boolean dayEnds = hour == 24 && minute == 0 && second == 0 && fraction == 0;
    return (hour | minute | second) >= 0 && (hour <= 23 || dayEnds) && minute <= 59 && second <= 60;
  }

  private int halfDay(int hour) {
    int i = byteAt(at) == ' ' ? at + 1 : at;
    if (i + 2 < limit && bytes[i] == (byte) 0xe2 && bytes[i + 1] == (byte) 0x80) {
      i += bytes[i + 2] == (byte) 0xaf ? 3 : 0;
    }
    int half = byteAt(i) | 0x20;
    boolean points = byteAt(i + 1) == '.' && byteAt(i + 3) == '.'; // a.m.
    int end = points ? i + 4 : i + 2;
    boolean none =
        (half != 'a' && half != 'p') || (byteAt(points ? i + 2 : i + 1) | 0x20) != 'm' || hour > 12;
    if (none || isWordAt(end)) {
      return hour;
    }
    at = end;
    return hour == 0 ? -1 : hour % 12 + (half == 'p' ? 12 : 0);
  }

  /// Reads `.5`; `,978` of three, six or nine digits, or of any before a zone or the end; `:606`,
  /// and loosely `:6`, in milliseconds.
  private void fraction(boolean loose) {
    fraction = 0;
    int b = byteAt(at);
    if (b != '.' && b != ',' && b != ':') {
      return;
    }
    int end = TimeParser.fractionLimit(bytes, at + 1, limit);
    int count = end - at - 1;
    boolean usual = b == '.' || count == 3 || (b == ',' && (count == 6 || count == 9));
    if (count > 0 && (usual || (b == ',' && isZoneAt(end)))) {
      fraction = TimeParser.fraction(bytes, at + 1, end);
      at = end;
    } else if (loose && b == ':' && (count == 1 || count == 2)) {
      fraction = 1_000_000L * TimeParser.digits(bytes, at + 1, count);
      at = end;
    }
  }

  private boolean isZoneAt(int i) {
    return i == limit ? alone : zones.read(bytes, i, limit) != ZoneText.NO_ZONE;
  }

  /// Reads a number of at most so many digits; negative when there is none.
  int take(int digitsMax) {
    int count = digitsAt(at);
    if (count == 0 || count > digitsMax) {
      return -1;
    }
    at += count;
    return TimeParser.digits(bytes, at - count, count);
  }

  /// Reads this byte, if it comes next.
  boolean expect(int b) {
    if (byteAt(at) != b) {
      return false;
    }
    at++;
    return true;
  }

  void skipSpaces() {
    while (byteAt(at) == ' ') {
      at++;
    }
  }

  /// Reads the zone, as [ZoneText#read] has it.
  int zone() {
    int zone = zones.read(bytes, at, limit);
    at = zones.at;
    return zone;
  }

  /// Reads `-300` after [#db2Clock], in minutes, else [#zone].
  int db2Zone() {
    int b = byteAt(at);
    if ((b != '+' && b != '-') || digitsAt(at + 1) != 3 || isWordAt(at + 4)) {
      return zone();
    }
    int seconds = 60 * TimeParser.digits(bytes, at + 1, 3);
    at += 4;
    return b == '-' ? -seconds : seconds;
  }

  /// The zone that was read last, when it is a region.
  ZoneId region() {
    return Objects.requireNonNull(zones.region);
  }
}
