package io.widerow.query.filter;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.Level;
import io.widerow.event.Text;
import io.widerow.query.QueryException;
import io.widerow.query.RegexBudget;
import io.widerow.query.RegexText;
import io.widerow.query.TimeText;
import io.widerow.query.text.TokenReader;
import io.widerow.storage.Filter.Literal;
import org.jspecify.annotations.Nullable;

/// The lexer of the filter language. The parser asks for one token after the other.
final class FilterLexer extends TokenReader<QueryException.Refused> {
  private static final int TEXT_CHARS_MAX = 1 << 16;
  private static final String UNKNOWN = "unknown"; // level = unknown

  private final long nowNanos;
  private final RegexBudget regexes = new RegexBudget();

  FilterLexer(String text, long nowNanos) {
    super(text, "_.-/@:");
    this.nowNanos = nowNanos;
    if (text.length() > TEXT_CHARS_MAX) {
      throw new QueryException.Refused(
          "where", "%d characters, at most %d allowed".formatted(text.length(), TEXT_CHARS_MAX));
    }
  }

  /// A refusal that shows the text with a caret below the character.
  @Override
  protected QueryException.Refused wrong(String why, int where) {
    String line = text.replaceAll("\\p{Cntrl}", " ");
    return new QueryException.Refused(
        "where",
        "%s at character %d%n  %s%n  %s^".formatted(why, where + 1, line, " ".repeat(where)));
  }

  /// A name: of an attribute when it is in backticks, else resolved by [FilterField].
  FilterField subject() {
    skipSpace();
    int start = at;
    String verbatim = verbatim();
    if (verbatim != null) {
      return FilterField.attribute(name(verbatim, start));
    }
    String word = word("");
    if (isKeyword(word)) {
      throw wrong("expected a name; if " + word + " is a name, put it in backticks", start);
    }
    return FilterField.of(name(word, start));
  }

  private AttributeName name(String name, int start) {
    if (name.isEmpty()) {
      throw wrong("expected the name of an attribute", start);
    }
    try {
      return AttributeName.of(name);
    } catch (IllegalArgumentException tooLong) {
      throw wrong(String.valueOf(tooLong.getMessage()), start);
    }
  }

  boolean isPipe() {
    skipSpace();
    return at < text.length() && text.charAt(at) == '|';
  }

  static boolean isKeyword(String word) {
    return switch (word) {
      case "and", "or", "not", "in", "contains", "has", "exists", "true", "false" -> true;
      default -> false;
    };
  }

  Literal literal() {
    skipSpace();
    int start = at;
    if (isQuote()) {
      return new Literal.Word(Text.of(string()));
    }
    String word = word("+");
    return switch (word) {
      case "" ->
          throw wrong("expected a value: a string in quotes, a number, true or false", start);
      case "true" -> new Literal.Truth(true);
      case "false" -> new Literal.Truth(false);
      case "null" -> throw wrong("nothing equals null; write NAME is null", start);
      default -> number(word, start);
    };
  }

  /// A time as `from` takes it, in quotes or without, in nanoseconds since the Unix epoch.
  long time() {
    skipSpace();
    int start = at;
    String word = bareOrString();
    try {
      return TimeText.parse("where", word, nowNanos);
    } catch (QueryException.Refused noTime) {
      throw wrong(
          "not a time: " + word + " (write 15m, 2026-11-20, 2026-11-20T19:15:00Z or an epoch)",
          start);
    }
  }

  /// The id of an event, in quotes or without.
  EventId id() {
    skipSpace();
    int start = at;
    try {
      return EventId.parse(bareOrString());
    } catch (IllegalArgumentException noId) {
      throw wrong(noId.getMessage() + ", which every id is", start);
    }
  }

  /// A level after `level`: a word without quotes, or in quotes when it is compared by order. Null,
  /// with nothing taken, when there is another value.
  @Nullable Level level(boolean isOrder) {
    skipSpace();
    int start = at;
    boolean isQuoted = isQuote();
    if (isQuoted && !isOrder) {
      return null;
    }
    String word = bareOrString();
    Level level = Level.ofWord(word);
    boolean isWord = !word.isEmpty() && word.chars().allMatch(Character::isLetter);
    if (level == null && !isQuoted && isWord && !isKeyword(word) && !word.equals("null")) {
      throw wrong(
          "level: not a level: %s (known: %s %s); a text of the attribute must be in quotes"
              .formatted(word, Level.words(), UNKNOWN),
          start);
    }
    at = level == null ? start : at;
    return level;
  }

  /// Takes the word for events without a level.
  boolean takeUnknownLevel() {
    return takeWord(UNKNOWN);
  }

  private String bareOrString() {
    return isQuote() ? string() : word("+");
  }

  private Literal number(String word, int start) {
    boolean digit = word.chars().anyMatch(c -> c >= '0' && c <= '9');
    if (!digit) {
      throw wrong("a string must be in quotes", start);
    }
    try {
      if (TimeText.isDuration(word)) {
        return new Literal.Whole(TimeText.duration(word));
      }
      if (word.matches("[+-]?\\d+")) {
        return new Literal.Whole(Long.parseLong(word));
      }
      if (word.matches("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?")) {
        return new Literal.Fraction(Double.parseDouble(word));
      }
      return new Literal.Whole(TimeText.parse("where", word, nowNanos));
    } catch (ArithmeticException | NumberFormatException tooLarge) {
      throw wrong("number does not fit in 64 bits", start);
    } catch (QueryException.Refused noTime) {
      throw wrong("not a number, duration or time; a string must be in quotes", start);
    }
  }

  /// An RE2 expression in quotes, with every backslash kept except before a quote.
  RegexText regex() {
    skipSpace();
    int start = at;
    String regex =
        quoted(
            "string", escaped -> escaped == '"' || escaped == '\'' ? "" + escaped : "\\" + escaped);
    String exceeded = regexes.exceeded(regex);
    if (exceeded != null) {
      throw wrong(exceeded, start);
    }
    try {
      return RegexText.part(Pattern.compile(regex));
    } catch (PatternSyntaxException notRegex) {
      throw wrong("not an RE2 expression (" + notRegex.getDescription() + ")", start);
    }
  }

  String string() {
    return quoted("string", this::escape);
  }

  private String escape(char escaped) {
    return switch (escaped) {
      case '"', '\'', '\\' -> String.valueOf(escaped);
      case 'n' -> "\n";
      case 'r' -> "\r";
      case 't' -> "\t";
      case 'x' -> hex();
      default -> throw wrong("unknown escape: \\" + escaped, at - 2);
    };
  }

  private String hex() {
    int start = at;
    if (at + 2 > text.length() || !text.substring(at, at + 2).matches("[0-9a-fA-F]{2}")) {
      throw wrong("expected two hex digits", start);
    }
    at += 2;
    return String.valueOf((char) Integer.parseInt(text.substring(start, at), 16));
  }
}
