package io.widerow.query.logql.run;

import io.widerow.event.AttributeName;
import io.widerow.event.StreamLabels;
import io.widerow.event.Text;
import io.widerow.query.logql.LabelCondition;
import io.widerow.query.logql.LabelCondition.Quantity;
import io.widerow.query.logql.LogqlNames;
import io.widerow.query.logql.Matcher;
import io.widerow.query.logql.Stage.Conversion;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.Filter.Literal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Filters of the store that keep every event which matchers and label filters keep, one after the
/// other, on the labels that events have as stored; see [LogqlPushdown].
///
/// A comparison of a label that is no number keeps the event and marks it with an error. So the
/// filter of a comparison keeps these as well:
///
/// ```
///   | ms > 90      ms of the event is a number > 90, or it is no number
/// ```
///
/// - Threads: one.
final class ConditionFilters {
  private static final Filter EVERYTHING = new Filter.Everything();

  /// Below this, a number compares with every 64-bit number as with the nearest double.
  private static final double EXACT_BELOW = 0x1p53;

  private final LabelMapping labels;

  private boolean mayFail; // an earlier comparison

  ConditionFilters(LabelMapping labels) {
    this.labels = labels;
  }

  /// A test of a text.
  Filter of(Matcher matcher) {
    if (matcher.name().equals(LabelMapping.SERVICE)) {
      return LogqlPushdown.ofType(matcher);
    }
    if (matcher.name().equals(LabelMapping.DETECTED_LEVEL)) {
      return LogqlPushdown.ofLevel(matcher);
    }
    List<AttributeName> names = names(matcher.name());
    return names == null ? EVERYTHING : LogqlPushdown.ofAny(matcher, names);
  }

  /// The filter of a matcher that is the whole condition, so that the labels of the events read
  /// need no second check. Null when only these decide.
  @Nullable Filter deciding(Matcher matcher) {
    if (matcher.name().equals(LabelMapping.SERVICE)
        || matcher.name().equals(LabelMapping.DETECTED_LEVEL)) {
      return of(matcher);
    }
    AttributeName name = only(matcher.name());
    boolean isOfText = matcher.kind() == Matcher.Kind.EQUAL && !matcher.text().isEmpty();
    return name != null && isOfText ? LogqlPushdown.exactly(name, matcher.text()) : null;
  }

  /// The only attribute that a label is; null when it may be another one, or something else.
  @Nullable AttributeName only(String label) {
    List<AttributeName> names = names(label);
    return names != null && names.size() == 1 && labels.shown(names.getFirst()).equals(label)
        ? names.getFirst()
        : null;
  }

  /// The attributes that a label is; null when it is something else, or only events decide.
  private @Nullable List<AttributeName> names(String label) {
    List<AttributeName> names = labels.attributes(label);
    boolean isOwn = label.startsWith(LogqlNames.ERROR) || label.equals(LabelMapping.DETECTED_LEVEL);
    if (names == null || isOwn) {
      return null;
    }
    List<AttributeName> values = new ArrayList<>(names);
    values.remove(StreamLabels.FIELD); // it tells which labels these are
    return values.isEmpty() ? null : values;
  }

  Filter of(LabelCondition condition) {
    return switch (condition) {
      case LabelCondition.And(var parts) ->
          LogqlPushdown.all(parts.stream().map(this::of).toList());
      case LabelCondition.Or(var parts) -> LogqlPushdown.any(parts.stream().map(this::of).toList());
      case LabelCondition.Words(var matcher) -> of(matcher);
      case Quantity quantity -> of(quantity);
      case LabelCondition.Address(var label, _, _) -> of(label);
    };
  }

  /// An earlier stage may have failed: then a line is kept whatever its address is.
  private Filter of(String addressLabel) {
    return mayFail ? EVERYTHING : has(addressLabel);
  }

