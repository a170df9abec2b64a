package io.widerow.query.parse;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;

/// A line of syslog, RFC 5424 or RFC 3164, with the priority or, as in files, without it. The
/// fields are those of the daemon's own receiver; the rest of the line is `message`.
///
/// ```
///   <165>1 2003-10-11T22:14:15.003Z host app 8710 ID47 [ex@1 k="v"] text
///   Oct 11 22:14:15 host su[230]: text
///   2026-11-28T16:00:00.123+01:00 host su: text
///   Jul  1 09:29:02 host sandboxd[129] (com.apple.x): text
/// ```
record SyslogFormat() implements TextFormat {
  private static final AttributeName FACILITY = AttributeName.of("facility");
  private static final AttributeName SEVERITY = AttributeName.of("severity");
  private static final AttributeName MESSAGE_ID = AttributeName.of("msgid");
  private static final AttributeName ADDRESS = AttributeName.of("address");
  private static final int PRIORITY_MAX = 191;
  private static final int PRIORITY_DIGITS_MAX = 3;
  private static final int STAMP_CHARS = 15;
  private static final int TAG_CHARS_MAX = 64;
  private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";

  @Override
  public boolean parse(ParsedText text) {
    boolean prioritized = text.isAt("<", 0);
    if (prioritized && !priority(text)) {
      return false;
    }
    if (prioritized && text.isAt("1 ", text.at)) {
      text.at += 2;
      return rfc5424(text);
    }
    return stamp(text) && hostAndTag(text);
  }

  private static boolean isYear(ParsedText text, int at) {
    return text.areDigits(at, at + 4) && text.isAt("-", at + 4);
  }

  private static boolean priority(ParsedText text) {
    int close = text.indexOf('>', 1);
    if (close < 0 || close > 1 + PRIORITY_DIGITS_MAX || !text.areDigits(1, close)) {
      return false;
    }
    int priority = 0;
    for (int i = 1; i < close; i++) {
      priority = 10 * priority + text.bytes()[i] - '0';
    }
    text.putBits(FACILITY, AttributeKind.LONG, priority >>> 3);
    text.putBits(SEVERITY, AttributeKind.LONG, priority & 7);
    text.at = close + 1;
    return priority <= PRIORITY_MAX;
  }

  private static boolean rfc5424(ParsedText text) {
    int time = text.at;
    int end = text.word();
    if (end < 0) {
      return false;
    }
    if (!text.isNone(time, end)) {
      text.putText(FieldNames.TIME, time, end);
    }
    return header(text, FieldNames.HOST)
        && header(text, FieldNames.APP)
        && text.word(FieldNames.PID)
        && header(text, MESSAGE_ID)
        && structuredData(text)
        && message(text);
  }

  private static boolean header(ParsedText text, AttributeName name) {
    int from = text.at;
    int until = text.word();
    if (until > 0 && !text.isNone(from, until)) {
      text.putText(name, from, until);
    }
    return until > 0;
  }

  private static boolean structuredData(ParsedText text) {
    if (!text.take('-') && !text.isAt("[", text.at)) {
      return false;
    }
    while (text.take('[')) {
      if (!element(text)) {
        return false;
      }
    }
    return text.at == text.length() || text.take(' ');
  }

  /// Reads `id name="value" ...]`.
  private static boolean element(ParsedText text) {
    int id = text.at;
    int idEnd = id;
    while (idEnd < text.length() && text.bytes()[idEnd] != ' ' && text.bytes()[idEnd] != ']') {
      idEnd++;
    }
    text.at = idEnd;
    while (text.take(' ')) {
      int name = text.at;
      int equals = text.indexOf('=', name);
      if (equals < 0 || !text.isAt("=\"", equals)) {
        return false;
      }
      int made = text.made();
      text.make(id, idEnd);
      text.make((byte) '.');
      text.make(name, equals);
      AttributeName joined = text.nameOf(made, text.made());
      text.unmake(made);
      int from = equals + 2;
      int until = text.quoteEnd(from);
      if (until < 0) {
        return false;
      }
      if (joined != null && text.find(joined) < 0) {
        value(text, joined, from, until);
      }
      text.at = until + 1;
    }
    return text.take(']');
  }

