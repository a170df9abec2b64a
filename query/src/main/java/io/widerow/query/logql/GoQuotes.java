package io.widerow.query.logql;

/// Texts as Go quotes them.
public final class GoQuotes {
  private static final String LETTERS = "abfnrtv\\\"'";
  private static final String MEANINGS = "\u0007\b\f\n\r\t\u000b\\\"'";

  private GoQuotes() {}

  /// The value of a text in quotes, or of a character constant: its code as a number.
  static Object unquoted(String quoted) {
    char quote = quoted.charAt(0);
    String inside = quoted.substring(1, quoted.length() - 1);
    if (quote == '`') {
      return inside;
    }
    String text = unescaped(inside);
    return quote == '\'' ? (Object) (long) text.codePointAt(0) : text;
  }

  private static String unescaped(String inside) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < inside.length(); i++) {
      char c = inside.charAt(i);
      if (c != '\\' || i + 1 == inside.length()) {
        text.append(c);
        continue;
      }
      char escape = inside.charAt(++i);
      int known = LETTERS.indexOf(escape);
      int digits = escape == 'x' ? 2 : escape == 'u' ? 4 : escape == 'U' ? 8 : 0;
      boolean octal = escape >= '0' && escape <= '7';
      int from = octal ? i : i + 1;
      int length = octal ? 3 : digits;
      if (known >= 0) {
        text.append(MEANINGS.charAt(known));
      } else if (length > 0 && from + length <= inside.length()) {
        text.appendCodePoint(code(inside.substring(from, from + length), octal ? 8 : 16));
        i = from + length - 1;
      } else {
        throw new IllegalArgumentException("invalid syntax");
      }
    }
    return text.toString();
  }

  private static int code(String digits, int radix) {
    try {
      int code = Integer.parseInt(digits, radix);
      if (Character.isValidCodePoint(code)) {
        return code;
      }
    } catch (NumberFormatException _) {
      // refused below
    }
    throw new IllegalArgumentException("invalid syntax");
  }

  /// A text as Go's `%q` shows it.
  public static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      int known = c == '\'' ? -1 : MEANINGS.indexOf(c);
      if (known >= 0) {
        quoted.append('\\').append(LETTERS.charAt(known));
      } else if (c < ' ' || c == 0x7f) {
        quoted.append("\\x%02x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
