package io.widerow.ingest.decode;

/// Reads a time of day and a zone from text, and the numbers around them. What is read moves [#at].
///
/// - Threads: one.
final class ClockText {
  static final int NO_ZONE = Integer.MAX_VALUE;

  private static final int END = -1;
  private static final int DIGITS_MAX = 20;

  /// Names of zones that are read, each with its hours east of UTC: those of RFC 822, and others
  /// that mean one zone only. `IST`, `BST` and their like mean several.
  private static final String ZONE_HOURS =
      "UTC 0 GMT 0 UT 0 EST -5 EDT -4 CST -6 CDT -5 MST -7 MDT -6 PST -8 PDT -7 AKST -9 AKDT -8"
          + " HST -10 WET 0 WEST 1 CET 1 CEST 2 EET 2 EEST 3 MSK 3 JST 9 KST 9 AEST 10 AEDT 11"
          + " NZST 12 NZDT 13";

  private static final byte[][] ZONES;
  private static final int[] ZONE_SECONDS;

  static {
    String[] words = ZONE_HOURS.split(" ", -1);
    ZONES = new byte[words.length / 2][];
    ZONE_SECONDS = new int[words.length / 2];
    for (int i = 0; i < ZONES.length; i++) {
      ZONES[i] = TimeSight.ascii(words[2 * i]);
      ZONE_SECONDS[i] = 3_600 * Integer.parseInt(words[2 * i + 1]);
    }
  }

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
    if (i + 2 < limit && bytes[i] == (byte) 0xe2 && bytes[i + 1] == (byte) 0x80) {
      i += bytes[i + 2] == (byte) 0xaf ? 3 : 0;
    }
    int half = byteAt(i) | 0x20;
    boolean none = (half != 'a' && half != 'p') || (byteAt(i + 1) | 0x20) != 'm' || hour > 12;
    if (none || isWordAt(i + 2)) {
      return hour;
    }
    at = i + 2;
    return hour == 0 ? -1 : hour % 12 + (half == 'p' ? 12 : 0);
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

  /// Reads the zone: `Z`, `+01:00`, `+0100`, `+01`, ` +0100`, ` -03 [` of PostgreSQL, ` UTC`.
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
    boolean hoursOnly = !apart || (byteAt(i + 3) == ' ' && byteAt(i + 4) == '[');
    if (count != 4 && !colon && (count != 2 || !hoursOnly || byteAt(i + 3) == ':')) {
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
    int b = byteAt(i);
    if (b < 'A' || b > 'Z') {
      return NO_ZONE;
    }
    for (int zone = 0; zone < ZONES.length; zone++) {
      byte[] name = ZONES[zone];
      if (b == name[0] && isName(i, name)) {
        at = i + name.length;
        return ZONE_SECONDS[zone];
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
