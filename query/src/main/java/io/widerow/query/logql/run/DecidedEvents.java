package io.widerow.query.logql.run;

import io.widerow.event.AttributeName;
import io.widerow.query.RegexText;
import io.widerow.query.logql.LabelCondition;
import io.widerow.query.logql.LabelCondition.Quantity;
import io.widerow.query.logql.LogqlNames;
import io.widerow.query.logql.Matcher;
import io.widerow.query.logql.Metric;
import io.widerow.query.logql.Stage;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.Filter.Literal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The matchers and filters of a range function as filters of the store alone, so that it can
/// aggregate by column. A few events remain whose lines have to decide, such as those with a text
/// where a number is compared.
///
/// ```
///   sum by (user) (count_over_time({app="x"} |= "red" | ms > 90 | user != "bob" [1m]))
///     kept      app = "x" and the body contains "red" and ms > 90
///     unsure    the body is no text, or ms is there and no number
///     groups    user != "bob", which is tested once for each group of events
/// ```
///
/// - Threads: any; immutable.
///
/// @param kept of the events that are not unsure, exactly those whose lines the function takes, if
///   their groups pass; some may have no number to unwrap
/// @param unsure null for none
/// @param groups tests of labels that divide events into groups
record DecidedEvents(Filter kept, @Nullable Filter unsure, List<Matcher> groups) {
  private static final Filter EVERYTHING = new Filter.Everything();
  private static final Filter NOTHING = new Filter.Not(EVERYTHING);

  DecidedEvents {
    groups = List.copyOf(groups);
  }

  /// Null when a stage needs the lines.
  ///
  /// @param dividing labels that divide events into groups
  static @Nullable DecidedEvents of(Metric.Range range, LabelMapping labels, Set<String> dividing) {
    Parts parts = new Parts(labels, dividing);
    boolean decided = true;
    for (Matcher matcher : range.lines().matchers()) {
      decided = decided && parts.keeps(matcher);
    }
    List<Stage> stages = new ArrayList<>(range.lines().stages());
    stages.addAll(range.afterUnwrap());
    for (Stage stage : stages) {
      decided =
          decided
              && switch (stage) {
                case Stage.LineFilter filter -> parts.add(parts.of(filter));
                case Stage.LabelFilter(LabelCondition condition) -> parts.keeps(condition);
                case Stage.Drop(var names) ->
                    names.stream().allMatch(name -> name.name().startsWith(LogqlNames.ERROR));
                default -> false;
              };
    }
    if (range.function().isOfBytes()) {
      parts.requireBody();
    }
    Stage.Unwrap unwrap = range.unwrap();
    if (unwrap != null) {
      decided = decided && parts.add(parts.of(unwrap));
    }
    return decided ? parts.all() : null;
  }

  /// The filters so far.
  private static final class Parts {
    private final ConditionFilters conditions;
    private final List<Filter> kept = new ArrayList<>();
    private final List<Filter> unsure = new ArrayList<>();
    private final List<Matcher> groups = new ArrayList<>();
    private final Set<String> dividing;

    Parts(LabelMapping labels, Set<String> dividing) {
      this.conditions = new ConditionFilters(labels);
      this.dividing = dividing;
    }

    /// False when there is no filter.
    boolean add(@Nullable Filter exact) {
      if (exact != null) {
        kept.add(exact);
      }
      return exact != null;
    }

    boolean keeps(LabelCondition condition) {
      return condition instanceof LabelCondition.Words(var matcher)
          ? keeps(matcher)
          : add(of(condition));
    }

    /// A test that few texts fail is cheaper for each group than for each text of each block.
    boolean keeps(Matcher matcher) {
      boolean ofGroups =
          matcher.kind().isNegative()
              && dividing.contains(matcher.name())
              && conditions.only(matcher.name()) != null;
      if (ofGroups) {
        groups.add(matcher);
      }
      return ofGroups || add(of(matcher));
    }

    DecidedEvents all() {
      return new DecidedEvents(
          LogqlPushdown.all(kept), unsure.isEmpty() ? null : LogqlPushdown.any(unsure), groups);
    }

