package io.widerow.query.parse;

import io.widerow.event.AttributeName;

/// The HTTP and the TCP log of HAProxy, also behind a header of syslog. The times, states and
/// counts have the names of HAProxy's manual.
///
/// ```
///   10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ----
///       1/1/1/1/0 0/0 {1wt.eu} {} "GET /index.html HTTP/1.1"
///   10.0.1.2:33313 [06/Feb/2009:12:12:51.443] fnt bck/srv1 0/0/5007 212 -- 0/0/0/0/3 0/0
/// ```
record HaproxyFormat() implements TextFormat {
  private static final AttributeName FRONTEND = AttributeName.of("frontend");
  private static final AttributeName BACKEND = AttributeName.of("backend");
  private static final AttributeName SERVER = AttributeName.of("server");
  private static final AttributeName STATE = AttributeName.of("termination_state");
  private static final AttributeName REQUEST_COOKIE = AttributeName.of("request_cookie");
  private static final AttributeName RESPONSE_COOKIE = AttributeName.of("response_cookie");
  private static final AttributeName REQUEST_HEADERS = AttributeName.of("request_headers");
  private static final AttributeName RESPONSE_HEADERS = AttributeName.of("response_headers");
  private static final AttributeName[] HTTP_TIMES = names("TR", "Tw", "Tc", "Tr", "Ta");
  private static final AttributeName[] TCP_TIMES = names("Tw", "Tc", "Tt");
  private static final AttributeName[] CONNECTIONS =
      names("actconn", "feconn", "beconn", "srv_conn", "retries");
  private static final AttributeName[] QUEUES = names("srv_queue", "backend_queue");

  private static AttributeName[] names(String... names) {
    AttributeName[] all = new AttributeName[names.length];
    for (int i = 0; i < names.length; i++) {
      all[i] = AttributeName.of(names[i]);
    }
    return all;
  }

  @Override
  public boolean parse(ParsedText text) {
    int open = text.indexOf(" [", 0);
    while (open >= 0 && !(text.areDigits(open + 2, open + 4) && text.isAt("/", open + 4))) {
      open = text.indexOf(" [", open + 1); // that of a header of syslog
    }
    int close = open < 0 ? -1 : text.indexOf("] ", open);
    if (close < 0 || !client(text, open)) {
      return false;
    }
    text.putText(FieldNames.TIME, open + 2, close);
    text.at = close + 2;
    int frontend = text.at;
    int frontendEnd = text.word();
    int backend = text.at;
    int backendEnd = text.word();
    int slash = text.indexOf('/', backend, Math.max(backend, backendEnd));
    if (frontendEnd < 0 || slash < 0) {
      return false;
    }
    text.putText(FRONTEND, frontend, frontendEnd);
    text.putText(BACKEND, backend, slash);
    text.putText(SERVER, slash + 1, backendEnd);
    int times = text.at;
    int timesEnd = text.word();
    int count = parts(text, times, timesEnd);
    if (count == HTTP_TIMES.length) {
      return numbers(text, HTTP_TIMES, times, timesEnd) && http(text);
    }
    return count == TCP_TIMES.length && numbers(text, TCP_TIMES, times, timesEnd) && tcp(text);
  }

  private static boolean client(ParsedText text, int end) {
    int start = end;
    while (start > 0 && text.bytes()[start - 1] != ' ') {
      start--;
    }
    int colon = end - 1;
    while (colon > start && text.bytes()[colon] != ':') {
      colon--;
    }
    if (colon <= start || !text.areDigits(colon + 1, end)) {
      return false;
    }
    text.putText(FieldNames.CLIENT, start, colon);
    text.put(FieldNames.PORT, colon + 1, end);
    return true;
  }

  private static boolean http(ParsedText text) {
    boolean head =
        text.word(FieldNames.STATUS)
            && text.word(FieldNames.BYTES)
            && cookie(text, REQUEST_COOKIE)
            && cookie(text, RESPONSE_COOKIE)
            && state(text)
            && counts(text);
    if (!head) {
      return false;
    }
    boolean request = headers(text, REQUEST_HEADERS);
    boolean _ = request && headers(text, RESPONSE_HEADERS);
    if (!text.take('"')) {
      return false;
    }
    int end = text.quoteEnd(text.at);
    RequestLine.put(text, text.at, end < 0 ? text.length() : end); // HAProxy cuts long lines
    return true;
  }

  private static boolean tcp(ParsedText text) {
    return text.word(FieldNames.BYTES) && state(text) && counts(text);
  }

  private static boolean cookie(ParsedText text, AttributeName name) {
    int from = text.at;
    int until = text.word();
    if (until > 0 && !text.isNone(from, until)) {
      text.putText(name, from, until);
    }
    return until > 0;
  }

  private static boolean state(ParsedText text) {
    int from = text.at;
    int until = text.word();
    if (until > 0) {
      text.putText(STATE, from, until);
    }
    return until > 0;
  }

  private static boolean counts(ParsedText text) {
    int connections = text.at;
    int connectionsEnd = text.word();
    int queues = text.at;
    return numbers(text, CONNECTIONS, connections, connectionsEnd)
        && numbers(text, QUEUES, queues, text.word());
  }

  /// Reads headers that were captured, `{a|b}`. False when there are none.
  private static boolean headers(ParsedText text, AttributeName name) {
    if (!text.isAt("{", text.at)) {
      return false;
    }
    int close = text.indexOf("} ", text.at);
    if (close < 0) {
      return false;
    }
    if (close > text.at + 1) {
      text.putText(name, text.at + 1, close);
    }
    text.at = close + 2;
    return true;
  }

  private static int parts(ParsedText text, int from, int until) {
    int parts = until < 0 ? 0 : 1;
    for (int i = from; i < until; i++) {
      parts += text.bytes()[i] == '/' ? 1 : 0;
    }
    return parts;
  }

  /// Reads numbers with slashes between them. A `+` before one, of a request that goes on, is no
  /// part of it.
  private static boolean numbers(ParsedText text, AttributeName[] names, int from, int until) {
    if (parts(text, from, until) != names.length) {
      return false;
    }
    int at = from;
    for (AttributeName name : names) {
      int slash = text.indexOf('/', at, until);
      int end = slash < 0 ? until : slash;
      at += text.isAt("+", at) ? 1 : 0;
      int digits = at + (text.isAt("-", at) ? 1 : 0);
      if (!text.areDigits(digits, end)) {
        return false;
      }
      text.put(name, at, end);
      at = end + 1;
    }
    return true;
  }

  @Override
  public String toString() {
    return "haproxy";
  }
}
