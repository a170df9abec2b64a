package io.widerow.query.logql.line;

import org.jspecify.annotations.Nullable;

/// Reads and writes logfmt: `key=value key="a value" flag`.
final class LogfmtText {
  private LogfmtText() {}

  /// Takes the pairs of a line.
  @FunctionalInterface
  interface Pairs {
    /// Returns false when no more pairs are needed.
    boolean pair(String key, String value);
  }

  /// Reads a line. Pairs that are not logfmt are left out, or are an error when `strict`.
  ///
  /// @return the error of the line in Loki's words; null when it has none, or when not `strict`
  static @Nullable String read(String line, boolean strict, Pairs pairs) {
    Reader reader = new Reader(line);
    while (reader.next()) {
      if (reader.wrong == null) {
        if (!pairs.pair(reader.key, reader.value)) {
          return null;
        }
      } else if (strict) {
        return "logfmt syntax error at pos " + reader.wrong;
      }
    }
    return null;
  }

  /// Reads pair by pair.
  private static final class Reader {
    private final String line;
    private int at;
    private String key = "";
    private String value = "";
    private @Nullable String wrong; // the place and the reason, of this pair

    Reader(String line) {
      this.line = line;
    }

    private boolean isBefore(char c) {
      return at < line.length() && line.charAt(at) == c;
    }

    /// False at the end.
    boolean next() {
      while (at < line.length() && line.charAt(at) <= ' ') {
        at++;
      }
      if (at == line.length()) {
        return false;
      }
      wrong = null;
      value = "";
      key = word();
      if (key.isEmpty() || isBefore('"')) {
        unexpected();
      } else if (key.indexOf('\ufffd') >= 0) {
        fail("invalid key");
        if (isBefore('=')) {
          skip();
        }
      } else if (isBefore('=')) {
        at++;
        if (isBefore('"')) {
          quoted();
        } else {
          value = word();
          if (at < line.length() && line.charAt(at) > ' ') {
            unexpected();
          }
        }
      }
      return true;
    }

    private String word() {
      int start = at;
      while (at < line.length() && isKey(line.charAt(at))) {
        at++;
      }
      return line.substring(start, at);
    }

    private void unexpected() {
      fail("unexpected '" + line.charAt(at) + "'");
      skip();
    }

    private void fail(String why) {
      wrong = "%d : %s".formatted(Line.utf8Length(line.substring(0, at)) + 1, why);
    }

    private void skip() {
      while (at < line.length() && line.charAt(at) > ' ') {
        at++;
      }
    }

    private void quoted() {
      int start = ++at;
      boolean isEscaped = false;
      while (at < line.length() && line.charAt(at) != '"') {
        boolean isEscape = line.charAt(at) == '\\';
        isEscaped |= isEscape;
        at += isEscape ? 2 : 1;
      }
      if (at >= line.length()) {
        at = line.length();
        fail("unterminated quoted value");
        return;
      }
      String inside = line.substring(start, at++);
      String plain = isEscaped ? unescaped(inside) : inside;
      if (plain == null) {
        fail("invalid quoted value");
      } else {
        value = plain;
      }
    }
  }

  private static boolean isKey(char c) {
    return c > ' ' && c != '=' && c != '"';
  }

  /// A quoted value without its escapes; null when one is wrong.
  private static @Nullable String unescaped(String inside) {
    StringBuilder value = new StringBuilder(inside.length());
    for (int at = 0; at < inside.length(); at++) {
      char c = inside.charAt(at);
      if (c != '\\') {
        value.append(c);
        continue;
      }
      c = inside.charAt(++at); // a quoted value does not end with its escape
      int simple = "\"\\/'bfnrt".indexOf(c);
      int code = c == 'u' ? hex(inside, at + 1) : -1;
      if (simple < 0 && code < 0) {
        return null;
      }
      value.append(simple >= 0 ? "\"\\/'\b\f\n\r\t".charAt(simple) : (char) code);
      at += simple >= 0 ? 0 : 4;
    }
    return value.toString();
  }

  private static int hex(String line, int from) {
    if (from + 4 > line.length()) {
      return -1;
    }
    int code = 0;
    for (int i = from; i < from + 4; i++) {
      int digit = Character.digit(line.charAt(i), 16);
      if (digit < 0) {
        return -1;
      }
      code = code * 16 + digit;
    }
    return code;
  }

  /// A key without what would end it.
  static String key(String name) {
    for (int i = 0; i < name.length(); i++) {
      if (!isKey(name.charAt(i))) {
        return name.replaceAll("[\\x00-\\x20=\"]", "_");
      }
    }
    return name;
  }

  /// Writes a value, in quotes when it needs them.
  static void value(String value, StringBuilder out) {
    boolean plain = !value.isEmpty();
    for (int i = 0; i < value.length() && plain; i++) {
      char c = value.charAt(i);
      plain = isKey(c) && c != '\\' && c != 0x7f;
    }
    if (plain) {
      out.append(value);
      return;
    }
    out.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ') {
            out.append("\\u%04x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}
