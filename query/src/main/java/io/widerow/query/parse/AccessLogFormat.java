package io.widerow.query.parse;

import io.widerow.event.AttributeName;

/// The common and the combined log format of web servers, also with the name of a virtual host
/// before it (`vhost_combined`), and with the list of forwarders after it, as in nginx's `main`:
///
/// ```
///   1.2.3.4 - ann [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 203 "http://x/" "a" "5.6.7.8"
/// ```
///
/// A `-` is no value. Escapes in quotes stay as they are.
record AccessLogFormat() implements TextFormat {
  private static final int STATUS_DIGITS = 3;

  @Override
  public boolean parse(ParsedText text) {
    int open = text.indexOf(" [", 0);
    if (open < 0 || !client(text, open)) {
      return false;
    }
    int time = open + 2;
    int close = text.indexOf("] \"", time);
    if (close < 0) {
      return false;
    }
    text.putText(FieldNames.TIME, time, close);
    int request = close + 3;
    int end = text.quoteEnd(request);
    if (end < 0) {
      return false;
    }
    RequestLine.put(text, request, end);
    text.at = end + 1;
    if (!text.take(' ')) {
      return false;
    }
    int status = text.at;
    int statusEnd = text.word();
    boolean is = statusEnd - status == STATUS_DIGITS && text.areDigits(status, statusEnd);
    if (!is) {
      return false;
    }
    text.put(FieldNames.STATUS, status, statusEnd);
    int bytes = text.at;
    int bytesEnd = text.word();
    boolean none = bytesEnd > 0 && text.isNone(bytes, bytesEnd);
    if (bytesEnd < 0 || (!none && !text.areDigits(bytes, bytesEnd))) {
      return false;
    }
    if (!none) {
      text.put(FieldNames.BYTES, bytes, bytesEnd);
    }
    quoted(text, FieldNames.REFERRER);
    quoted(text, FieldNames.AGENT);
    quoted(text, FieldNames.FORWARDED_FOR);
    return true;
  }

  /// Reads `[vhost] client ident user`, up to `end`. A user may have spaces in its name.
  private static boolean client(ParsedText text, int end) {
    int first = text.indexOf(' ', 0, end);
    int second = first < 0 ? -1 : text.indexOf(' ', first + 1, end);
    if (second < 0) {
      return false;
    }
    int from = 0;
    int third = text.indexOf(' ', second + 1, end);
    int port = text.indexOf(':', 0, first);
    if (third > 0
        && port > 0
        && text.areDigits(port + 1, first)
        && text.indexOf(' ', third + 1, end) < 0) {
      text.putText(FieldNames.VHOST, 0, first);
      from = first + 1;
      first = second;
      second = third;
    }
    if (first == from || second == first + 1 || end == second + 1) {
      return false;
    }
    text.putText(FieldNames.CLIENT, from, first);
    putUnlessNone(text, FieldNames.IDENT, first + 1, second);
    putUnlessNone(text, FieldNames.USER, second + 1, end);
    return true;
  }

  private static void putUnlessNone(ParsedText text, AttributeName name, int from, int until) {
    if (!text.isNone(from, until)) {
      text.putText(name, from, until);
    }
  }

  /// Reads a text in quotes and the space after it, if there is one. A line that was cut ends in
  /// it.
  private static void quoted(ParsedText text, AttributeName name) {
    if (!text.take('"')) {
      return; // the end, or what another format has added
    }
    int from = text.at;
    int close = text.quoteEnd(from);
    int until = close < 0 ? text.length() : close;
    if (until > from) {
      putUnlessNone(text, name, from, until);
    }
    text.at = Math.min(text.length(), until + 1);
    boolean _ = text.take(' ');
  }

  @Override
  public String toString() {
    return "clf";
  }
}
