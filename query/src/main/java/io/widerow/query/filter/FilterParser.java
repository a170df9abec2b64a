package io.widerow.query.filter;

import io.widerow.event.AttributeName;
import io.widerow.event.Text;
import io.widerow.query.QueryException;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Parses the filter language by recursive descent:
///
/// ```
/// or         = and { "or" and }
/// and        = not { "and" not }
/// not        = "not" not | "(" or ")" | "exists" name | name test
/// test       = ("=" | "==" | "!=" | "<" | "<=" | ">" | ">=") value
///            | "in" "(" value { "," value } ")"
///            | "contains" string | "has" string | ("~" | "!~") string
/// name       = letters, digits, _ . - / @ :   or anything between backticks
/// value      = string | number | "true" | "false" | duration | time
/// string     = between " or ', with \" \' \\ \n \r \t \xhh
/// ```
///
/// - `contains` finds a text anywhere, `has` only as whole words.
/// - A duration such as `15ms` and a time such as `2026-11-20T19:15:00Z` are whole numbers of
///   nanoseconds.
/// - `~` looks for an RE2 regular expression anywhere in a string. `!~` keeps events that have the
///   attribute and do not match. In an expression, a backslash is kept except before a quote. All
///   expressions of a filter together have at most 3,000 characters.
/// - A name that is also a keyword must be in backticks.
public final class FilterParser {
  private static final int DEPTH_MAX = 64;

  private final FilterLexer lexer;
  private int depth;

  private FilterParser(FilterLexer lexer) {
    this.lexer = lexer;
  }

  /// @throws QueryException.Refused with the text and a caret below the wrong character
  public static Filter parse(String text, long nowNanos) {
    FilterParser parser = new FilterParser(new FilterLexer(text, nowNanos));
    Filter filter = parser.or();
    if (!parser.lexer.atEnd()) {
      throw parser.lexer.wrong("expected \"and\", \"or\" or the end");
    }
    return filter;
  }

  private Filter or() {
    List<Filter> parts = new ArrayList<>();
    do {
      parts.add(and());
    } while (lexer.takeWord("or"));
    return parts.size() == 1 ? parts.getFirst() : new Filter.Or(parts);
  }

  private Filter and() {
    List<Filter> parts = new ArrayList<>();
    do {
      parts.add(not());
    } while (lexer.takeWord("and"));
    return parts.size() == 1 ? parts.getFirst() : new Filter.And(parts);
  }

  private Filter not() {
    if (depth == DEPTH_MAX) {
      throw lexer.wrong("nested deeper than " + DEPTH_MAX);
    }
    depth++;
    Filter filter = lexer.takeWord("not") ? new Filter.Not(not()) : primary();
    depth--;
    return filter;
  }

  private Filter primary() {
    if (lexer.take("(")) {
      Filter inner = or();
      lexer.expect(")");
      return inner;
    }
    if (lexer.takeWord("exists")) {
      return new Filter.Exists(lexer.name());
    }
    return test(lexer.name());
  }

  private Filter test(AttributeName name) {
    if (lexer.takeWord("in")) {
      return in(name);
    }
    if (lexer.takeWord("contains")) {
      Text needle = Text.of(lexer.string());
      return needle.length() == 0
          ? matching(name, RegexMatcher.of(""))
          : new Filter.Contains(name, needle);
    }
    if (lexer.takeWord("has")) {
      Text words = Text.of(lexer.string());
      return words.length() == 0
          ? matching(name, RegexMatcher.of(""))
          : new Filter.Has(name, words);
    }
    if (lexer.take("!~")) {
      return new Filter.And(
          List.of(new Filter.Exists(name), new Filter.Not(matching(name, lexer.regex()))));
    }
    if (lexer.take("~")) {
      return matching(name, lexer.regex());
    }
    Comparison comparison = comparison();
    if (comparison == null) {
      throw lexer.wrong("expected = != < <= > >= in contains has ~ or !~");
    }
    return new Filter.Compare(name, comparison, lexer.literal());
  }

  private Filter in(AttributeName name) {
    lexer.expect("(");
    List<Filter> parts = new ArrayList<>();
    do {
      parts.add(new Filter.Compare(name, Comparison.EQUAL, lexer.literal()));
    } while (lexer.take(","));
    lexer.expect(")");
    return parts.size() == 1 ? parts.getFirst() : new Filter.Or(parts);
  }

  private @Nullable Comparison comparison() {
    if (lexer.take("==") || lexer.take("=")) {
      return Comparison.EQUAL;
    }
    if (lexer.take("!=")) {
      return Comparison.NOT_EQUAL;
    }
    if (lexer.take("<=")) {
      return Comparison.LESS_OR_EQUAL;
    }
    if (lexer.take(">=")) {
      return Comparison.GREATER_OR_EQUAL;
    }
    if (lexer.take("<")) {
      return Comparison.LESS;
    }
    return lexer.take(">") ? Comparison.GREATER : null;
  }

  /// An expression of plain characters becomes a text search, for which segments can skip blocks.
  private static Filter matching(AttributeName name, RegexMatcher regex) {
    String text = regex.pattern().pattern();
    return RegexMatcher.isPlain(text)
        ? new Filter.Contains(name, Text.of(text))
        : new Filter.Matches(name, regex);
  }
}
