package io.widerow.ingest.decode;

import static io.widerow.event.Utf8.ascii;

import java.time.ZoneId;
import java.time.ZoneOffset;

/// Finds the time of a line by sight: the first one that begins in the first [#SIGHT_BYTES] bytes.
/// The position has precedence. The first byte and the number of digits then determine the format,
/// so that each position has at most one.
///
/// ```
///   2015-10-18 18:01:47,978       2015-10-18T18:01:47.978Z      2015-10-18,18:01:47
///   2015/10/18 18:01:47           2015.10.18 18:01:47           2005-06-03-15.42.50.675872
///   20171223-22:15:29:606         20171223T221529Z              I20171223 22:15:29
///   17/May/2015:10:05:03 +0000    17-May-2015 10:05:03          17 May 2015 10:05:03
///   17.05.2015 10:05:03           Sun Dec 04 04:47:44 2005      Dec 4, 2005 4:47:44 AM
///   05/17/2015 10:05:03           17/05/2015 10:05:03           17-May-2015::10:05:03
///   without century:              17/06/09 20:10:40             081109 203615 at the beginning
///     05/17/15 10:05:03           151018 18:01:47               Sunday, 06-Nov-94 08:49:37
///   without year:                 Jun  9 06:06:20               9 Jun 06:06:20
///     03-17 16:13:38.811          [10.30 16:49:06]              I0102 15:04:05.000000
///     10/18-18:01:47.978
///   1131566461 2005.11.09         epoch and day; the fraction is that of a DB2 time after a word
///   1700000000  1700000000.123    epoch in s, ms, us or ns
/// ```
///
/// A time does not begin within a word, a number, a path or a file name. An epoch stands alone and
/// lies in 2001 to 2100; where it is not the first word of the line it counts only when the line
/// has no other time and no line before had one that is not an epoch: it may be any number. A time
/// more than a day ahead counts only at the beginning of a line: elsewhere it is the time at which
/// something ends.
///
/// The lines of one body mostly have one form. So of several times in a line that does not begin
/// with one, the time of the body's form is taken: that of its first time, until a line begins with
/// another. [DateOrder] decides whether a day or a month comes first.
///
/// - Threads: one, for the lines of one body.
public final class TimestampDetector {
  static final int SIGHT_BYTES = 200;

  private static final long DAY_NANOS = 86_400 * TimeParser.NANOS_PER_SECOND;
  private static final int NO_YEAR = -1;

  // Forms that do not begin with a digit.
  private static final int KLOG = 1;
  private static final int MONTH = 2;
  private static final int MONTH_YEAR = 3;
  private static final int NUMBER = 4;

  private static final byte[] WEEKDAYS = ascii("SunMonTueWedThuFriSat");

  private static final byte BEGINS = 1; // a time may begin with this byte
  private static final byte JOINS = 2; // no time begins after this byte
  private static final byte[] CLASS = new byte[256];

  static {
    for (char c = '0'; c <= 'z'; c++) {
      if (Character.isLetterOrDigit(c)) {
        CLASS[c] |= JOINS;
      }
    }
    for (byte joins : ascii("._-/+\\%")) {
      CLASS[joins] |= JOINS;
    }
    for (byte begins : ascii("0123456789JFMASONDIWE")) { // months, and levels of klog
      CLASS[begins] |= BEGINS;
    }
  }

  private final ClockText text = new ClockText();
  private final SenderLocalTimes local;
  private final SenderLocalTimes utc = new SenderLocalTimes(ZoneOffset.UTC);
  private final DateOrder order = new DateOrder();
  private int bodyForm; // of the times in this body; 0 before the first
  private boolean calendarSeen; // a line had a time that is not an epoch

