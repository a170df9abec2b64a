package io.widerow.query.logql.run;

import io.widerow.event.AttributeName;
import io.widerow.event.Level;
import io.widerow.query.RangeQuery;
import io.widerow.query.logql.Expr;
import io.widerow.query.logql.LabelCondition;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlNames;
import io.widerow.query.logql.Metric;
import io.widerow.query.logql.Stage;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.result.FieldCheck;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Warns of labels that a query without a result names and no event has, such as misspelt ones.
///
/// - Threads: any; immutable.
public final class LabelCheck {
  private static final String LEVEL = Level.FIELD.toString();
  private static final String NO_LEVEL =
      "no event of the range has the label level; the level of the events is the label "
          + LabelMapping.DETECTED_LEVEL;

  private LabelCheck() {}

  /// @param range the events that were asked for, whatever their labels
  /// @return a warning for each label; none when that is not known soon
  public static List<String> of(LogqlContext execution, Expr expr, RangeQuery range) {
    Set<String> named = new LinkedHashSet<>();
    add(expr, named);
    named.removeIf(name ->
        name.startsWith("__")
            || name.startsWith(LogqlNames.ERROR)
            || name.equals(LabelMapping.SERVICE)
            || name.equals(LabelMapping.DETECTED_LEVEL));
    Set<String> present = named.isEmpty() ? null : FieldCheck.known(execution.view(), range);
    if (present == null || present.isEmpty()) {
      return List.of();
    }
    Set<String> labels = new TreeSet<>(List.of(LabelMapping.SERVICE, LabelMapping.DETECTED_LEVEL));
    present.forEach(name -> labels.add(execution.labels().shown(AttributeName.of(name))));
    return named.stream()
        .filter(name -> !labels.contains(name))
        .map(name -> name.equals(LEVEL) ? NO_LEVEL : FieldCheck.sentence(name, labels))
        .toList();
  }

  private static void add(Expr expr, Set<String> names) {
    switch (expr) {
      case LogQuery lines -> add(lines, names);
      case Metric.Range range -> add(range.lines(), names);
      case Metric.Aggregate aggregate -> add(aggregate.inner(), names);
      case Metric.LabelReplace replaced -> add(replaced.inner(), names);
      case Metric.Binary binary -> {
        add(binary.left(), names);
        add(binary.right(), names);
      }
      case Metric.Literal _, Metric.VectorOf _ -> {}
    }
  }

  /// The labels that matchers and label filters name, up to the first stage that makes others.
  private static void add(LogQuery lines, Set<String> names) {
    lines.matchers().forEach(matcher -> names.add(matcher.name()));
    for (Stage stage : lines.stages()) {
      switch (stage) {
        case Stage.LabelFilter(LabelCondition condition) -> condition.addNames(names);
        case Stage.LineFilter _, Stage.Drop _, Stage.Keep _ -> {}
        default -> {
          return;
        }
      }
    }
  }
}