    /// Events whose line is not their body are not sure.
    private void requireBody() {
      unsure.add(not(LogqlPushdown.IS_BODY));
    }

    /// Events that have a value which is no string are not sure.
    private void requireText(AttributeName name) {
      unsure.add(new Filter.And(List.of(new Filter.Exists(name), not(isText(name)))));
    }

    /// Events that have a value which is no number are not sure.
    private void requireNumber(AttributeName name) {
      Filter isNumber =
          new Filter.Compare(
              name, Comparison.GREATER_OR_EQUAL, new Literal.Fraction(Double.NEGATIVE_INFINITY));
      unsure.add(new Filter.And(List.of(new Filter.Exists(name), not(isNumber))));
    }

    private static Filter isText(AttributeName name) {
      return new Filter.Compare(name, Comparison.GREATER_OR_EQUAL, LogqlPushdown.word(""));
    }

    private static Filter not(Filter filter) {
      return new Filter.Not(filter);
    }

    @Nullable Filter of(LabelCondition condition) {
      return switch (condition) {
        case LabelCondition.And(var parts) -> several(parts, true);
        case LabelCondition.Or(var parts) -> several(parts, false);
        case LabelCondition.Words(var matcher) -> of(matcher);
        case LabelCondition.Address _ -> null;
        case Quantity quantity -> {
          AttributeName name = conditions.only(quantity.label());
          boolean isNumber = quantity.conversion() == Stage.Conversion.NUMBER;
          if (name == null || !isNumber || !ConditionFilters.isExact(quantity)) {
            yield null;
          }
          requireNumber(name);
          yield ConditionFilters.ofNumbers(name, quantity);
        }
      };
    }

    private @Nullable Filter several(List<LabelCondition> parts, boolean all) {
      List<Filter> filters = new ArrayList<>();
      for (LabelCondition part : parts) {
        Filter one = of(part);
        if (one == null) {
          return null;
        }
        filters.add(one);
      }
      return all ? LogqlPushdown.all(filters) : LogqlPushdown.any(filters);
    }

    /// The number of an attribute. An event without it has no sample.
    @Nullable Filter of(Stage.Unwrap unwrap) {
      AttributeName name =
          unwrap.conversion() == Stage.Conversion.NUMBER ? conditions.only(unwrap.label()) : null;
      if (name == null) {
        return null;
      }
      requireNumber(name);
      return EVERYTHING;
    }

    @Nullable Filter of(Stage.LineFilter filter) {
      if (filter.keepsAll()) {
        return EVERYTHING;
      }
      if (!filter.parts().stream().allMatch(Stage.LinePart::isText)) {
        return null;
      }
      requireBody();
      Filter any = LogqlPushdown.any(filter.parts().stream().map(LogqlPushdown::inBody).toList());
      return filter.negated() ? not(any) : any;
    }

    @Nullable Filter of(Matcher matcher) {
      String label = matcher.name();
      boolean withoutLabel = matcher.test("");
      if (label.startsWith(LogqlNames.ERROR)) {
        return withoutLabel ? EVERYTHING : NOTHING; // the lines of unsure events may have errors
      }
      if (label.equals(LabelMapping.SERVICE) || label.equals(LabelMapping.DETECTED_LEVEL)) {
        return conditions.of(matcher);
      }
      AttributeName name = conditions.only(label);
      if (name == null) {
        return null;
      }
      var regex = matcher.regex();
      Filter found =
          regex == null
              ? LogqlPushdown.exactly(name, matcher.text())
              : new Filter.Matches(name, RegexText.whole(regex));
      if (found == null) {
        return null;
      }
      if (regex != null) {
        requireText(name);
      }
      Filter there = matcher.kind().isNegative() ? not(found) : found;
      Filter exists = new Filter.Exists(name);
      boolean isSo =
          matcher.kind().isNegative() == withoutLabel; // as the filter is without a value
      if (isSo) {
        return there;
      }
      return withoutLabel
          ? new Filter.Or(List.of(there, not(exists)))
          : new Filter.And(List.of(there, exists));
    }
  }
}