  // The line being read.
  private byte[] bytes = {};
  private int start;
  private int limit;
  private long nowNanos;
  private final TimeSpan time = new TimeSpan();
  private final TimeSpan otherTime = new TimeSpan();
  private final TimeSpan numberTime = new TimeSpan();
  private final TimeSpan unread = new TimeSpan();
  private long numberNanos; // of the first number that may be an epoch
  private int begins; // of the time at hand
  private int clearAt; // where the time of the line stands
  private int timeForm;
  private int otherForm;
  private int zoneLimit; // of the time read last; 0 when it has no zone
  private int form; // of the time at hand: the number of its first digits, and what follows

  /// @param zone of times without one
  public TimestampDetector(ZoneId zone) {
    local = new SenderLocalTimes(zone);
  }

  /// True when a date could not be read, because no line so far shows whether its day or its month
  /// comes first.
  public boolean isUndecided() {
    return order.isUndecided();
  }

  /// Reads lines ahead until one shows whether days or months come first in this body.
  ///
  /// @param body the lines in `[offset, newLimit)`, with [Swar#SLACK_BYTES] readable bytes after
  /// @param newNowNanos as for [#nanos]
  public void decide(byte[] body, int offset, int newLimit, long newNowNanos) {
    int at = offset;
    while (at < newLimit && order.isUndecided()) {
      int end = Swar.newline(body, at, newLimit);
      long _ = nanos(body, at, end, newNowNanos);
      at = end + 1;
    }
  }

  /// The time of the line in `[offset, newLimit)`; [TimeParser#NONE] when it has none.
  ///
  /// @param newNowNanos completes times without a year
  public long nanos(byte[] line, int offset, int newLimit, long newNowNanos) {
    begin(line, offset, newLimit, newNowNanos, false);
    clearAt = offset;
    int end = Math.min(limit, offset + SIGHT_BYTES);
    int before = 0;
    long other = TimeParser.NONE; // the first time of another form
    for (int i = offset; i < end; i++) {
      int kind = CLASS[bytes[i] & 0xff];
      if ((kind & BEGINS) != 0 && (before & JOINS) == 0) {
        long nanos = time(i);
        if (nanos != TimeParser.NONE && (nanos <= nowNanos + DAY_NANOS || isClear(i))) {
          if (isFirst(i) || bodyForm == 0 || bodyForm == form) {
            bodyForm = form;
            time.set(i, text.at);
            timeForm = form;
            return nanos;
          }
          if (other == TimeParser.NONE) {
            other = nanos;
            otherTime.set(i, text.at);
            otherForm = form;
          }
        }
      }
      before = kind;
    }
    boolean calendar = other != TimeParser.NONE || calendarSeen;
    time.set(calendar ? otherTime : numberTime);
    timeForm = calendar ? otherForm : NUMBER;
    return calendar ? other : numberNanos;
  }

  private void begin(byte[] line, int offset, int newLimit, long newNowNanos, boolean alone) {
    bytes = line;
    start = offset;
    limit = newLimit;
    text.begin(line, newLimit, alone);
    nowNanos = newNowNanos;
    numberNanos = TimeParser.NONE;
    unread.clear();
  }

  private long time(int i) {
    begins = i;
    return TimeParser.isDigit(bytes[i]) ? number(i) : word(i);
  }

  /// The time that fills `[offset, newLimit)`, perhaps after a weekday; [TimeParser#NONE] when it
  /// is none. Knows nothing of earlier times.
  long whole(byte[] line, int offset, int newLimit, long newNowNanos) {
    long nanos = first(line, offset, newLimit, newNowNanos, true);
    return nanos != TimeParser.NONE && isEnd(text.at) ? nanos : TimeParser.NONE;
  }

  /// The time that begins at `offset`; [TimeParser#NONE] when there is none. Knows nothing of
  /// earlier times. [#time] is where it is, or [#unread] where one is with a zone that is not
  /// understood.
  public long first(byte[] line, int offset, int newLimit, long newNowNanos) {
    return first(line, offset, newLimit, newNowNanos, false);
  }

  private long first(byte[] line, int offset, int newLimit, long newNowNanos, boolean alone) {
    begin(line, offset, newLimit, newNowNanos, alone);
    order.forget();
    int at = afterWeekday(offset);
    clearAt = at;
    if (at >= limit || (CLASS[bytes[at] & 0xff] & BEGINS) == 0) {
      return TimeParser.NONE;
    }
    long nanos = time(at);
    time.set(at, text.at);
    return nanos;
  }

