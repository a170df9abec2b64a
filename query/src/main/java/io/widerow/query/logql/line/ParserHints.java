package io.widerow.query.logql.line;

import io.widerow.query.logql.LabelCondition;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlNames;
import io.widerow.query.logql.Metric;
import io.widerow.query.logql.Stage;
import io.widerow.query.logql.Template;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The labels that a metric query needs of its parsers. They stop when they have found all of them,
/// as in Loki, so that a mistake further on in the line is none of the query:
///
/// ```
///   sum(count_over_time({app="x"} | json [5m]))              nothing is parsed
///   sum by (user) (count_over_time({app="x"} | json [5m]))   up to `user`
///   count_over_time({app="x"} | json [5m])                   the whole line
/// ```
///
/// - Threads: any; immutable.
///
/// @param required names; null for all
/// @param conditions by label: a line that a parser gives a label with another value is dropped at
///   once, wherever its filter stands
public record ParserHints(@Nullable Set<String> required, Map<String, LabelCondition> conditions) {
  /// Everything is parsed.
  public static final ParserHints ALL = new ParserHints(null, Map.of());

  public ParserHints {
    required = required == null ? null : Set.copyOf(required);
    conditions = Map.copyOf(conditions);
  }

  /// Those of a query for lines.
  public static ParserHints of(LogQuery query) {
    return new ParserHints(null, conditions(query.stages()));
  }

  /// The first filter of each label, of those that test no other one.
  private static Map<String, LabelCondition> conditions(List<Stage> stages) {
    Map<String, LabelCondition> conditions = new HashMap<>();
    for (Stage stage : stages) {
      if (stage instanceof Stage.LabelFilter(LabelCondition condition)) {
        switch (condition) {
          case LabelCondition.And _, LabelCondition.Or _ -> {}
          case LabelCondition.Words(var matcher) ->
              conditions.putIfAbsent(matcher.name(), condition);
          case LabelCondition.Quantity quantity ->
              conditions.putIfAbsent(quantity.label(), condition);
          case LabelCondition.Address address -> conditions.putIfAbsent(address.label(), condition);
        }
      }
    }
    return conditions;
  }

  /// @param grouping the labels of the series of a range function; null for all
  public static ParserHints of(Metric.Range range, @Nullable Set<String> grouping) {
    List<Stage> stages = new ArrayList<>(range.lines().stages());
    if (range.afterUnwrap().size() == 1) {
      stages.addAll(range.afterUnwrap());
    }
    Map<String, LabelCondition> conditions = conditions(stages);
    boolean absent = range.function() == Metric.RangeFunction.ABSENT_OVER_TIME;
    if (grouping == null && !absent) {
      return new ParserHints(null, conditions);
    }
    Set<String> names = new HashSet<>(grouping == null ? Set.of() : grouping);
    range.lines().stages().forEach(stage -> stage.addNames(names));
    range.afterUnwrap().forEach(stage -> stage.addNames(names));
    names.remove(Template.LINE);
    Stage.Unwrap unwrap = range.unwrap();
    if (unwrap != null) {
      names.add(unwrap.label());
    }
    for (String name : List.copyOf(names)) {
      if (name.endsWith(Line.EXTRACTED)) {
        names.add(name.substring(0, name.length() - Line.EXTRACTED.length()));
      }
    }
    return new ParserHints(names, conditions);
  }

  /// True when a parser takes a label.
  boolean takes(String name) {
    return required == null || required.contains(name);
  }

  /// True when a parser looks into an object of JSON.
  boolean takesPrefix(String prefix) {
    return required == null || required.stream().anyMatch(name -> name.startsWith(prefix));
  }

  /// True when a query asks for the errors of parsers, which are no failures then.
  boolean keepsErrors() {
    return required != null && required.contains(LogqlNames.ERROR);
  }
}
