package io.widerow.query.promql;

import io.widerow.query.promql.PromqlExpr.Place;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Tokens of PromQL.
///
/// - Threads: one.
final class PromqlLexer {
  private static final String DURATION_UNITS = "smhdwy";

  private final String text;
  private final List<Token> tokens = new ArrayList<>();
  private int at;
  private int brackets; // open ones: a colon separates there, and is no part of a name
  private int braces;

  /// The kinds of tokens.
  enum Kind {
    /// A name, a keyword, or a function.
    NAME,
    NUMBER,
    DURATION,
    TEXT,
    /// An operator or a separator.
    SIGN,
    END
  }

  /// @param text as written; of [Kind#TEXT] what it stands for
  /// @param value of numbers; of durations in seconds
  record Token(Kind kind, String text, double value, Place place) {
    boolean is(String sign) {
      return kind == Kind.SIGN && text.equals(sign);
    }
  }

  private PromqlLexer(String text) {
    this.text = text;
  }

  /// The tokens of a text; the last one is [Kind#END].
  static List<Token> tokens(String text) {
    PromqlLexer lexer = new PromqlLexer(text);
    lexer.run();
    return lexer.tokens;
  }

  /// An error at a place, worded as Prometheus does.
  static PromqlException error(String text, int at, String what) {
    int line = 1;
    int begun = 0;
    for (int i = 0; i < Math.min(at, text.length()); i++) {
      if (text.charAt(i) == '\n') {
        line++;
        begun = i + 1;
      }
    }
    return PromqlException.ofRequest(
        "%d:%d: parse error: %s".formatted(line, at - begun + 1, what));
  }

  private PromqlException error(int place, String what) {
    return error(text, place, what);
  }

  private void run() {
    while (true) {
      skipBlanks();
      if (at == text.length()) {
        if (brackets > 0) {
          throw error(at, "unexpected end of input in brackets");
        }
        if (braces > 0) {
          throw error(at, "unexpected end of input inside braces");
        }
        add(Kind.END, at, "", 0);
        return;
      }
      next();
    }
  }

