package io.widerow.ingest.decode;

/// Times of supercomputers, which state them twice: as an epoch, and as a day or a time after it.
///
/// ```
///   1131566461 2005.11.09 dn228                          Thunderbird
///   1117838570 2005.06.03 R02 2005-06-03-15.42.50.675872 BGL: the fraction is that of the second
/// ```
final class TwiceTold {
  private static final long DAY_NANOS = 86_400 * TimeParser.NANOS_PER_SECOND;
  private static final int SIGHT_BYTES = TimestampDetector.SIGHT_BYTES;

  private TwiceTold() {}

  /// Whether `2005.11.09 ` stands at `i` and is the day of a time, in whatever zone.
  static boolean isDayOf(long nanos, byte[] bytes, int i, int limit) {
    if (limit - i < 11 || bytes[i + 4] != '.' || bytes[i + 7] != '.' || bytes[i + 10] != ' ') {
      return false;
    }
    int year = TimeParser.digits(bytes, i, 4);
    int month = TimeParser.digits(bytes, i + 5, 2);
    int dayOfMonth = TimeParser.digits(bytes, i + 8, 2);
    if (!TimeParser.isDate(year, month, dayOfMonth)) {
      return false;
    }
    long day = TimeParser.nanosOf(year, month, dayOfMonth, 0);
    return nanos > day - DAY_NANOS && nanos < day + 2 * DAY_NANOS;
  }

  /// The fraction of `2005-06-03-15.42.50.675872` after the word at `i`, if it is in this second.
  static long fraction(ClockText text, long nanos, byte[] bytes, int i, int limit) {
    text.at = i;
    while (text.at < limit && bytes[text.at] != ' ' && text.at - i < SIGHT_BYTES) {
      text.at++;
    }
    text.at++;
    if (limit - text.at < 19
        || bytes[text.at + 4] != '-'
        || bytes[text.at + 7] != '-'
        || bytes[text.at + 10] != '-') {
      return 0;
    }
    text.at += 11;
    long second = nanos / TimeParser.NANOS_PER_SECOND % 60;
    return text.db2Clock() && text.seconds % 60 == second ? text.fraction : 0;
  }
}
