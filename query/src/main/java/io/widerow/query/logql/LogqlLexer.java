package io.widerow.query.logql;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.widerow.query.QueryException;
import io.widerow.query.RegexBudget;
import java.util.List;

/// Splits a text of LogQL into words, one ahead of the parser. A `#` starts a comment to the end of
/// its line.
///
/// - Threads: one.
final class LogqlLexer {
  static final int CHARS_MAX = 1 << 16;

  /// Most operators, stages and tests of labels of a query, all together. Evaluation nests
  /// operators as deep as they stand in a row, and what a test keeps depends on all tests before
  /// it.
  private static final int PARTS_MAX = 500;

  private static final long DURATION_MAX = 50L * 365 * 86_400 * 1_000_000_000;

  /// Whole numbers of another base than ten, which LogQL does not have.
  private static final Pattern BASED = Pattern.compile("0[xXbBoO][0-9a-fA-F]+");

  /// The longest first.
  private static final List<String> SIGNS =
      List.of("|=", "|~", "|>", "!=", "!~", "!>", "=~", "==", ">=", "<=");

  /// The kinds of words.
  enum Kind {
    NAME,
    TEXT,
    NUMBER,
    DURATION,
    BYTES,
    SIGN,
    END
  }

  private final String text;
  private int at; // end of the current word
  private int start; // of the current word
  private int parts;
  private Kind kind = Kind.END;
  private String word = ""; // a text without its quotes and escapes
  private final RegexBudget regexes = new RegexBudget();

  /// @throws QueryException.Refused when it cannot start with its first word
  LogqlLexer(String text) {
    this.text = text;
    if (text.length() > CHARS_MAX) {
      throw new QueryException.Refused(
          "query", "%d characters, at most %d allowed".formatted(text.length(), CHARS_MAX));
    }
    advance();
  }

  Kind kind() {
    return kind;
  }

  /// The current word.
  String word() {
    return word;
  }

  /// Where the current word starts.
  int position() {
    return start;
  }

  boolean atEnd() {
    return kind == Kind.END;
  }

  boolean isSign(String sign) {
    return kind == Kind.SIGN && word.equals(sign);
  }

  /// Keywords may be in any case.
  boolean isName(String name) {
    return kind == Kind.NAME && word.equalsIgnoreCase(name);
  }

  /// Moves on when the current word is this sign.
  boolean take(String sign) {
    boolean is = isSign(sign);
    if (is) {
      advance();
    }
    return is;
  }

  /// Moves on when the current word is this name.
  boolean takeName(String name) {
    boolean is = isName(name);
    if (is) {
      advance();
    }
    return is;
  }

  void expect(String sign) {
    if (!take(sign)) {
      throw wrong(sign);
    }
  }

  /// The name that is the current word.
  String name() {
    if (kind != Kind.NAME) {
      throw wrong("IDENTIFIER");
    }
    return next();
  }

  /// The text that is the current word.
  String string() {
    if (kind != Kind.TEXT) {
      throw wrong("STRING");
    }
    return next();
  }

  private String next() {
    String taken = word;
    advance();
    return taken;
  }

  /// True when the word after the current one is this character.
  boolean isBefore(String sign) {
    return nextChar() == sign.charAt(0);
  }

  /// True when the current word is the name of a function before its arguments.
  boolean isCall() {
    return isBefore("(") && !LogqlKeywords.shown(word, '(').equals("IDENTIFIER");
  }

  /// True when the current bracket holds another expression, and not a list of names.
  boolean bracketNests() {
    int end = text.indexOf(')', at);
    return end < 0 || !text.substring(at, end).matches("[\\sA-Za-z0-9_,]*");
  }

  /// The compiled text that is the current word.
  Pattern regex() {
    return regex("");
  }

  /// @param about begins the message when it does not compile
  Pattern regex(String about) {
    int where = start;
    String source = string();
    String exceeded = regexes.exceeded(source);
    if (exceeded != null) {
      throw wrongAt(where, exceeded);
    }
    try {
      return Pattern.compile(source, Pattern.DOTALL);
    } catch (PatternSyntaxException invalid) {
      String why = String.valueOf(invalid.getMessage()).replace("`(?s)", "`"); // not the user's
      why = why.replace("duplicate capture group name:", "duplicate extracted label name");
      throw invalid(about + why);
    }
  }

