package io.widerow.ingest.decode;

/// Reads a time of day and a zone from text, and the numbers around them. What is read moves [#at].
///
/// - Threads: one.
final class ClockText {
  static final int NO_ZONE = Integer.MAX_VALUE;

  private static final int END = -1;
  private static final int DIGITS_MAX = 20;

  /// Names of zones that are read, as RFC 822 has them, and those of Central Europe.
  private static final byte[][] ZONES = {
    TimeSight.ascii("UTC"),
    TimeSight.ascii("GMT"),
    TimeSight.ascii("UT"),
    TimeSight.ascii("EST"),
    TimeSight.ascii("EDT"),
    TimeSight.ascii("CST"),
    TimeSight.ascii("CDT"),
    TimeSight.ascii("MST"),
    TimeSight.ascii("MDT"),
    TimeSight.ascii("PST"),
    TimeSight.ascii("PDT"),
    TimeSight.ascii("CET"),
    TimeSight.ascii("CEST")
  };

  private static final int[] ZONE_HOURS = {0, 0, 0, -5, -4, -6, -5, -7, -6, -8, -7, 1, 2};

  /// Where reading goes on.
  int at;

  /// Of the day, as read last.
  long seconds;

  /// Of the second, in nanoseconds.
  long fraction;

  /// False when the time has no seconds.
  boolean exact;

  private byte[] bytes = {};
  private int limit;

  /// Begins a line.
  void begin(byte[] line, int newLimit) {
    bytes = line;
    limit = newLimit;
  }

  /// The byte at `i`; negative after the line, and for bytes that are not ASCII.
  int byteAt(int i) {
    return i < limit ? bytes[i] : END;
  }

  boolean isDigitAt(int i) {
    return i < limit && Times.isDigit(bytes[i]);
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

  /// Reads `15:04:05`, also without seconds, its fraction, and `AM` or `PM`.
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

  /// Reads `150405`.
  boolean plainClock() {
    int i = at;
    at += 6;
    exact = true;
    fraction(false);
    return setSeconds(
        Times.digits(bytes, i, 2), Times.digits(bytes, i + 2, 2), Times.digits(bytes, i + 4, 2));
  }

  private boolean setSeconds(int hour, int minute, int second) {
    seconds = 3600L * hour + 60L * minute + second;
    return (hour | minute | second) >= 0 && hour <= 23 && minute <= 59 && second <= 60;
  }

  private int halfDay(int hour) {
    int i = byteAt(at) == ' ' ? at + 1 : at;
    int b = byteAt(i);
    if ((b != 'A' && b != 'P') || byteAt(i + 1) != 'M' || isWordAt(i + 2) || hour > 12) {
      return hour;
    }
    at = i + 2;
    return hour == 0 ? -1 : hour % 12 + (b == 'P' ? 12 : 0);
  }

  /// Reads `.5`; `,978` of three, six or nine digits; `:606`, and loosely `:6`, in milliseconds.
  private void fraction(boolean loose) {
    fraction = 0;
    int b = byteAt(at);
    if (b != '.' && b != ',' && b != ':') {
      return;
    }
    int end = Times.fractionLimit(bytes, at + 1, limit);
    int count = end - at - 1;
    if (count > 0 && (b == '.' || count == 3 || (b == ',' && (count == 6 || count == 9)))) {
      fraction = Times.fraction(bytes, at + 1, end);
      at = end;
    } else if (loose && b == ':' && (count == 1 || count == 2)) {
      fraction = 1_000_000L * Times.digits(bytes, at + 1, count);
      at = end;
    }
  }

  /// Reads a number of at most so many digits; negative when there is none.
  int take(int digitsMax) {
    int count = digitsAt(at);
    if (count == 0 || count > digitsMax) {
      return -1;
    }
    at += count;
    return Times.digits(bytes, at - count, count);
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

  /// Reads the zone: `Z`, `+01:00`, `+0100`, `+01`, ` +0100`, ` UTC`.
  ///
  /// @return seconds to the east of UTC, or [#NO_ZONE]
  int zone() {
    int b = byteAt(at);
    if ((b == 'Z' || b == 'z') && !isWordAt(at + 1)) {
      at++;
      return 0;
    }
    boolean apart = b == ' ';
    int i = apart ? at + 1 : at;
    b = byteAt(i);
    return b == '+' || b == '-' ? zoneDigits(i, apart) : zoneName(i);
  }

  private int zoneDigits(int i, boolean apart) {
    int count = digitsAt(i + 1);
    boolean colon = count == 2 && byteAt(i + 3) == ':' && digitsAt(i + 4) == 2;
    if (count != 4 && !colon && (count != 2 || apart || byteAt(i + 3) == ':')) {
      return NO_ZONE;
    }
    int hours = Times.digits(bytes, i + 1, 2);
    int minutes = count == 2 && !colon ? 0 : Times.digits(bytes, i + (colon ? 4 : 3), 2);
    int end = i + 1 + count + (colon ? 3 : 0);
    boolean wrong = hours > (apart ? 14 : 23) || minutes > 59 || (apart && minutes % 15 != 0);
    if (wrong || isWordAt(end)) {
      return NO_ZONE;
    }
    at = end;
    int east = 3600 * hours + 60 * minutes;
    return bytes[i] == '-' ? -east : east;
  }

  private int zoneName(int i) {
    for (int zone = 0; zone < ZONES.length; zone++) {
      byte[] name = ZONES[zone];
      if (byteAt(i) == name[0] && isName(i, name)) {
        at = i + name.length;
        return 3600 * ZONE_HOURS[zone];
      }
    }
    return NO_ZONE;
  }

  private boolean isName(int i, byte[] name) {
    for (int k = 1; k < name.length; k++) {
      if (byteAt(i + k) != name[k]) {
        return false;
      }
    }
    return !isWordAt(i + name.length);
  }
}