  /// A backslash escapes a quote, a backslash and a closing bracket; before others it stays.
  private static void value(ParsedText text, AttributeName name, int from, int until) {
    if (text.indexOf('\\', from, until) < 0) {
      text.put(name, from, until);
      return;
    }
    int made = text.made();
    for (int i = from; i < until; i++) {
      boolean escapes =
          text.bytes()[i] == '\\' && i + 1 < until && "\"\\]".indexOf(text.bytes()[i + 1]) >= 0;
      i += escapes ? 1 : 0;
      text.make(text.bytes()[i]);
    }
    text.put(name, made, text.made());
  }

  /// Reads a time without its year, with one after it, or of ISO 8601, and the space after it.
  private static boolean stamp(ParsedText text) {
    int from = text.at;
    int end;
    if (isMonth(text, from)) {
      boolean clock =
          text.isAt(" ", from + 3)
              && text.isAt(" ", from + 6)
              && text.isAt(":", from + 9)
              && text.isAt(":", from + 12)
              && text.areDigits(from + 13, from + STAMP_CHARS);
      end = from + STAMP_CHARS;
      while (clock && (text.isDigit(end) || text.isAt(".", end))) {
        end++; // a fraction
      }
      if (!clock) {
        return false;
      }
    } else {
      end = text.indexOf(' ', from);
      boolean dated = end > 0 && isYear(text, from) && text.isAt("T", from + 10);
      boolean basic = end > 0 && text.areDigits(from, from + 8) && text.isAt("T", from + 8);
      if (!dated && !basic) {
        return false;
      }
    }
    text.putText(FieldNames.TIME, from, end);
    text.at = end;
    boolean _ = text.take(':'); // Cisco
    return text.take(' ');
  }

  private static boolean isMonth(ParsedText text, int at) {
    for (int month = 0; month < MONTHS.length(); month += 3) {
      if (text.isAt(MONTHS.substring(month, month + 3), at)) {
        return true;
      }
    }
    return false;
  }

  /// Reads `host app[pid]: text`; without a host it begins with the tag.
  private static boolean hostAndTag(ParsedText text) {
    int from = text.at;
    int until = text.word();
    if (until < 0) {
      return message(text);
    }
    byte last = text.bytes()[until - 1];
    if (last == ':' || last == ']') {
      text.at = from;
    } else {
      text.putText(FieldNames.HOST, from, until);
    }
    tag(text);
    return message(text);
  }

  private static void tag(ParsedText text) {
    int from = text.at;
    int end = from;
    while (end < text.length() && end - from < TAG_CHARS_MAX && !isTagEnd(text.bytes()[end])) {
      end++;
    }
    if (end == text.length() || end == from || end - from == TAG_CHARS_MAX) {
      return;
    }
    if (text.bytes()[end] == ' ') {
      end = spacedEnd(text, from, end);
      if (end < 0) {
        return; // no tag: all of it is text
      }
    }
    int next = end;
    if (text.bytes()[end] == '[') {
      int close = text.indexOf(']', end + 1);
      if (close < 0) {
        return;
      }
      text.put(FieldNames.PID, end + 1, close);
      next = close + 1;
    }
    text.putText(FieldNames.APP, from, end);
    int address = text.isAt(" (", next) ? text.indexOf("):", next) : -1;
    if (address > 0) { // as macOS writes it: launchd[1] (com.apple.x): text
      text.putText(ADDRESS, next + 2, address);
      next = address + 1;
    }
    text.at = next;
    boolean _ = text.take(':');
    boolean _ = text.take(' ');
  }

  /// The end of a name with spaces, which a number in brackets and a colon follow, such as
  /// `Microsoft Word[14463]: text`; negative when it is none.
  private static int spacedEnd(ParsedText text, int from, int space) {
    int open = text.indexOf('[', space);
    int close = open < 0 ? -1 : text.indexOf(']', open);
    boolean isName =
        close > 0
            && close - from < TAG_CHARS_MAX
            && text.areDigits(open + 1, close)
            && text.isAt(":", close + 1)
            && text.indexOf(':', from, open) < 0;
    return isName ? open : -1;
  }

  private static boolean isTagEnd(byte here) {
    return here == ':' || here == '[' || here == ' ';
  }

  private static boolean message(ParsedText text) {
    if (text.isAt("\u00ef\u00bb\u00bf", text.at)) {
      text.at += 3; // a byte order mark
    }
    if (text.at < text.length()) {
      text.putText(FieldNames.MESSAGE, text.at, text.length());
    }
    return true;
  }

  @Override
  public boolean isVerbatim() {
    return false;
  }

  @Override
  public String toString() {
    return "syslog";
  }
}