  /// The duration that is the current word, in nanoseconds.
  long duration() {
    Long nanos = kind == Kind.DURATION ? Units.nanos(word) : null;
    if (nanos == null) {
      throw wrong("DURATION");
    }
    requireShort(nanos, word, start);
    advance();
    return nanos;
  }

  /// The duration in the brackets that the current word opens, in nanoseconds.
  long range() {
    int end = text.indexOf(']', at);
    if (end < 0) {
      throw wrongAt(start, "missing closing ']' in duration");
    }
    String inside = text.substring(at, end).strip();
    Long nanos = Units.nanos(inside);
    if (nanos == null) {
      throw wrongAt(start, GoDuration.error(inside));
    }
    requireShort(nanos, inside, at);
    at = end + 1;
    advance();
    return nanos;
  }

  private void requireShort(long nanos, String duration, int where) {
    if (nanos > DURATION_MAX) {
      throw wrongAt(where, "a duration of at most 50y is allowed, got " + duration);
    }
  }

  /// A syntax error at the current word.
  ///
  /// @param expected the single possibility; empty for several
  QueryException.Refused wrong(String expected) {
    String found =
        switch (kind) {
          case END -> "$end";
          case TEXT -> "STRING";
          case NUMBER -> "NUMBER";
          case DURATION -> "DURATION";
          case BYTES -> "BYTES";
          case SIGN -> word.equals("[") ? "RANGE" : word;
          case NAME -> LogqlKeywords.shown(word, nextChar());
        };
    String only = expected.isEmpty() ? "" : ", expecting " + expected;
    boolean isItself =
        kind == Kind.END || kind == Kind.SIGN || (kind == Kind.NAME && !found.equals("IDENTIFIER"));
    String value = isItself ? "" : ": " + text.substring(start, at);
    return wrongAt(start, "syntax error: unexpected " + found + only + value);
  }

  /// The first character after the current word that is no blank; 0 at the end.
  private char nextChar() {
    int next = at;
    while (next < text.length() && text.charAt(next) <= ' ') {
      next++;
    }
    return next < text.length() ? text.charAt(next) : 0;
  }

  /// Makes the exception for a query that is well-formed, and means nothing.
  QueryException.Refused invalid(String why) {
    return new QueryException.Refused("query", "parse error : " + why);
  }

  /// A refusal that points at a place of the text.
  QueryException.Refused wrongAt(int where, String why) {
    int line = 1;
    int lineStart = 0;
    for (int i = 0; i < where; i++) {
      if (text.charAt(i) == '\n') {
        line++;
        lineStart = i + 1;
      }
    }
    return new QueryException.Refused(
        "query", "parse error at line %d, col %d: %s".formatted(line, where - lineStart + 1, why));
  }

  /// Counts an operator, a stage or a test, at the current word.
  void part() {
    if (++parts > PARTS_MAX) {
      throw wrongAt(start, "more than %d operators, stages and tests".formatted(PARTS_MAX));
    }
  }

