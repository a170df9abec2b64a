package io.widerow.query.parse;

/// Reads a message of syslog, RFC 5424 or RFC 3164, with the priority or, as in files, without it:
///
/// ```
///   <165>1 2003-10-11T22:14:15.003Z host app 8710 ID47 [ex@1 k="v"] text
///   <34>Oct 11 22:14:15 host su[230]: text
///   2026-11-28T16:00:00.123+01:00 host su: text
///   Jul  1 09:29:02 host sandboxd[129] (com.apple.x): text
/// ```
///
/// A `-` is no value.
///
/// - Threads: one.
public final class SyslogReader {
  private static final int PRIORITY_MAX = 191;
  private static final int PRIORITY_DIGITS_MAX = 3;
  private static final int STAMP_CHARS = 15;
  private static final int TAG_CHARS_MAX = 64;
  private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";

  private final SyslogFields fields;
  private byte[] bytes = {};
  private int at;
  private int limit;

  public SyslogReader(SyslogFields fields) {
    this.fields = fields;
  }

  /// Reads the message in `[offset, newLimit)`.
  ///
  /// @param asked whether there must be a priority
  /// @return false when it is of neither RFC; what was found is then meaningless except the
  ///   priority, after which [#at] is
  public boolean read(byte[] message, int offset, int newLimit, boolean asked) {
    bytes = message;
    at = offset;
    limit = newLimit;
    boolean prioritized = priority();
    int start = at;
    boolean isNew = prioritized && isAt('1', at) && isAt(' ', at + 1);
    if ((asked && !prioritized) || !(isNew ? rfc5424() : rfc3164(prioritized))) {
      at = start;
      return false;
    }
    boolean marked = isAt(0xef, at) && isAt(0xbb, at + 1) && isAt(0xbf, at + 2);
    at += marked ? 3 : 0; // a byte order mark
    if (at < limit) {
      fields.part(SyslogFields.Part.MESSAGE, at, limit);
    }
    return true;
  }

  /// Where what was not read begins.
  public int at() {
    return at;
  }

  /// True for a backslash that escapes a quote, a backslash or a closing bracket; before others it
  /// stays.
  public static boolean isEscape(byte[] bytes, int at, int limit) {
    return bytes[at] == '\\' && at + 1 < limit && "\"\\]".indexOf(bytes[at + 1]) >= 0;
  }

  /// The end of `Oct 11 22:14:15`, and of a fraction after it; negative when there is none.
  public static int monthTimeEnd(byte[] bytes, int from, int limit) {
    int end = from + STAMP_CHARS;
    boolean is =
        end <= limit
            && isMonth(bytes, from)
            && bytes[from + 3] == ' '
            && bytes[from + 6] == ' '
            && bytes[from + 9] == ':'
            && bytes[from + 12] == ':'
            && isDigit(bytes[from + 13])
            && isDigit(bytes[from + 14]);
    while (is && end < limit && (isDigit(bytes[end]) || bytes[end] == '.')) {
      end++;
    }
    return is ? end : -1;
  }

