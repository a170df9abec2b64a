package io.widerow.query.logql.line;

import org.jspecify.annotations.Nullable;

/// Reads and writes logfmt: `key=value key="a value" flag`.
final class LogfmtText {
  private LogfmtText() {}

  /// Takes the pairs of a line.
  @FunctionalInterface
  interface Pairs {
    void pair(String key, String value);
  }

  /// Reads a line. Text that is not logfmt is skipped, or is an error when `strict`.
  ///
  /// @return the error of the line; null when it has none, or when not `strict`
  static @Nullable String read(String line, boolean strict, Pairs pairs) {
    int at = 0;
    while (true) {
      while (at < line.length() && line.charAt(at) <= ' ') {
        at++;
      }
      if (at == line.length()) {
        return null;
      }
      int start = at;
      while (at < line.length() && isKey(line.charAt(at))) {
        at++;
      }
      boolean isWrong = at == start || (at < line.length() && line.charAt(at) == '"');
      if (isWrong && strict) {
        return "unexpected %s at pos %d".formatted(line.charAt(at), at + 1);
      }
      if (isWrong) {
        at = endOfWord(line, Math.max(at, start + 1));
        continue;
      }
      String key = line.substring(start, at);
      if (at == line.length() || line.charAt(at) != '=') {
        pairs.pair(key, "");
        continue;
      }
      at++;
      if (at < line.length() && line.charAt(at) == '"') {
        StringBuilder value = new StringBuilder();
        int end = quoted(line, at + 1, value);
        if (end < 0) {
          return strict ? "unterminated quoted value at pos %d".formatted(at + 1) : null;
        }
        pairs.pair(key, value.toString());
        at = end;
      } else {
        int end = endOfWord(line, at);
        pairs.pair(key, line.substring(at, end));
        at = end;
      }
    }
  }

  private static boolean isKey(char c) {
    return c > ' ' && c != '=' && c != '"';
  }

  private static int endOfWord(String line, int from) {
    int end = from;
    while (end < line.length() && line.charAt(end) > ' ') {
      end++;
    }
    return end;
  }

  /// Reads a value up to its closing quote. Returns the place after it; negative without one.
  private static int quoted(String line, int from, StringBuilder value) {
    for (int at = from; at < line.length(); at++) {
      char c = line.charAt(at);
      if (c == '"') {
        return at + 1;
      }
      if (c == '\\' && at + 1 < line.length()) {
        at++;
        switch (line.charAt(at)) {
          case 'n' -> value.append('\n');
          case 'r' -> value.append('\r');
          case 't' -> value.append('\t');
          case 'u' -> {
            int code = hex(line, at + 1);
            if (code >= 0) {
              value.append((char) code);
              at += 4;
            } else {
              value.append('u');
            }
          }
          default -> value.append(line.charAt(at));
        }
      } else {
        value.append(c);
      }
    }
    return -1;
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
