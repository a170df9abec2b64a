package io.widerow.query.text;

import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// Takes signs, words and texts in quotes from a text, one after the other. A language extends it
/// with its values.
///
/// - Threads: one.
///
/// @param <E> the refusal of a text
public abstract class TokenReader<E extends Exception> {
  protected final String text;
  protected int at;
  private final String nameSigns;

  /// @param nameSigns characters of a name besides letters and digits
  protected TokenReader(String text, String nameSigns) {
    this.text = text;
    this.nameSigns = nameSigns;
  }

  /// Resolves the escapes of a language.
  ///
  /// @param <E> the refusal of a text
  @FunctionalInterface
  protected interface Escape<E extends Exception> {
    /// @param escaped the character after the backslash, which is taken
    String text(char escaped) throws E;
  }

  /// A refusal that shows where the text is wrong.
  protected abstract E wrong(String why, int where);

  /// A refusal of the next token.
  public final E wrong(String why) {
    skipSpace();
    return wrong(why, at);
  }

  protected final void skipSpace() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  public boolean atEnd() {
    skipSpace();
    return at == text.length();
  }

  public final boolean take(String sign) {
    skipSpace();
    if (!text.startsWith(sign, at)) {
      return false;
    }
    at += sign.length();
    return true;
  }

  public final void expect(String sign) throws E {
    if (!take(sign)) {
      throw wrong("expected " + sign);
    }
  }

  public final boolean takeWord(String word) {
    skipSpace();
    int end = at + word.length();
    if (!text.startsWith(word, at) || (end < text.length() && isNameChar(text.charAt(end)))) {
      return false;
    }
    at = end;
    return true;
  }

  /// True when a word follows; takes nothing.
  public final boolean isWord(String word) {
    int start = at;
    boolean follows = takeWord(word);
    at = start;
    return follows;
  }

  protected final boolean isNameChar(char here) {
    return Character.isLetterOrDigit(here) || nameSigns.indexOf(here) >= 0;
  }

  /// Takes the characters of a name, and those of `more`; empty when none follows.
  protected final String word(String more) {
    int start = at;
    while (at < text.length()
        && (isNameChar(text.charAt(at)) || more.indexOf(text.charAt(at)) >= 0)) {
      at++;
    }
    return text.substring(start, at);
  }

  /// Takes a name in backticks; null when no backtick follows.
  protected final @Nullable String verbatim() throws E {
    skipSpace();
    int start = at;
    if (!take("`")) {
      return null;
    }
    int end = text.indexOf('`', at);
    if (end < 0) {
      throw wrong("unclosed backtick", start);
    }
    String name = text.substring(at, end);
    at = end + 1;
    return name;
  }

  protected final boolean isQuote() {
    return at < text.length() && (text.charAt(at) == '"' || text.charAt(at) == '\'');
  }

  /// Takes a text in quotes.
  ///
  /// @param what its noun in a refusal
  protected final String quoted(String what, Escape<E> escape) throws E {
    skipSpace();
    int start = at;
    if (!isQuote()) {
      throw wrong("expected a %s in quotes".formatted(what), start);
    }
    char quote = text.charAt(at++);
    StringBuilder out = new StringBuilder();
    while (at < text.length() && text.charAt(at) != quote) {
      char here = text.charAt(at++);
      if (here == '\\' && at < text.length()) {
        out.append(escape.text(text.charAt(at++)));
      } else {
        out.append(here);
      }
    }
    if (at == text.length()) {
      throw wrong("unclosed %s, expected %s".formatted(what, quote), start);
    }
    at++;
    return out.toString();
  }

  /// The first place from here on, outside of quotes and backticks, that is wanted; negative for
  /// none. Takes nothing.
  ///
  /// @param wanted gets each such place
  protected final int findUnquoted(IntPredicate wanted) {
    char quote = 0;
    for (int i = at; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quote != 0) {
        i += c == '\\' && quote != '`' ? 1 : 0;
        quote = c == quote ? 0 : quote;
      } else if (c == '"' || c == '\'' || c == '`') {
        quote = c;
      } else if (wanted.test(i)) {
        return i;
      }
    }
    return -1;
  }

  /// Takes a text in backticks, or in quotes, where a backslash stays except before a quote.
  public final String verbatimText() throws E {
    String raw = verbatim();
    return raw != null
        ? raw
        : quoted("text", escaped -> isQuoteSign(escaped) ? "" + escaped : "\\" + escaped);
  }

  private static boolean isQuoteSign(char here) {
    return here == '"' || here == '\'';
  }

  /// Takes an expression between slashes, in which `\/` is a slash.
  public final String slashed() throws E {
    skipSpace();
    int start = at;
    expect("/");
    StringBuilder regex = new StringBuilder();
    while (at < text.length() && text.charAt(at) != '/') {
      char c = text.charAt(at++);
      if (c == '\\' && at < text.length()) {
        char escaped = text.charAt(at++);
        regex.append(escaped == '/' ? "/" : "\\" + escaped);
      } else {
        regex.append(c);
      }
    }
    if (at == text.length()) {
      throw wrong("unclosed expression, expected /", start);
    }
    at++;
    return regex.toString();
  }
}