  private static boolean isMonth(byte[] bytes, int at) {
    for (int month = 0; month < MONTHS.length(); month += 3) {
      if (bytes[at] == MONTHS.charAt(month)
          && bytes[at + 1] == MONTHS.charAt(month + 1)
          && bytes[at + 2] == MONTHS.charAt(month + 2)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isDigit(byte here) {
    return here >= '0' && here <= '9';
  }

  private boolean areDigits(int from, int until) {
    int i = from;
    while (i < until && i < limit && isDigit(bytes[i])) {
      i++;
    }
    return i == until && until > from;
  }

  private boolean isAt(int one, int place) {
    return place < limit && bytes[place] == (byte) one;
  }

  private boolean take(char one) {
    boolean is = isAt(one, at);
    at += is ? 1 : 0;
    return is;
  }

  /// Where a byte is next; the limit when it is nowhere.
  private int next(char one, int from) {
    int i = from;
    while (i < limit && bytes[i] != one) {
      i++;
    }
    return i;
  }

  /// Takes the word at [#at] and the space after it. Returns its end; negative when it is empty.
  private int word() {
    int end = next(' ', at);
    if (end == at) {
      return -1;
    }
    at = Math.min(limit, end + 1);
    return end;
  }

  private boolean isNone(int from, int until) {
    return until - from == 1 && bytes[from] == '-';
  }

  /// Reads `<0>` to `<191>`.
  private boolean priority() {
    int close = isAt('<', at) ? next('>', at) : limit;
    int from = at + 1;
    if (close == limit || close - from > PRIORITY_DIGITS_MAX || !areDigits(from, close)) {
      return false;
    }
    int priority = 0;
    for (int i = from; i < close; i++) {
      priority = 10 * priority + bytes[i] - '0';
    }
    if (priority > PRIORITY_MAX) {
      return false;
    }
    at = close + 1;
    fields.priority(priority);
    return true;
  }

  private boolean rfc5424() {
    at += 2;
    int time = at;
    int end = word();
    if (end < 0) {
      return false;
    }
    if (!isNone(time, end)) {
      fields.time(time, end);
    }
    return header(SyslogFields.Part.HOST)
        && header(SyslogFields.Part.APP)
        && header(SyslogFields.Part.PID)
        && header(SyslogFields.Part.MESSAGE_ID)
        && structuredData();
  }

  private boolean header(SyslogFields.Part part) {
    int from = at;
    int until = word();
    if (until > 0 && !isNone(from, until)) {
      fields.part(part, from, until);
    }
    return until > 0;
  }

  private boolean structuredData() {
    if (!take('-') && !isAt('[', at)) {
      return false;
    }
    while (take('[')) {
      if (!element()) {
        return false;
      }
    }
    return at == limit || take(' ');
  }

  /// Reads `id name="value" ...]`.
  private boolean element() {
    int id = at;
    while (at < limit && bytes[at] != ' ' && bytes[at] != ']') {
      at++;
    }
    int idEnd = at;
    while (take(' ')) {
      int name = at;
      while (at < limit && bytes[at] != '=' && bytes[at] != ']') {
        at++;
      }
      int nameEnd = at;
      if (!take('=') || !take('"')) {
        return false;
      }
      int value = at;
      while (at < limit && bytes[at] != '"') {
        at += isEscape(bytes, at, limit) ? 2 : 1;
      }
      int valueEnd = at;
      if (!take('"')) {
        return false;
      }
      fields.parameter(id, idEnd, name, nameEnd, value, valueEnd);
    }
    return take(']');
  }

  private boolean rfc3164(boolean prioritized) {
    int from = at;
    int end;
    if (at + STAMP_CHARS <= limit && isMonth(bytes, at)) {
      end = fields.monthTime(at, limit);
    } else {
      end = next(' ', at);
      boolean extended =
          end > from + 10
              && areDigits(from, from + 4)
              && bytes[from + 4] == '-'
              && bytes[from + 10] == 'T';
      boolean basic = end > from + 8 && areDigits(from, from + 8) && bytes[from + 8] == 'T';
      if (!extended && !basic) {
        return false;
      }
      fields.time(from, end);
    }
    if (end < 0) {
      return false;
    }
    at = end;
    boolean _ = take(':'); // Cisco
    if (!take(' ') && (at < limit || !prioritized)) {
      return false;
    }
    hostAndTag();
    return true;
  }

  /// Reads `host app[pid]: text`; without a host it begins with the tag.
  private void hostAndTag() {
    int from = at;
    int until = word();
    if (until < 0) {
      return;
    }
    if (bytes[until - 1] == ':' || bytes[until - 1] == ']') {
      at = from;
    } else {
      fields.part(SyslogFields.Part.HOST, from, until);
    }
    tag();
  }

  private void tag() {
    int from = at;
    int end = from;
    while (end < limit && end - from < TAG_CHARS_MAX && !isTagEnd(bytes[end])) {
      end++;
    }
    if (end == limit || end == from || end - from == TAG_CHARS_MAX) {
      return;
    }
    if (bytes[end] == ' ') {
      end = spacedEnd(from, end);
      if (end < 0) {
        return; // no tag: all of it is text
      }
    }
    int next = end;
    if (bytes[end] == '[') {
      int close = next(']', end + 1);
      if (close == limit) {
        return;
      }
      fields.part(SyslogFields.Part.PID, end + 1, close);
      next = close + 1;
    }
    fields.part(SyslogFields.Part.APP, from, end);
    if (isAt(' ', next) && isAt('(', next + 1)) { // as macOS writes it
      int close = next(')', next);
      while (close < limit && !isAt(':', close + 1)) {
        close = next(')', close + 1);
      }
      if (close < limit) {
        fields.part(SyslogFields.Part.ADDRESS, next + 2, close);
        next = close + 1;
      }
    }
    at = next;
    boolean _ = take(':');
    boolean _ = take(' ');
  }

  /// The end of a name with spaces, which a number in brackets and a colon follow, such as
  /// `Microsoft Word[14463]: text`; negative when it is none.
  private int spacedEnd(int from, int space) {
    int open = next('[', space);
    int close = next(']', open);
    boolean isName =
        close < limit
            && close - from < TAG_CHARS_MAX
            && areDigits(open + 1, close)
            && isAt(':', close + 1)
            && next(':', from) > open;
    return isName ? open : -1;
  }

  private static boolean isTagEnd(byte here) {
    return here == ':' || here == '[' || here == ' ';
  }
}