  /// The position at which the line continues after `Sun `, `Sun, ` or `Sunday, `.
  private int afterWeekday(int i) {
    int end = i;
    while (end < limit && (bytes[end] | 0x20) >= 'a' && (bytes[end] | 0x20) <= 'z') {
      end++;
    }
    if (end - i < 3 || !isWeekdayName(i)) {
      return i;
    }
    int comma = text.byteAt(end) == ',' ? end + 1 : end;
    return text.byteAt(comma) == ' ' ? comma + 1 : i;
  }

  /// Whether nothing follows a time but more of its zone: `[Europe/Paris]`, `(CET)`, ` CET m=+1`.
  private boolean isEnd(int i) {
    int b = text.byteAt(i);
    int open = b == ' ' ? text.byteAt(i + 1) : b;
    boolean zoned = zoneLimit == i;
    if (i == limit || !zoned) {
      return i == limit;
    }
    if (open == '[' || open == '(') {
      return bytes[limit - 1] == (open == '[' ? ']' : ')');
    }
    int zone = text.zone(); // as Go writes it
    boolean again = zone != ZoneText.NO_ZONE && zone != ZoneText.UNREAD;
    int end = again ? text.at : i;
    boolean monotonic = text.byteAt(end) == ' ' && text.byteAt(end + 1) == 'm';
    return end == limit || (monotonic && text.byteAt(end + 2) == '=');
  }

  /// The form of the time that was read last.
  int form() {
    return timeForm;
  }

  /// Where the time is that was read last.
  public TimeSpan time() {
    return time;
  }

  /// Whether the time that was read last has a zone.
  boolean isZoned() {
    return zoneLimit > 0;
  }

  /// Where a time is that stands where that of the line does, and has a zone that is not
  /// understood.
  public TimeSpan unread() {
    return unread;
  }

  /// Whether what begins at `i` is the time of the line, be it as odd as it may: it stands first,
  /// perhaps after a weekday, or in brackets.
  private boolean isClear(int i) {
    return isFirst(i) || i == clearAt || bytes[i - 1] == '[';
  }

  /// Returns whether the text at `i` starts the line, perhaps after a weekday or a priority.
  private boolean isFirst(int i) {
    return i - start <= 6;
  }

  /// Whether the line, or its first bracket, begins at `i`.
  private boolean isHead(int i) {
    return i - start <= 1;
  }

  private long number(int i) {
    int count = text.digitsAt(i);
    int next = text.byteAt(i + count);
    form = Math.max(count, 2) << Byte.SIZE | (next & 0xff);
    return switch (count) {
      case 1, 2 -> shortNumber(i, count, next);
      case 4 -> next == '-' || next == '/' || next == '.' ? yearFirst(i, next) : TimeParser.NONE;
      case 6 -> next == ' ' ? sixDigits(i) : TimeParser.NONE;
      case 8 -> eightDigits(i);
      case 10, 13, 16, 19 -> epoch(i, count);
      default -> TimeParser.NONE;
    };
  }

  /// `2015-10-18 18:01:47`, also with slashes or points, and `2005-06-03-15.42.50.675872`.
  private long yearFirst(int i, int separator) {
    int year = TimeParser.digits(bytes, i, 4);
    text.at = i + 5;
    int month = text.take(2);
    boolean more = text.expect(separator);
    int day = text.take(2);
    if (!more || day < 0) {
      return TimeParser.NONE;
    }
    if (separator == '-' && text.expect('-')) {
      return text.db2Clock() ? complete(year, month, day, text.db2Zone()) : TimeParser.NONE;
    }
    int b = text.byteAt(text.at);
    if (b == ',' || b == ' ' || b == '\t' || (b | 0x20) == 't') {
      text.at++;
    } else {
      return TimeParser.NONE;
    }
    if (b != 'T' && b != 't') {
      text.skipSpaces();
    }
    return text.clock(false) ? complete(year, month, day, text.zone()) : TimeParser.NONE;
  }