  private Filter of(Quantity quantity) {
    mayFail = true;
    List<AttributeName> names = names(quantity.label());
    if (names == null) {
      return EVERYTHING;
    }
    List<Filter> kept = new ArrayList<>();
    boolean isNumber = quantity.conversion() == Conversion.NUMBER;
    for (AttributeName name : names) {
      kept.add(
          isNumber && isExact(quantity)
              ? compared(name, quantity, isNoNumber(name))
              : new Filter.Exists(name));
    }
    return LogqlPushdown.any(kept);
  }

  /// True when a number compares with this one as the nearest double does.
  static boolean isExact(Quantity quantity) {
    return Math.abs(quantity.value()) < EXACT_BELOW;
  }

  /// The comparison of an attribute that has numbers only.
  static Filter ofNumbers(AttributeName name, Quantity quantity) {
    double value = quantity.value();
    return switch (quantity.sign()) {
      case NOT_EQUAL ->
          new Filter.And(
              List.of(
                  new Filter.Not(compare(name, Comparison.EQUAL, value)), new Filter.Exists(name)));
      case EQUAL -> compare(name, Comparison.EQUAL, value);
      case LESS -> compare(name, Comparison.LESS, value);
      case LESS_OR_EQUAL -> compare(name, Comparison.LESS_OR_EQUAL, value);
      case GREATER -> compare(name, Comparison.GREATER, value);
      case GREATER_OR_EQUAL -> compare(name, Comparison.GREATER_OR_EQUAL, value);
    };
  }

  /// Events that have a label.
  Filter has(String label) {
    List<AttributeName> names = names(label);
    if (names == null) {
      return EVERYTHING;
    }
    List<Filter> any = new ArrayList<>();
    names.forEach(name -> any.add(new Filter.Exists(name)));
    return LogqlPushdown.any(any);
  }

  /// A text that is no number, or a boolean.
  private static Filter isNoNumber(AttributeName name) {
    Filter isText =
        new Filter.Compare(name, Comparison.GREATER_OR_EQUAL, new Literal.Word(Text.of("")));
    Filter isNumber = compare(name, Comparison.GREATER_OR_EQUAL, Double.NEGATIVE_INFINITY);
    Filter isTruth =
        new Filter.Compare(name, Comparison.GREATER_OR_EQUAL, new Literal.Truth(false));
    return new Filter.Or(
        List.of(new Filter.And(List.of(isText, new Filter.Not(isNumber))), isTruth));
  }

  private static Filter compare(AttributeName name, Comparison comparison, double value) {
    return new Filter.Compare(name, comparison, literal(value));
  }

  /// Whole numbers as such: blocks know the range of theirs.
  private static Literal literal(double value) {
    return value == Math.rint(value) && Math.abs(value) < EXACT_BELOW
        ? new Literal.Whole((long) value)
        : new Literal.Fraction(value);
  }

  private static Filter compared(AttributeName name, Quantity quantity, Filter failing) {
    double value = quantity.value();
    Filter holds = ofNumbers(name, quantity);
    return switch (quantity.sign()) {
      case NOT_EQUAL -> holds;
      case EQUAL ->
          or(
              holds,
              new Filter.Or(
                  List.of(
                      compare(name, Comparison.LESS, value),
                      compare(name, Comparison.GREATER, value))),
              failing);
      case LESS -> or(holds, compare(name, Comparison.GREATER_OR_EQUAL, value), failing);
      case LESS_OR_EQUAL -> or(holds, compare(name, Comparison.GREATER, value), failing);
      case GREATER -> or(holds, compare(name, Comparison.LESS_OR_EQUAL, value), failing);
      case GREATER_OR_EQUAL -> or(holds, compare(name, Comparison.LESS, value), failing);
    };
  }

  /// Where a block has only numbers, `holds` is left of it. Elsewhere a number fails at the
  /// opposite, which is cheaper than to find out that it is none.
  private static Filter or(Filter holds, Filter opposite, Filter failing) {
    return new Filter.Or(
        List.of(holds, new Filter.And(List.of(new Filter.Not(opposite), failing))));
  }
}
