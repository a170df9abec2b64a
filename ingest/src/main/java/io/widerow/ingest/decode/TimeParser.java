package io.widerow.ingest.decode;

/// Parses times in the formats that senders use, directly from bytes. All results are nanoseconds
/// since the Unix epoch, or [#NONE] when the bytes are not such a time.
public final class TimeParser {
  public static final long NONE = Long.MIN_VALUE;
  public static final long NANOS_PER_SECOND = 1_000_000_000L;
  static final int DAY_SECONDS = 86_400;

  /// Lone epoch numbers lie in 2001 to 2100.
  private static final long EPOCH_FIRST = 978_307_200 * NANOS_PER_SECOND;

  private static final long EPOCH_LIMIT = 4_133_980_800L * NANOS_PER_SECOND;

  private static final int[] DAYS_BEFORE_MONTH = {
    0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334
  };
  private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";

  private TimeParser() {}

  /// The unit, in nanoseconds, that [EpochText#AUTO] assumes for a number.
  public static long unitNanos(long number) {
    if (number < 100_000_000_000L) {
      return NANOS_PER_SECOND;
    }
    if (number < 100_000_000_000_000L) {
      return 1_000_000L;
    }
    return number < 100_000_000_000_000_000L ? 1_000L : 1L;
  }

  /// A number of units in nanoseconds, clamped to the range of a long.
  public static long ofUnit(long number, long unitNanos) {
    long high = Math.multiplyHigh(number, unitNanos);
    long low = number * unitNanos;
    if ((high == 0 && low >= 0) || (high == -1 && low < 0)) {
      return low;
    }
    return number < 0 ? Long.MIN_VALUE + 1 : Long.MAX_VALUE;
  }