  private long shortNumber(int i, int count, int next) {
    int first = TimeParser.digits(bytes, i, count);
    text.at = i + count + 1;
    if (next == ' ' || next == '/' || next == '-') {
      int month = limit - text.at >= 3 ? TimeParser.month(bytes, text.at) : -1;
      if (month > 0) {
        text.at += 3;
        return dayMonth(first, month, next);
      }
    }
    int secondDigits = text.digitsAt(text.at);
    int second = text.take(2);
    if (second < 0) {
      return TimeParser.NONE;
    }
    boolean twice = count == 2 && secondDigits == 2;
    return switch (next) {
      case '-', '/' -> {
        if (text.expect(next)) {
          yield thenYear(first, second, next);
        }
        yield twice ? pair(first, second, next) : TimeParser.NONE;
      }
      case '.' -> twice ? points(i, first, second) : TimeParser.NONE;
      default -> TimeParser.NONE;
    };
  }

  /// `03-17 16:13:38.811` and `10/18-18:01:47.978`: month, day.
  private long pair(int month, int day, int separator) {
    boolean more = text.expect(separator == '-' ? ' ' : '-');
    return more && text.clock(false) ? unyeared(month, day) : TimeParser.NONE;
  }

  /// `05/17/2015 10:05:03`, `17-05-2015 10:05:03` and `17/06/09 20:10:40`, from the third number.
  private long thenYear(int first, int second, int separator) {
    int count = text.digitsAt(text.at);
    int third = text.take(4);
    boolean comma = text.expect(',');
    boolean apart = text.expect(' ') || (!comma && (text.expect('-') || text.expect('T')));
    if (!apart || (count != 4 && (count != 2 || separator != '/')) || !text.clock(false)) {
      return TimeParser.NONE;
    }
    calendarSeen = true; // though it may be of no use
    int zone = text.zone();
    if (count == 4) {
      return switch (order.of(third, first, second)) {
        case DAY_FIRST -> complete(third, second, first, zone);
        case MONTH_FIRST -> complete(third, first, second, zone);
        case YEAR_FIRST, UNKNOWN -> TimeParser.NONE;
      };
    }
    return switch (order.ofShort(first, second, third, nowNanos + DAY_NANOS)) {
      case YEAR_FIRST -> complete(DateOrder.century(first), second, third, zone);
      case DAY_FIRST -> complete(DateOrder.century(third), second, first, zone);
      case MONTH_FIRST -> complete(DateOrder.century(third), first, second, zone);
      case UNKNOWN -> TimeParser.NONE;
    };
  }

  /// `17/May/2015:10:05:03 +0000`, `17-May-2015 10:05:03`, `06-Nov-94 08:49:37`, `17 May 10:05:03`.
  private long dayMonth(int day, int month, int separator) {
    if (!text.expect(separator)) {
      return TimeParser.NONE;
    }
    int year = NO_YEAR;
    int digits = text.digitsAt(text.at);
    if (digits == 4 || (digits == 2 && separator == '-')) {
      year = digits == 4 ? text.take(4) : DateOrder.century(text.take(2));
      boolean colon = text.expect(':');
      boolean _ = colon && separator == '-' && text.expect(':');
      if (!colon && !text.expect(' ') && !text.expect('T')) {
        return TimeParser.NONE;
      }
    } else if (separator != ' ') {
      return TimeParser.NONE;
    }
    return text.clock(false) ? complete(year, month, day, text.zone()) : TimeParser.NONE;
  }

  /// `[10.30 16:49:06]`: month, day; or `17.05.2015 10:05:03`: day, month.
  private long points(int i, int first, int second) {
    if (text.expect('.')) {
      int year = text.digitsAt(text.at) == 4 ? text.take(4) : NO_YEAR;
      if (year < 0) {
        return TimeParser.NONE;
      }
      boolean comma = text.expect(',');
      boolean space = text.expect(' ');
      return (comma || space) && text.clock(false)
          ? complete(year, second, first, text.zone())
          : TimeParser.NONE;
    }
    boolean bracket = i > start && bytes[i - 1] == '[';
    return bracket && text.expect(' ') && text.clock(false)
        ? unyeared(first, second)
        : TimeParser.NONE;
  }

