package io.widerow.query.logql.run;

import com.google.re2j.Pattern;
import io.widerow.event.AttributeName;
import io.widerow.event.Level;
import io.widerow.event.Text;
import io.widerow.query.RegexText;
import io.widerow.query.logql.Matcher;
import io.widerow.query.logql.Stage;
import io.widerow.query.logql.Units;
import io.widerow.query.logql.line.EventLines;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.Filter.Literal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Filters of the store that keep every event which a part of LogQL keeps. They may keep more: a
/// matcher compares texts, and a filter knows the number 200 from the text `200`. So matchers of
/// attributes are tested again on the events read. They do not find attributes that are bytes.
final class LogqlPushdown {
  private static final Filter EVERYTHING = new Filter.Everything();

  /// Events whose body is a text.
  static final Filter IS_BODY =
      new Filter.Compare(
          AttributeName.BODY, Comparison.GREATER_OR_EQUAL, new Literal.Word(Text.of("")));

  private static final AttributeName ANY = AttributeName.of("type");

  private LogqlPushdown() {}

  /// A filter of events that all parts keep.
  static Filter all(List<Filter> parts) {
    List<Filter> left = new ArrayList<>(parts);
    left.removeIf(part -> part instanceof Filter.Everything);
    return left.isEmpty() ? EVERYTHING : left.size() == 1 ? left.getFirst() : new Filter.And(left);
  }

  /// A filter of events that any part keeps.
  static Filter any(List<Filter> parts) {
    return parts.stream().anyMatch(part -> part instanceof Filter.Everything)
        ? EVERYTHING
        : parts.size() == 1 ? parts.getFirst() : new Filter.Or(parts);
  }

  /// A test of the type. Exact.
  static Filter ofType(Matcher matcher) {
    Filter test = found(matcher, ANY);
    return new Filter.OfType(matcher.kind().isNegative() ? new Filter.Not(test) : test);
  }

  /// A test of the detected level. Exact.
  static Filter ofLevel(Matcher matcher) {
    if (isAnyText(matcher)) {
      return EVERYTHING;
    }
    List<Filter> parts = new ArrayList<>();
    for (Level level : Level.values()) {
      if (matcher.test(level.word())) {
        parts.add(new Filter.OfLevel(Comparison.EQUAL, level));
      }
    }
    boolean isWord = matcher.kind() == Matcher.Kind.EQUAL && !parts.isEmpty();
    if (!isWord) {
      List<Filter> other = List.of(new Filter.Not(new Filter.HasLevel()), ofOther(matcher));
      parts.add(new Filter.And(other));
    }
    return any(parts);
  }

  private static boolean isAnyText(Matcher matcher) {
    Pattern regex = matcher.regex();
    return regex == null
        ? matcher.kind() == Matcher.Kind.NOT_EQUAL && matcher.text().isEmpty()
        : !matcher.kind().isNegative() && List.of(".+", ".*").contains(regex.pattern());
  }

  /// A test of what an event without a level shows: the word that its sender gave, or `unknown`.
  private static Filter ofOther(Matcher matcher) {
    Filter shown = matcher.test(Level.UNKNOWN) ? EVERYTHING : new Filter.Not(EVERYTHING);
    for (AttributeName name : List.of(Level.FIELD, Level.DETECTED)) {
      Filter isText = new Filter.Compare(name, Comparison.GREATER, new Literal.Word(Text.of("")));
      Filter isUnknown = equal(name, Level.UNKNOWN);
      Filter isOther = new Filter.And(List.of(isText, new Filter.Not(isUnknown)));
      Filter found = found(matcher, name);
      Filter holds = matcher.kind().isNegative() ? new Filter.Not(found) : found;
      shown =
          new Filter.Or(
              List.of(
                  new Filter.And(List.of(isOther, holds)),
                  new Filter.And(List.of(new Filter.Not(isOther), shown))));
    }
    return shown;
  }

  /// The test of a text without its negation.
  private static Filter found(Matcher matcher, AttributeName name) {
    Pattern regex = matcher.regex();
    return regex == null
        ? equal(name, matcher.text())
        : new Filter.Matches(name, RegexText.whole(regex));
  }

  /// A test of a text.
  static Filter equal(AttributeName name, String text) {
    return new Filter.Compare(name, Comparison.EQUAL, word(text));
  }

  static Literal word(String text) {
    return new Literal.Word(Text.of(text));
  }

