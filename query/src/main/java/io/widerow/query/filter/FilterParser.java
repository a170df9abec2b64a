package io.widerow.query.filter;

import com.google.re2j.Pattern;
import io.widerow.event.AttributeName;
import io.widerow.event.FoldedText;
import io.widerow.event.Level;
import io.widerow.event.Text;
import io.widerow.query.Condition;
import io.widerow.query.QueryException;
import io.widerow.query.RegexText;
import io.widerow.query.parse.ParseStep;
import io.widerow.query.parse.ParseSteps;
import io.widerow.query.parse.TextFormat;
import io.widerow.query.parse.TextFormats;
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
///            | "is" [ "not" ] "null" | ("~" | "!~") string
///            | [ "not" ] ( "in" "(" value { "," value } ")" | "exists"
///                        | ("contains" | "icontains" | "has") string )
/// name       = letters, digits, _ . - / @ :   or anything between backticks
/// value      = string | number | "true" | "false" | duration | time | level
/// string     = between " or ', with \" \' \\ \n \r \t \xhh
/// ```
///
/// - `type`, `ts` and `id` are the event's own. An attribute of such a name is `attributes.type` or
///   in backticks.
/// - `level` compared with a level (`level >= error`) is the event's level, [Level]; `level =
///   unknown` keeps events without one. In quotes, the order of levels holds for `< <= > >=`; every
///   other test of `level` is of the attribute.
/// - `!=`, `!~` and `not` before an operator are the negation of the test, also for events without
///   the attribute.
/// - `contains` finds a text anywhere, `icontains` in any case, `has` only as whole words.
/// - A duration such as `15ms` and a time such as `2026-11-20T19:15:00Z` are whole numbers of
///   nanoseconds; after `ts`, the value is a time in any form of [io.widerow.query.TimeText].
/// - `~` looks for an RE2 regular expression anywhere in a string. In an expression, a backslash is
///   kept except before a quote. All expressions of a filter together have at most 3,000
///   characters.
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
    Filter filter = parser.lexer.isPipe() ? new Filter.Everything() : parser.or();
    if (parser.lexer.isPipe()) {
      throw parser.lexer.wrong("takes no | here, only a filter of stored fields");
    }
    if (!parser.lexer.atEnd()) {
      throw parser.lexer.wrong("expected \"and\", \"or\" or the end");
    }
    return filter;
  }

  /// Parses a filter with the steps after it, which [ParseSteps] does:
  ///
  /// ```
  /// pipeline = [ or ] { "|" ( "parse" [ name ] parsed [ "overwrite" ] | [ "where" ] or ) }
  /// parsed   = that of [TextFormats]
  /// ```
  ///
  /// @throws QueryException.Refused with the text and a caret below the wrong character
  public static Condition parsePipeline(String text, long nowNanos) {
    FilterParser parser = new FilterParser(new FilterLexer(text, nowNanos));
    FilterLexer lexer = parser.lexer;
    Filter filter = lexer.isPipe() ? new Filter.Everything() : parser.or();
    List<ParseStep> steps = new ArrayList<>();
    int parses = 0;
    while (lexer.take("|")) {
      if (lexer.takeWord("parse")) {
        steps.add(parser.parseStep());
        if (++parses > ParseSteps.PARSES_MAX) {
          throw lexer.wrong("more than %d times parse".formatted(ParseSteps.PARSES_MAX));
        }
        continue;
      }
      boolean _ = lexer.takeWord("where");
      Filter condition = parser.or();
      if (parses == 0) { // of stored fields
        filter = new Filter.And(List.of(filter, condition));
      } else {
        steps.add(new ParseStep.Where(condition));
      }
    }
    if (!lexer.atEnd()) {
      throw lexer.wrong(
          parses > 0 ? "expected | or the end" : "expected \"and\", \"or\", | or the end");
    }
    return new Condition(filter, steps.isEmpty() ? null : new ParseSteps(steps));
  }

  private ParseStep parseStep() {
    AttributeName source = AttributeName.BODY;
    if (!lexer.isWord("as") && !lexer.isWord("by")) {
      FilterField field = lexer.subject();
      if (field.kind() != FilterField.Kind.ATTRIBUTE && field.kind() != FilterField.Kind.LEVEL) {
        throw lexer.wrong(field.name() + " is the event's own and no text to parse");
      }
      source = field.name();
    }
    TextFormat format = TextFormats.readAfterSource(lexer);
    return new ParseStep.Parse(source, format, lexer.takeWord("overwrite"));
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
      return exists(lexer.subject());
    }
    return test(lexer.subject());
  }

  private Filter test(FilterField subject) {
    if (lexer.takeWord("is")) {
      boolean not = lexer.takeWord("not");
      if (!lexer.takeWord("null")) {
        throw lexer.wrong("expected null or not null after is");
      }
      return not ? exists(subject) : new Filter.Not(exists(subject));
    }
    if (lexer.takeWord("not")) {
      Filter negated = word(subject);
      if (negated == null) {
        throw lexer.wrong("expected in contains icontains has or exists after not");
      }
      return new Filter.Not(negated);
    }
    Filter word = word(subject);
    return word == null ? sign(subject) : word;
  }

  /// Every event has a type, a time and an id.
  private static Filter exists(FilterField subject) {
    return switch (subject.kind()) {
      case ATTRIBUTE, LEVEL -> new Filter.Exists(subject.name());
      case TYPE, TIME, ID -> new Filter.Everything();
    };
  }

  /// A test that begins with a word; null when there is none.
  private @Nullable Filter word(FilterField subject) {
    AttributeName name = subject.name();
    if (lexer.takeWord("exists")) {
      return exists(subject);
    }
    if (lexer.takeWord("in")) {
      return in(subject);
    }
    if (lexer.takeWord("contains")) {
      Text needle = Text.of(textFor(subject));
      return text(
          subject, needle.length() == 0 ? anyText(name) : new Filter.Contains(name, needle));
    }
    if (lexer.takeWord("icontains")) {
      FoldedText needle = FoldedText.of(textFor(subject));
      return text(
          subject, needle.length() == 0 ? anyText(name) : new Filter.ContainsFolded(name, needle));
    }
    if (lexer.takeWord("has")) {
      Text words = Text.of(textFor(subject));
      return text(subject, words.length() == 0 ? anyText(name) : new Filter.Has(name, words));
    }
    return null;
  }

  private static Filter anyText(AttributeName name) {
    return matching(name, RegexText.part(Pattern.compile("")));
  }

  private String textFor(FilterField subject) {
    requireText(subject);
    return lexer.string();
  }

  private void requireText(FilterField subject) {
    switch (subject.kind()) {
      case TIME -> throw notOwn("ts is a time, with = != < <= > >= in", "ts");
      case ID -> throw notOwn("id is the event's id, with = != in", "id");
      case TYPE, ATTRIBUTE, LEVEL -> {}
    }
  }

  private QueryException.Refused notOwn(String what, String name) {
    return lexer.wrong(
        "%s; the attribute %s is attributes.%s or in backticks".formatted(what, name, name));
  }

  private static Filter text(FilterField subject, Filter test) {
    return subject.kind() == FilterField.Kind.TYPE ? new Filter.OfType(test) : test;
  }

  /// A test that begins with a sign.
  private Filter sign(FilterField subject) {
    if (lexer.take("!~")) {
      return new Filter.Not(regex(subject));
    }
    if (lexer.take("~")) {
      return regex(subject);
    }
    Comparison comparison = comparison();
    if (comparison == null) {
      throw lexer.wrong("expected = != < <= > >= in contains icontains has ~ !~ exists or is null");
    }
    return compare(subject, comparison);
  }

  private Filter regex(FilterField subject) {
    requireText(subject);
    return text(subject, matching(subject.name(), lexer.regex()));
  }

  private Filter compare(FilterField subject, Comparison comparison) {
    return switch (subject.kind()) {
      case TIME -> new Filter.OfTime(comparison, lexer.time());
      case ID ->
          switch (comparison) {
            case EQUAL -> new Filter.OfId(lexer.id());
            case NOT_EQUAL -> new Filter.Not(new Filter.OfId(lexer.id()));
            default -> throw notOwn("id is the event's id, with = != in", "id");
          };
      case LEVEL -> level(subject, comparison);
      case TYPE, ATTRIBUTE ->
          text(subject, new Filter.Compare(subject.name(), comparison, lexer.literal()));
    };
  }

  private Filter level(FilterField subject, Comparison comparison) {
    boolean isOrder = comparison != Comparison.EQUAL && comparison != Comparison.NOT_EQUAL;
    if (lexer.takeUnknownLevel()) {
      if (isOrder) {
        throw lexer.wrong("level: unknown is in no order; use = or != with unknown");
      }
      Filter has = new Filter.HasLevel();
      return comparison == Comparison.EQUAL ? new Filter.Not(has) : has;
    }
    Level level = lexer.level(isOrder);
    return level == null
        ? new Filter.Compare(subject.name(), comparison, lexer.literal())
        : new Filter.OfLevel(comparison, level);
  }

  private Filter in(FilterField subject) {
    lexer.expect("(");
    List<Filter> parts = new ArrayList<>();
    do {
      parts.add(compare(subject, Comparison.EQUAL));
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
  private static Filter matching(AttributeName name, RegexText regex) {
    String text = regex.regex().pattern();
    return !text.isEmpty() && RegexText.isPlain(text)
        ? new Filter.Contains(name, Text.of(text))
        : new Filter.Matches(name, regex);
  }
}