  /// `081109 203615`, which two numbers elsewhere in the line are not, and `081109 20:36:15`.
  private long sixDigits(int i) {
    int year = DateOrder.century(TimeParser.digits(bytes, i, 2));
    text.at = i + 7;
    text.skipSpaces();
    boolean plain = text.digitsAt(text.at) == 6;
    boolean more = plain ? isHead(i) && text.plainClock() : text.clock(false) && text.exact;
    return more ? complete(year, monthAt(i + 2), dayAt(i + 4), text.zone()) : TimeParser.NONE;
  }

  /// `20171223-22:15:29:606`, `20171223T221529Z`.
  private long eightDigits(int i) {
    int b = text.byteAt(i + 8);
    if (b != '-' && b != ' ' && b != 'T') {
      return TimeParser.NONE;
    }
    text.at = i + 9;
    int digits = text.digitsAt(text.at);
    boolean plain = digits == 6 || (digits == 4 && b == 'T');
    if (plain && b != 'T' && !isHead(i)) {
      return TimeParser.NONE; // two numbers
    }
    boolean more = plain ? text.plainClock() : text.clock(true);
    return more
        ? complete(TimeParser.digits(bytes, i, 4), monthAt(i + 4), dayAt(i + 6), text.zone())
        : TimeParser.NONE;
  }

  private int monthAt(int i) {
    return TimeParser.digits(bytes, i, 2);
  }

  private int dayAt(int i) {
    return TimeParser.digits(bytes, i, 2);
  }

  private long word(int i) {
    int b = bytes[i];
    form = KLOG;
    if ((b == 'I' || b == 'W' || b == 'E' || b == 'F') && text.isDigitAt(i + 1)) {
      return klog(i + 1);
    }
    int month = limit - i >= 3 ? TimeParser.month(bytes, i) : -1;
    return month > 0 ? monthFirst(i, month) : TimeParser.NONE;
  }

  /// `I0102 15:04:05.000000` and `I20060102 15:04:05.000000`, without their letter.
  private long klog(int i) {
    int count = text.digitsAt(i);
    text.at = i + count;
    if ((count != 4 && count != 8) || !text.expect(' ') || !text.clock(false)) {
      return TimeParser.NONE;
    }
    int year = count == 8 ? TimeParser.digits(bytes, i, 4) : NO_YEAR;
    int day = i + count - 2;
    return complete(year, monthAt(day - 2), dayAt(day), text.zone());
  }

  /// `Jun 9 06:06:20`, `Dec 4, 2005 4:47:44 AM`, and `Dec 04 04:47:44 2005` after a weekday.
  private long monthFirst(int i, int month) {
    text.at = i + 3;
    if (!text.expect(' ')) {
      return TimeParser.NONE;
    }
    text.skipSpaces();
    int day = text.take(2);
    boolean comma = text.expect(',');
    if (day < 0 || !text.expect(' ')) {
      return TimeParser.NONE;
    }
    int year = NO_YEAR;
    if (text.digitsAt(text.at) == 4) {
      year = text.take(4);
      boolean afterComma = text.expect(',');
      if (!text.expect(' ') && !afterComma) {
        return TimeParser.NONE;
      }
    } else if (comma) {
      return TimeParser.NONE;
    }
    if (!text.clock(false)) {
      return TimeParser.NONE;
    }
    int zone = text.zone();
    if (year == NO_YEAR && isWeekday(i - 4) && yearAfter()) {
      year = TimeParser.digits(bytes, text.at - 4, 4);
      zone = zone == ZoneText.NO_ZONE ? text.zone() : zone; // as git writes it
    }
    form = year == NO_YEAR ? MONTH : MONTH_YEAR;
    return complete(year, month, day, zone);
  }