  /// Values that show as a text: that string, or the number or truth value that shows so. Null for
  /// a number that shows in several ways.
  static @Nullable Filter exactly(AttributeName name, String text) {
    Literal number = number(text);
    double size =
        switch (number) {
          case Literal.Whole(long value) -> Math.abs((double) value);
          case Literal.Fraction(double value) -> Math.abs(value);
          case null, default -> 0;
        };
    if (!(size < EventLines.WHOLE_LIMIT)) {
      return null;
    }
    boolean isWhole = number instanceof Literal.Fraction && size == Math.rint(size); // shows as 1
    if (number == null || isWhole || !isShown(number, text)) {
      return equal(name, text);
    }
    Filter isNumber = new Filter.Compare(name, Comparison.EQUAL, number);
    Filter isText = new Filter.Compare(name, Comparison.GREATER_OR_EQUAL, word(""));
    return any(
        List.of(equal(name, text), new Filter.And(List.of(isNumber, new Filter.Not(isText)))));
  }

  /// A test of any of some attributes.
  static Filter ofAny(Matcher matcher, List<AttributeName> names) {
    if (matcher.test("")) {
      return matcher.kind().isNegative() ? noneHas(matcher, names) : EVERYTHING;
    }
    List<Filter> parts = new ArrayList<>();
    for (AttributeName name : names) {
      parts.add(mayHold(matcher, name));
    }
    return any(parts);
  }

  /// A negation that also holds without the attribute. With one attribute alone, what its text says
  /// is final.
  private static Filter noneHas(Matcher matcher, List<AttributeName> names) {
    if (names.size() != 1) {
      return EVERYTHING;
    }
    return new Filter.Not(found(matcher, names.getFirst()));
  }

  /// A test that does not hold without the attribute.
  private static Filter mayHold(Matcher matcher, AttributeName name) {
    Pattern regex = matcher.regex();
    if (regex != null || matcher.kind() != Matcher.Kind.EQUAL) {
      return new Filter.Exists(name); // of any kind, and tested by its text afterwards
    }
    String text = matcher.text();
    List<Filter> parts = new ArrayList<>();
    parts.add(equal(name, text));
    Literal number = number(text);
    if (number != null) {
      parts.add(new Filter.Compare(name, Comparison.EQUAL, number));
    }
    return parts.size() == 1 ? parts.getFirst() : new Filter.Or(parts);
  }

  /// True when a number, or a truth value, is shown as this text.
  static boolean isShown(Literal number, String text) {
    return switch (number) {
      case Literal.Whole(long value) -> Long.toString(value).equals(text);
      case Literal.Fraction(double value) -> Double.toString(value).equals(text);
      case Literal.Truth _ -> true;
      case Literal.Word _ -> false;
    };
  }

  /// The number, or the truth value, that a text is; null when it is none.
  static @Nullable Literal number(String text) {
    if (text.equals("true") || text.equals("false")) {
      return new Literal.Truth(text.equals("true"));
    }
    try {
      return new Literal.Whole(Long.parseLong(text));
    } catch (NumberFormatException _) {
      Double value = Units.number(text);
      return value == null ? null : new Literal.Fraction(value);
    }
  }

  /// A filter of events with a body that line filters keep, and of every event without one.
  static Filter ofLines(List<Stage.LineFilter> filters) {
    List<Filter> parts = new ArrayList<>();
    for (Stage.LineFilter filter : filters) {
      boolean isOfTexts = filter.parts().stream().allMatch(Stage.LinePart::isText);
      if (isOfTexts && !filter.keepsAll()) {
        Filter any = new Filter.Or(filter.parts().stream().map(LogqlPushdown::inBody).toList());
        parts.add(filter.negated() ? new Filter.Not(any) : any);
      }
    }
    if (parts.isEmpty()) {
      return EVERYTHING;
    }
    Filter all = parts.size() == 1 ? parts.getFirst() : new Filter.And(parts);
    boolean mayDropOthers = filters.stream().anyMatch(filter -> !filter.negated());
    return mayDropOthers ? new Filter.Or(List.of(all, new Filter.Not(IS_BODY))) : all;
  }

  static Filter inBody(Stage.LinePart part) {
    Pattern regex = part.regex();
    if (regex != null && !RegexText.isPlain(part.text())) {
      return new Filter.Matches(AttributeName.BODY, RegexText.part(regex));
    }
    return part.text().isEmpty()
        ? IS_BODY
        : new Filter.Contains(AttributeName.BODY, Text.of(part.text()));
  }
}
