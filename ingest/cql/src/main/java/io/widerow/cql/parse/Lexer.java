package io.widerow.cql.parse;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.parse.Lexeme.Kind;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Cuts a statement into words and signs, one after the other; comments are left out.
///
/// - Threads: one.
final class Lexer {
  private static final Pattern UUID =
      Pattern.compile("[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
  private static final Pattern HEX = Pattern.compile("0[xX](?:[0-9a-fA-F]{2})*+");
  private static final Pattern NUMBER = Pattern.compile("\\d++(?:(\\.\\d*+)?([eE][+-]?\\d++)?)");
  private static final Pattern DURATION =
      Pattern.compile(
          "(?:\\d++(?:mo|ms|us|\u00b5s|ns|y|w|d|h|m|s))++(?![A-Za-z0-9_])"
              + "|(?-i:P)\\d{4}-\\d\\d-\\d\\d(?-i:T)\\d\\d:\\d\\d:\\d\\d"
              + "|(?-i:P)(?=[\\dT])(?:\\d++[YMWD])*+(?:T(?:\\d++[HMS])++)?(?![A-Za-z0-9_])",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern WORD = Pattern.compile("[A-Za-z][A-Za-z0-9_]*+");
  private static final String[] LONG_SIGNS = {"<=", ">=", "!=", "+=", "-=", ".."};

  private final String text;
  private final Matcher uuid;
  private final Matcher hex;
  private final Matcher number;
  private final Matcher duration;
  private final Matcher word;
  private int at;
  private int left; // words and signs that may follow

  Lexer(String text, int most) {
    this.text = text;
    this.left = most;
    this.uuid = UUID.matcher(text);
    this.hex = HEX.matcher(text);
    this.number = NUMBER.matcher(text);
    this.duration = DURATION.matcher(text);
    this.word = WORD.matcher(text);
  }

  /// The next lexeme; after the last one [Kind#END], again and again.
  Lexeme next() {
    skipBlanks();
    int from = at;
    if (at == text.length()) {
      return new Lexeme(Kind.END, "", at);
    }
    if (--left < 0) {
      throw error(at, "the statement has too many words and signs; send values by markers");
    }
    char first = text.charAt(at);
    if (first == '\'') {
      return quoted(Kind.STRING, '\'');
    }
    if (first == '"') {
      return quoted(Kind.QUOTED_NAME, '"');
    }
    if (text.startsWith("$$", at)) {
      return dollars();
    }
    if (isAt(uuid)) {
      return taken(Kind.UUID, from, uuid.end());
    }
    if (isAt(hex)) {
      return taken(Kind.HEX, from, hex.end());
    }
    if (isAt(duration)) {
      return taken(Kind.DURATION, from, duration.end());
    }
    if (isAt(number)) {
      boolean whole = number.group(1) == null && number.group(2) == null;
      boolean range = // of 1..2 the point is not its own, of 1...2 it is
          text.startsWith("..", number.end() - 1) && !text.startsWith("...", number.end() - 1);
      return range
          ? taken(Kind.INTEGER, from, number.end() - 1)
          : taken(whole ? Kind.INTEGER : Kind.FLOAT, from, number.end());
    }
    if (isAt(word)) {
      return taken(Kind.WORD, from, word.end());
    }
    for (String sign : LONG_SIGNS) {
      if (text.startsWith(sign, at)) {
        return taken(Kind.SIGN, from, from + sign.length());
      }
    }
    int end = text.offsetByCodePoints(at, 1);
    return taken(Kind.SIGN, from, end);
  }

  private boolean isAt(Matcher pattern) {
    pattern.region(at, text.length());
    return pattern.lookingAt();
  }

  private Lexeme taken(Kind kind, int from, int end) {
    at = end;
    return new Lexeme(kind, text.substring(from, end), from);
  }

  private void skipBlanks() {
    while (at < text.length()) {
      if (Character.isWhitespace(text.charAt(at))) {
        at++;
      } else if (text.startsWith("--", at) || text.startsWith("//", at)) {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end + 1;
      } else if (text.startsWith("/*", at)) {
        int end = text.indexOf("*/", at + 2);
        if (end < 0) {
          throw error(at, "the comment has no end");
        }
        at = end + 2;
      } else {
        return;
      }
    }
  }

  private Lexeme quoted(Kind kind, char quote) {
    int from = at;
    StringBuilder inside = new StringBuilder();
    int part = at + 1;
    while (true) {
      int end = text.indexOf(quote, part);
      if (end < 0) {
        throw error(from, "the text in quotes has no end");
      }
      inside.append(text, part, end);
      part = end + 1;
      if (part == text.length() || text.charAt(part) != quote) {
        at = part;
        if (kind == Kind.QUOTED_NAME && inside.isEmpty()) {
          throw error(from, "a name in quotes has at least one character");
        }
        return new Lexeme(kind, inside.toString(), from);
      }
      inside.append(quote);
      part++;
    }
  }

  private Lexeme dollars() {
    int from = at;
    int end = text.indexOf("$$", at + 2);
    if (end < 0) {
      throw error(from, "the text in $$ has no end");
    }
    at = end + 2;
    return new Lexeme(Kind.STRING, text.substring(from + 2, end), from);
  }

  /// An error of syntax, with its line and column.
  CqlException error(int offset, String why) {
    int line = 1;
    int lineStart = 0;
    for (int i = 0; i < offset; i++) {
      if (text.charAt(i) == '\n') {
        line++;
        lineStart = i + 1;
      }
    }
    return new CqlException(Code.SYNTAX, "line %d:%d %s".formatted(line, offset - lineStart, why));
  }
}