  private boolean isWeekday(int i) {
    return i >= start && bytes[i + 3] == ' ' && isWeekdayName(i);
  }

  private boolean isWeekdayName(int i) {
    for (int day = 0; day < WEEKDAYS.length; day += 3) {
      if (bytes[i] == WEEKDAYS[day]
          && bytes[i + 1] == WEEKDAYS[day + 1]
          && bytes[i + 2] == WEEKDAYS[day + 2]) {
        return true;
      }
    }
    return false;
  }

  /// Passes over the year after a time; false when there is none.
  private boolean yearAfter() {
    boolean year =
        text.byteAt(text.at) == ' '
            && text.digitsAt(text.at + 1) == 4
            && !text.isWordAt(text.at + 5);
    text.at += year ? 5 : 0;
    return year;
  }

  private long epoch(int i, int count) {
    long nanos = TimeParser.loneEpoch(bytes, i, limit);
    if (nanos == TimeParser.NONE) {
      return nanos;
    }
    text.at = i + count;
    if (text.byteAt(text.at) == '.' && text.isDigitAt(text.at + 1)) {
      text.at = TimeParser.fractionLimit(bytes, text.at + 1, limit);
    }
    int numberLimit = text.at;
    int day = i + count + 1;
    if (count == 10 && TwiceTold.isDayOf(nanos, bytes, day, limit)) {
      nanos += TwiceTold.fraction(text, nanos, bytes, day + 11, limit);
      text.at = numberLimit;
      return nanos;
    }
    if (isHead(i)) {
      return nanos;
    }
    int before = bytes[i - 1];
    boolean alone = before == ' ' || before == '\t' || before == '[';
    boolean fractional = text.byteAt(i + count) == '.'; // hardly another number
    if ((alone || fractional) && numberNanos == TimeParser.NONE) {
      numberNanos = nanos;
      numberTime.set(i, numberLimit);
    }
    return TimeParser.NONE;
  }

  private long unyeared(int month, int day) {
    return complete(NO_YEAR, month, day, text.zone());
  }

  /// The time of a date and of what [ClockText] read, when nothing follows it that belongs to it.
  private long complete(int year, int month, int day, int zone) {
    if (!TimeParser.isDate(year == NO_YEAR ? 2_000 : year, month, day)
        || (year == NO_YEAR && !text.exact)) {
      return TimeParser.NONE;
    }
    int b = text.byteAt(text.at);
    boolean digitNext = text.isDigitAt(text.at + 1);
    boolean joined = text.isWordAt(text.at) || b == '+' || ((b == ':' || b == '-') && digitNext);
    if (zone == ZoneText.UNREAD || joined) {
      unread(zone == ZoneText.UNREAD);
      return TimeParser.NONE;
    }
    calendarSeen = true;
    zoneLimit = zone == ZoneText.NO_ZONE ? 0 : text.at;
    SenderLocalTimes places = zone == ZoneText.NO_ZONE ? local : utc;
    int east = zone == ZoneText.NO_ZONE ? 0 : zone;
    if (zone == ZoneText.REGION) {
      places = new SenderLocalTimes(text.region());
      east = 0;
    }
    if (year == NO_YEAR) {
      long nanos = places.nearest(month, day, text.seconds - east, nowNanos);
      return nanos == TimeParser.NONE ? nanos : nanos + text.fraction;
    }
    long nanos = TimeParser.nanosOf(year, month, day, text.seconds);
    if (year < 1_700 || year > 2_250) {
      return nanos; // beyond what a zone may change; the store refuses it
    }
    return places.ofLocal(nanos + text.fraction) - east * TimeParser.NANOS_PER_SECOND;
  }

  /// Remembers a time that has a zone which is not understood, where that of the line stands.
  private void unread(boolean zone) {
    if (!unread.isThere() && isClear(begins)) {
      unread.set(begins, zone ? text.at : Math.min(limit, text.at + 1));
    }
  }
}