  void advance() {
    skipBlanks();
    start = at;
    if (at == text.length()) {
      kind = Kind.END;
      word = "";
      return;
    }
    char c = text.charAt(at);
    if (isNameStart(c)) {
      kind = Kind.NAME;
      while (at < text.length() && isNamePart(text.charAt(at))) {
        at++;
      }
      word = text.substring(start, at);
    } else if (c == '"' || c == '`') {
      kind = Kind.TEXT;
      at++;
      word = c == '`' ? raw() : quoted();
    } else if (isDigit(c) || (c == '.' && at + 1 < text.length() && isDigit(text.charAt(at + 1)))) {
      number();
    } else {
      kind = Kind.SIGN;
      word = sign(c);
      at += word.length();
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

  private String sign(char c) {
    for (String sign : SIGNS) {
      if (text.startsWith(sign, at)) {
        return sign;
      }
    }
    if ("{}()[],|=<>+-*/%^".indexOf(c) < 0) {
      throw wrongAt(at, "syntax error: unexpected " + Character.toString(text.codePointAt(at)));
    }
    return String.valueOf(c);
  }

  private void number() {
    while (at < text.length() && isNumberPart(text.charAt(at))) {
      at++;
    }
    word = text.substring(start, at);
    if (Units.number(word) != null) {
      kind = Kind.NUMBER;
    } else if (Units.nanos(word) != null) {
      kind = Kind.DURATION;
    } else if (Units.isSize(word)) {
      kind = Kind.BYTES;
    } else if (BASED.matcher(word).matches()) {
      String why = Units.error(Stage.Conversion.NUMBER, word);
      throw invalid("unable to parse literal as a float: " + why);
    } else {
      throw wrongAt(start, "syntax error: no number, duration or number of bytes: " + word);
    }
  }

  private boolean isNumberPart(char c) {
    boolean exponent =
        (c == '+' || c == '-')
            && "eE".indexOf(text.charAt(at - 1)) >= 0
            && isDigit(text.charAt(at - 2 < start ? start : at - 2))
            && at + 1 < text.length()
            && isDigit(text.charAt(at + 1));
    return exponent || isNamePart(c) || c == '.' || c == 'µ' || c == 'μ';
  }

  private String raw() {
    int end = text.indexOf('`', at);
    if (end < 0) {
      throw wrongAt(start, "literal not terminated");
    }
    String inside = text.substring(at, end);
    at = end + 1;
    return requireUnicode(inside);
  }

  private String quoted() {
    StringBuilder inside = new StringBuilder();
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c == '"') {
        return requireUnicode(inside.toString());
      }
      if (c == '\n') {
        break;
      }
      if (c == '\\') {
        escape(inside);
      } else {
        inside.append(c);
      }
    }
    throw wrongAt(start, "literal not terminated");
  }

  private String requireUnicode(String inside) {
    for (int i = 0; i < inside.length(); ) {
      int point = inside.codePointAt(i);
      if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
        throw wrongAt(start, "half a surrogate pair in a text");
      }
      i += Character.charCount(point);
    }
    return inside;
  }

  /// The escapes of Go.
  private void escape(StringBuilder inside) {
    int where = at - 1;
    char c = at < text.length() ? text.charAt(at++) : 0;
    switch (c) {
      case 'a' -> inside.append('\u0007');
      case 'b' -> inside.append('\b');
      case 'f' -> inside.append('\f');
      case 'n' -> inside.append('\n');
      case 'r' -> inside.append('\r');
      case 't' -> inside.append('\t');
      case 'v' -> inside.append('\u000b');
      case '\\', '"', '\'' -> inside.append(c);
      case 'x' -> inside.appendCodePoint(code(where, at, 2, 16));
      case 'u' -> inside.appendCodePoint(code(where, at, 4, 16));
      case 'U' -> inside.appendCodePoint(code(where, at, 8, 16));
      case '0', '1', '2', '3', '4', '5', '6', '7' ->
          inside.appendCodePoint(code(where, at - 1, 3, 8));
      default -> throw wrongAt(where, "no escape in a text: \\" + (c == 0 ? "" : c));
    }
  }

  private int code(int where, int from, int digits, int radix) {
    int end = from + digits;
    long value = 0;
    for (int i = from; i < end; i++) {
      int digit = i < text.length() ? Character.digit(text.charAt(i), radix) : -1;
      if (digit < 0 || text.charAt(i) > 'f') {
        throw wrongAt(where, "an escape needs %d digits".formatted(digits));
      }
      value = value * radix + digit;
    }
    boolean surrogate = value >= Character.MIN_SURROGATE && value <= Character.MAX_SURROGATE;
    if (value > Character.MAX_CODE_POINT || surrogate) {
      throw wrongAt(where, "no character: " + text.substring(where, end));
    }
    at = end;
    return (int) value;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isNameStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  private static boolean isNamePart(char c) {
    return isNameStart(c) || isDigit(c);
  }
}
