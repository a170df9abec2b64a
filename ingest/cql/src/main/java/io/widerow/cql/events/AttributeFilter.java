package io.widerow.cql.events;

import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.schema.LikePattern;
import io.widerow.cql.schema.RowCondition;
import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.Text;
import io.widerow.storage.Filter;
import io.widerow.storage.NumberText;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A condition on the body or on the maps as filters of the store. The filters keep at least every
/// event that meets the condition.
///
/// @param parts all of which a row must pass
/// @param exact whether they keep no other event
/// @param none whether no event can meet it
record AttributeFilter(List<Filter> parts, boolean exact, boolean none) {
  private static final String NAN = "NaN";
  private static final String INFINITY = "Infinity";

  /// The characters, other than digits, of displayed numbers and booleans.
  private static final List<String> OTHER_TEXTS = List.of("true", "false", NAN, "-" + INFINITY);

  private static final String OTHER_CHARACTERS = "0123456789.-E";
  private static final AttributeFilter NONE = new AttributeFilter(List.of(), true, true);

  AttributeFilter {
    parts = List.copyOf(parts);
  }

  private static AttributeFilter of(boolean exact, Filter... parts) {
    return new AttributeFilter(List.of(parts), exact, false);
  }

  static AttributeFilter of(RowCondition condition) {
    Object key = condition.key();
    if (condition.index() == EventTable.BODY) {
      return text(AttributeName.BODY, condition);
    }
    if (condition.operator() == Operator.CONTAINS_KEY) {
      AttributeName name = CqlEventRow.name(condition.value());
      return name == null
          ? NONE
          : of(condition.index() == EventTable.ATTRIBUTES, new Filter.Exists(name));
    }
    if (key == null) { // the whole map, or one of its values
      return of(false);
    }
    AttributeName name = CqlEventRow.name(key);
    if (name == null) {
      return NONE;
    }
    return condition.index() == EventTable.NUMBERS
        ? number(name, condition)
        : text(name, condition);
  }

  private static AttributeFilter number(AttributeName name, RowCondition condition) {
    if (condition.operator() == Operator.IN) {
      List<Filter> any = new ArrayList<>();
      for (Object value : condition.values()) {
        any.add(number(name, Operator.EQ, (Double) value));
      }
      return of(true, new Filter.Or(any));
    }
    return of(true, number(name, condition.operator(), (Double) condition.value()));
  }

  private static Filter number(AttributeName name, Operator operator, double value) {
    return new Filter.Compare(name, comparison(operator), new Filter.Literal.Fraction(value));
  }

  private static AttributeFilter text(AttributeName name, RowCondition condition) {
    List<String> texts = condition.values().stream().map(String.class::cast).toList();
    return switch (condition.operator()) {
      case EQ, IN ->
          of(
              texts.stream().noneMatch(text -> text.equals(NAN) || other(text) != null),
              texts.size() == 1 ? equal(name, texts.getFirst()) : anyOf(name, texts));
      case LIKE -> {
        LikePattern pattern = LikePattern.of(texts.getFirst());
        Filter contains = new Filter.Contains(name, Text.of(pattern.text()));
        yield mayBeInOther(pattern.text())
            ? of(false, new Filter.Or(List.of(contains, other(name, pattern.text()))))
            : of(pattern.open() && pattern.more(), contains);
      }
      default -> of(false, new Filter.Exists(name)); // also numbers, which are shown as text
    };
  }

  /// Keeps events with one of the texts.
  static Filter anyOf(AttributeName name, List<String> texts) {
    return new Filter.Or(texts.stream().map(text -> equal(name, text)).toList());
  }

  private static Filter equal(AttributeName name, String text) {
    Filter word = compare(name, Operator.EQ, text);
    if (text.equals(NAN)) {
      return new Filter.Or(List.of(word, other(name, text)));
    }
    Filter.Literal other = other(text);
    return other == null
        ? word
        : new Filter.Or(List.of(word, new Filter.Compare(name, Filter.Comparison.EQUAL, other)));
  }

  static Filter compare(AttributeName name, Operator operator, String text) {
    return new Filter.Compare(name, comparison(operator), new Filter.Literal.Word(Text.of(text)));
  }

  /// True when a number or a truth value may be shown as a text that has this one in it.
  private static boolean mayBeInOther(String text) {
    return OTHER_TEXTS.stream().anyMatch(other -> other.contains(text))
        || text.chars().allMatch(each -> OTHER_CHARACTERS.indexOf(each) >= 0);
  }

  /// Keeps the numbers and the truth values. Bytes are neither, but cannot be distinguished from
  /// NaN, so that they are kept where a text may be in it. Blocks where every event has a string of
  /// this name are not looked at.
  ///
  /// @param text contained in the shown text
  private static Filter other(AttributeName name, String text) {
    Filter noString = new Filter.Not(compare(name, Operator.GTE, ""));
    Filter.Comparison equal = Filter.Comparison.EQUAL;
    Filter of =
        NAN.contains(text)
            ? new Filter.Exists(name)
            : new Filter.Or(
                List.of(
                    number(name, Operator.GTE, Double.NEGATIVE_INFINITY),
                    new Filter.Compare(name, equal, new Filter.Literal.Truth(true)),
                    new Filter.Compare(name, equal, new Filter.Literal.Truth(false))));
    return new Filter.And(List.of(of, noString));
  }

  /// The values that an attribute that is no string may have when it is displayed as this text;
  /// null for none, and for NaN, which equals nothing. Other numbers and texts may be equal to it.
  private static Filter.@Nullable Literal other(String text) {
    if (text.equals("true") || text.equals("false")) {
      return new Filter.Literal.Truth(text.equals("true"));
    }
    if (text.endsWith(INFINITY)) {
      return text.length() == INFINITY.length()
          ? new Filter.Literal.Fraction(Double.POSITIVE_INFINITY)
          : text.equals("-" + INFINITY)
              ? new Filter.Literal.Fraction(Double.NEGATIVE_INFINITY)
              : null;
    }
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    AttributeValue value = new AttributeValue();
    value.setText(AttributeKind.STRING, MemorySegment.ofArray(utf8), 0, utf8.length);
    if (!NumberText.read(value)) {
      return null;
    }
    return value.kind() == AttributeKind.LONG
        ? new Filter.Literal.Whole(value.bits())
        : new Filter.Literal.Fraction(value.asDouble());
  }

  private static Filter.Comparison comparison(Operator operator) {
    return switch (operator) {
      case EQ -> Filter.Comparison.EQUAL;
      case LT -> Filter.Comparison.LESS;
      case LTE -> Filter.Comparison.LESS_OR_EQUAL;
      case GT -> Filter.Comparison.GREATER;
      case GTE -> Filter.Comparison.GREATER_OR_EQUAL;
      default -> throw new IllegalStateException("no comparison: " + operator);
    };
  }
}