  /// An epoch number that stands alone at `offset`: not a part of a word, a date or a longer
  /// number, and within 2001 to 2100, so that it is hardly anything else. Its unit is that of
  /// [EpochText#AUTO].
  static long loneEpoch(byte[] bytes, int offset, int limit) {
    int end = fractionLimit(bytes, offset, limit);
    boolean fraction = end + 1 < limit && bytes[end] == '.' && isDigit(bytes[end + 1]);
    if (fraction) {
      end = fractionLimit(bytes, end + 1, limit);
    }
    long nanos = end - offset > 40 ? NONE : EpochText.nanos(bytes, offset, end, EpochText.AUTO);
    if (nanos < EPOCH_FIRST || nanos >= EPOCH_LIMIT) {
      return NONE;
    }
    if (end == limit) {
      return nanos;
    }
    byte next = bytes[end];
    boolean digitNext = end + 1 < limit && isDigit(bytes[end + 1]);
    boolean joined =
        switch (next) {
          case '-', '/', '+', '_', '%' -> true;
          case '.' -> digitNext;
          case ':' -> digitNext && !fraction; // audit(1364481363.243:24287)
          default -> (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
        };
    return joined ? NONE : nanos;
  }

  /// RFC 3339, with `T`, `t` or a space between date and time. A fraction may have any number of
  /// digits; the first nine count.
  public static long rfc3339(byte[] bytes, int offset, int limit) {
    int zone = offset + 19;
    if (limit < offset + 20) {
      return NONE;
    }
    long nanos = dateTime(bytes, offset, limit, '.');
    if (nanos == NONE) {
      return NONE;
    }
    if (bytes[zone] == '.') {
      int digits = fractionLimit(bytes, zone + 1, limit);
      if (digits == zone + 1) {
        return NONE;
      }
      zone = digits;
    }
    boolean zoned = zone < limit && limit - zone == zoneBytes(bytes, zone, limit);
    return zoned ? applyZone(bytes, zone, nanos) : NONE;
  }

  /// `yyyy-MM-dd HH:mm:ss`, and the fraction when `point` and digits follow.
  public static long dateTime(byte[] bytes, int offset, int limit, int point) {
    if (limit < offset + 19
        || bytes[offset + 4] != '-'
        || bytes[offset + 7] != '-'
        || ((bytes[offset + 10] | 0x20) != 't' && bytes[offset + 10] != ' ')) {
      return NONE;
    }
    int year = digits(bytes, offset, 4);
    int month = digits(bytes, offset + 5, 2);
    int day = digits(bytes, offset + 8, 2);
    long seconds = secondsOfDay(bytes, offset + 11);
    if (seconds < 0 || !isDate(year, month, day)) {
      return NONE;
    }
    long nanos = nanosOf(year, month, day, seconds);
    if (offset + 19 < limit && bytes[offset + 19] == point) {
      nanos += fraction(bytes, offset + 20, limit);
    }
    return nanos;
  }

  /// `17/May/2015:10:05:03 +0000`.
  public static long clf(byte[] bytes, int offset, int limit) {
    if (limit < offset + 26
        || bytes[offset + 2] != '/'
        || bytes[offset + 6] != '/'
        || bytes[offset + 11] != ':'
        || bytes[offset + 20] != ' ') {
      return NONE;
    }
    int day = digits(bytes, offset, 2);
    int month = month(bytes, offset + 3);
    int year = digits(bytes, offset + 7, 4);
    long seconds = secondsOfDay(bytes, offset + 12);
    if (seconds < 0 || !isDate(year, month, day)) {
      return NONE;
    }
    int zoneBytes = zoneBytes(bytes, offset + 21, limit);
    if (zoneBytes < 5) {
      return NONE;
    }
    return applyZone(bytes, offset + 21, nanosOf(year, month, day, seconds));
  }

  /// The digits at `offset` as a fraction of a second, in nanoseconds.
  static long fraction(byte[] bytes, int offset, int limit) {
    long nanos = 0;
    long scale = NANOS_PER_SECOND;
    for (int at = offset; at < limit && isDigit(bytes[at]) && scale > 1; at++) {
      scale /= 10;
      nanos += (bytes[at] - '0') * scale;
    }
    return nanos;
  }

  public static int fractionLimit(byte[] bytes, int offset, int limit) {
    int at = offset;
    while (at < limit && isDigit(bytes[at])) {
      at++;
    }
    return at;
  }

  /// Length of the zone at `offset`: 1 for `Z`, 5 for `+hhmm`, 6 for `+hh:mm`, 0 for none.
  public static int zoneBytes(byte[] bytes, int offset, int limit) {
    if (offset >= limit) {
      return 0;
    }
    if ((bytes[offset] | 0x20) == 'z') {
      return 1;
    }
    if ((bytes[offset] != '+' && bytes[offset] != '-') || offset + 5 > limit) {
      return 0;
    }
    boolean colon = bytes[offset + 3] == ':';
    if (colon && offset + 6 > limit) {
      return 0;
    }
    int hours = digits(bytes, offset + 1, 2);
    int minutes = digits(bytes, offset + (colon ? 4 : 3), 2);
    return hours < 0 || hours > 23 || minutes < 0 || minutes > 59 ? 0 : colon ? 6 : 5;
  }

  /// Converts a local time to UTC by the zone at `offset`, which [#zoneBytes] has checked.
  public static long applyZone(byte[] bytes, int offset, long localNanos) {
    if ((bytes[offset] | 0x20) == 'z') {
      return localNanos;
    }
    int minutesAt = bytes[offset + 3] == ':' ? offset + 4 : offset + 3;
    long seconds = 3600L * digits(bytes, offset + 1, 2) + 60L * digits(bytes, minutesAt, 2);
    return localNanos - (bytes[offset] == '-' ? -seconds : seconds) * NANOS_PER_SECOND;
  }

  /// Seconds of `HH:mm:ss`; a leap second counts as the next second. Negative when it is no time.
  public static long secondsOfDay(byte[] bytes, int offset) {
    int hour = digits(bytes, offset, 2);
    int minute = digits(bytes, offset + 3, 2);
    int second = digits(bytes, offset + 6, 2);
    if (bytes[offset + 2] != ':' || bytes[offset + 5] != ':' || (hour | minute | second) < 0) {
      return -1;
    }
    return hour > 23 || minute > 59 || second > 60 ? -1 : 3600L * hour + 60L * minute + second;
  }

  /// The month of three letters, 1 to 12; negative when it is none.
  public static int month(byte[] bytes, int offset) {
    for (int month = 0; month < 12; month++) {
      if (bytes[offset] == MONTHS.charAt(3 * month)
          && bytes[offset + 1] == MONTHS.charAt(3 * month + 1)
          && bytes[offset + 2] == MONTHS.charAt(3 * month + 2)) {
        return month + 1;
      }
    }
    return -1;
  }

  static boolean isDate(int year, int month, int day) {
    if (year < 0 || month < 1 || month > 12 || day < 1) {
      return false;
    }
    int days = month == 2 ? (isLeap(year) ? 29 : 28) : 30 + ((month + (month >> 3)) & 1);
    return day <= days;
  }

  static long nanosOf(int year, int month, int day, long secondsOfDay) {
    long years = year - 1L;
    long days = 365 * years + years / 4 - years / 100 + years / 400 - 719_162;
    days += DAYS_BEFORE_MONTH[month - 1] + (month > 2 && isLeap(year) ? 1 : 0) + day - 1;
    return ofUnit(86_400 * days + secondsOfDay, NANOS_PER_SECOND);
  }

  private static boolean isLeap(int year) {
    return (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0);
  }

  /// The number of `count` digits; negative when one is not a digit.
  public static int digits(byte[] bytes, int offset, int count) {
    int number = 0;
    for (int at = offset; at < offset + count; at++) {
      if (!isDigit(bytes[at])) {
        return -1;
      }
      number = 10 * number + bytes[at] - '0';
    }
    return number;
  }

  public static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }
}