  private void skipBlanks() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '#') {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        at++;
      } else {
        return;
      }
    }
  }

  private char look(int ahead) {
    return at + ahead < text.length() ? text.charAt(at + ahead) : '\0';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  private void add(Kind kind, int from, String content, double value) {
    tokens.add(new Token(kind, content, value, new Place(from, at)));
  }

  private void next() {
    char c = look(0);
    if (isDigit(c) || (c == '.' && isDigit(look(1)))) {
      number();
    } else if (isLetter(c) || (c == ':' && brackets == 0 && braces == 0)) {
      name();
    } else if (c == '"' || c == '\'' || c == '`') {
      quoted(c);
    } else {
      sign(c);
    }
  }

  private void name() {
    int from = at;
    boolean colons = brackets == 0 && braces == 0;
    while (isLetter(look(0)) || isDigit(look(0)) || (colons && look(0) == ':')) {
      at++;
    }
    add(Kind.NAME, from, text.substring(from, at), 0);
  }

  private void number() {
    int from = at;
    if (look(0) == '0' && (look(1) == 'x' || look(1) == 'X')) {
      at += 2;
      while (Character.digit(look(0), 16) >= 0) {
        at++;
      }
      addNumber(from);
      return;
    }
    while (isDigit(look(0))) {
      at++;
    }
    if (isUnit()) {
      duration(from);
      return;
    }
    if (look(0) == '.') {
      at++;
      while (isDigit(look(0))) {
        at++;
      }
    }
    if (look(0) == 'e' || look(0) == 'E') {
      int sign = look(1) == '+' || look(1) == '-' ? 1 : 0;
      if (isDigit(look(1 + sign))) {
        at += 1 + sign;
        while (isDigit(look(0))) {
          at++;
        }
      }
    }
    addNumber(from);
  }

  private void addNumber(int from) {
    String digits = text.substring(from, at);
    if (isLetter(look(0)) || look(0) == '.') {
      while (isLetter(look(0)) || isDigit(look(0)) || look(0) == '.') {
        at++;
      }
      throw error(
          from, "bad number or duration syntax: \"%s\"".formatted(text.substring(from, at)));
    }
    boolean hex = digits.startsWith("0x") || digits.startsWith("0X");
    try {
      add(
          Kind.NUMBER,
          from,
          digits,
          hex ? Long.parseLong(digits.substring(2), 16) : Double.parseDouble(digits));
    } catch (NumberFormatException odd) {
      throw error(from, "error parsing number: \"%s\": invalid syntax".formatted(digits));
    }
  }

  private boolean isUnit() {
    return DURATION_UNITS.indexOf(look(0)) >= 0
        && look(0) != '\0'
        && !isLetter(look(look(0) == 'm' && look(1) == 's' ? 2 : 1));
  }

  /// The units of a duration descend, each at most once: `1d12h`.
  private void duration(int from) {
    at = from;
    long millis = 0;
    int last = -1;
    while (isDigit(look(0))) {
      int start = at;
      while (isDigit(look(0))) {
        at++;
      }
      String digits = text.substring(start, at);
      boolean ofMillis = look(0) == 'm' && look(1) == 's';
      int unit = ofMillis ? 0 : 1 + DURATION_UNITS.indexOf(look(0));
      boolean known = ofMillis || (unit > 0 && look(0) != '\0');
      at += ofMillis ? 2 : 1;
      if (!known || (last >= 0 && unit >= last)) {
        throw error(
            from,
            "not a valid duration string: \"%s\""
                .formatted(text.substring(from, Math.min(at, text.length()))));
      }
      last = unit;
      try {
        millis = Math.addExact(millis, Math.multiplyExact(Long.parseLong(digits), millisOf(unit)));
      } catch (ArithmeticException | NumberFormatException tooLong) {
        throw error(from, "duration out of range");
      }
    }
    add(Kind.DURATION, from, text.substring(from, at), millis / 1e3);
    if (isLetter(look(0))) {
      throw error(
          from, "bad number or duration syntax: \"%s\"".formatted(text.substring(from, at + 1)));
    }
  }

  private static long millisOf(int unit) {
    return switch (unit) {
      case 0 -> 1;
      case 1 -> 1_000;
      case 2 -> 60_000;
      case 3 -> 3_600_000;
      case 4 -> 86_400_000;
      case 5 -> 7 * 86_400_000L;
      default -> 365 * 86_400_000L;
    };
  }

  private void quoted(char quote) {
    int from = at++;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    while (true) {
      if (at >= text.length() || (quote != '`' && look(0) == '\n')) {
        throw error(from, quote == '`' ? "unterminated raw string" : "unterminated quoted string");
      }
      int c = text.codePointAt(at);
      at += Character.charCount(c);
      if (c == quote) {
        break;
      }
      if (c == '\\' && quote != '`') {
        escape(from, quote, out);
      } else {
        out.writeBytes(Character.toString(c).getBytes(StandardCharsets.UTF_8));
      }
    }
    add(Kind.TEXT, from, out.toString(StandardCharsets.UTF_8), 0);
  }

  /// Two or three digits stand for a byte, four or more for a character.
  private void escape(int from, char quote, ByteArrayOutputStream out) {
    char c = look(0);
    at++;
    int simple = "abfnrtv\\".indexOf(c);
    if (c == quote) {
      out.write(quote);
    } else if (simple >= 0) {
      out.write("\u0007\b\f\n\r\t\u000b\\".charAt(simple));
    } else if (c == 'x') {
      out.write(digits(from, 2, 16));
    } else if (c >= '0' && c <= '7') {
      at--;
      out.write(digits(from, 3, 8));
    } else if (c == 'u' || c == 'U') {
      int point = digits(from, c == 'u' ? 4 : 8, 16);
      if (!Character.isValidCodePoint(point)) {
        throw error(from, "escape sequence is an invalid Unicode code point");
      }
      out.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
    } else {
      throw error(from, "unknown escape sequence U+%04X '%c'".formatted((int) c, c));
    }
  }

  private int digits(int from, int count, int radix) {
    int value = 0;
    for (int i = 0; i < count; i++) {
      int digit = Character.digit(look(0), radix);
      if (digit < 0) {
        throw error(from, "illegal character U+%04X in escape sequence".formatted((int) look(0)));
      }
      value = value * radix + digit;
      at++;
    }
    return value;
  }

  private void sign(char c) {
    int from = at;
    String two = text.substring(at, Math.min(at + 2, text.length()));
    String found =
        switch (two) {
          case "==", "!=", "<=", ">=", "=~", "!~", "</", ">/" -> two;
          default -> String.valueOf(c);
        };
    if (found.length() == 1 && "+-*/%^=<>(){}[],:@".indexOf(c) < 0) {
      throw error(at, "unexpected character: '%c'".formatted(c));
    }
    at += found.length();
    brackets += found.equals("[") ? 1 : found.equals("]") ? -1 : 0;
    braces += found.equals("{") ? 1 : found.equals("}") ? -1 : 0;
    if (brackets < 0) {
      throw error(from, "unexpected right bracket ']'");
    }
    if (braces < 0) {
      throw error(from, "unexpected right brace '}'");
    }
    add(Kind.SIGN, from, found, 0);
  }
}
