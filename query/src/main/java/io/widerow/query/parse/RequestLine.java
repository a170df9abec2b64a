package io.widerow.query.parse;

/// The request of an access log: `GET /path HTTP/1.1` becomes method, path and protocol. Another
/// text, such as the bytes of a TLS handshake, is the field `request` as a whole.
final class RequestLine {
  private RequestLine() {}

  static void put(ParsedText text, int from, int until) {
    if (text.isNone(from, until) || from == until) {
      return;
    }
    byte[] bytes = text.bytes();
    int method = from;
    while (method < until && isMethod(bytes[method])) {
      method++;
    }
    boolean has = method > from && method + 1 < until && bytes[method] == ' ';
    if (!has) {
      text.putText(FieldNames.REQUEST, from, until);
      return;
    }
    int space = until - 1;
    while (space > method && bytes[space] != ' ') {
      space--;
    }
    boolean protocol = space > method && text.isAt("HTTP/", space + 1) && space + 6 <= until;
    text.putText(FieldNames.METHOD, from, method);
    text.putText(FieldNames.PATH, method + 1, protocol ? space : until);
    if (protocol) {
      text.putText(FieldNames.PROTOCOL, space + 1, until);
    }
  }

  private static boolean isMethod(byte here) {
    return (here >= 'A' && here <= 'Z') || here == '-' || here == '_';
  }
}
