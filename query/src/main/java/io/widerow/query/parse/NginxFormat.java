package io.widerow.query.parse;

import io.widerow.event.AttributeName;
import org.jspecify.annotations.Nullable;

/// The logs of nginx as they come: the access log in `combined` or `main`, and the error log:
///
/// ```
///   2026/11/30 02:10:42 [error] 12#13: *14 open() "/x" failed, client: 1.2.3.4, server: a
/// ```
record NginxFormat() implements TextFormat {
  private static final AccessLogFormat ACCESS = new AccessLogFormat();
  private static final int TIME_CHARS = 19;
  private static final AttributeName[] MEMBERS = {
    FieldNames.CLIENT,
    AttributeName.of("server"),
    FieldNames.REQUEST,
    AttributeName.of("subrequest"),
    AttributeName.of("upstream"),
    FieldNames.HOST,
    FieldNames.REFERRER
  };

  @Override
  public boolean parse(ParsedText text) {
    return isError(text) ? error(text) : ACCESS.parse(text);
  }

  private static boolean isError(ParsedText text) {
    return text.areDigits(0, 4)
        && text.isAt("/", 4)
        && text.isAt("/", 7)
        && text.isAt(" [", TIME_CHARS);
  }

  private static boolean error(ParsedText text) {
    int level = TIME_CHARS + 2;
    int close = text.indexOf(']', level);
    if (close < 0) {
      return false;
    }
    text.putText(FieldNames.TIME, 0, TIME_CHARS);
    text.putText(FieldNames.LEVEL, level, close);
    text.at = close + 1;
    if (!text.take(' ')) {
      return false;
    }
    int pid = text.at;
    int hash = text.indexOf('#', pid);
    int colon = text.indexOf(": ", pid);
    if (hash < 0
        || colon < hash
        || !text.areDigits(pid, hash)
        || !text.areDigits(hash + 1, colon)) {
      return false;
    }
    text.put(FieldNames.PID, pid, hash);
    text.put(FieldNames.TID, hash + 1, colon);
    int message = colon + 2;
    if (text.isAt("*", message)) {
      int space = text.indexOf(' ', message);
      if (space > 0 && text.areDigits(message + 1, space)) {
        text.put(FieldNames.CONNECTION, message + 1, space);
        message = space + 1;
      }
    }
    int client = text.indexOf(", client: ", message);
    text.putText(FieldNames.MESSAGE, message, client < 0 ? text.length() : client);
    if (client >= 0) {
      members(text, client);
    }
    return true;
  }

  /// Reads `, name: value` and `, name: "value"` as long as they follow.
  private static void members(ParsedText text, int from) {
    int at = from;
    while (text.isAt(", ", at)) {
      int colon = text.indexOf(": ", at + 2);
      AttributeName name = colon < 0 ? null : member(text, at + 2);
      if (name == null) {
        return;
      }
      int value = colon + 2;
      boolean quoted = text.isAt("\"", value);
      int end = quoted ? text.quoteEnd(value + 1) : text.indexOf(", ", value);
      if (end < 0 && quoted) {
        return;
      }
      end = end < 0 ? text.length() : end;
      value += quoted ? 1 : 0;
      if (name.equals(FieldNames.REQUEST)) {
        RequestLine.put(text, value, end);
      } else {
        text.putFirst(name, value, end);
      }
      at = quoted ? end + 1 : end;
    }
  }

  private static @Nullable AttributeName member(ParsedText text, int at) {
    for (AttributeName member : MEMBERS) {
      if (text.isAt(member.toString(), at) && text.isAt(":", at + member.length())) {
        return member;
      }
    }
    return null;
  }

  @Override
  public String toString() {
    return "nginx";
  }
}
