package io.widerow.query.logql.run;

import io.widerow.query.logql.LabelCondition;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.Matcher;
import io.widerow.query.logql.Metric;
import io.widerow.query.logql.Stage;
import io.widerow.query.logql.line.LabelMapping;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The stages of a range function in two parts: comparisons of numbers, which are evaluated on the
/// values of each event, and the other stages, which have the same result for events with the same
/// other labels. An event that has a text where a number is compared is shown as a line after all.
///
/// ```
///   {app="x"} | ms > 90 | env="prod" | unwrap bytes
///                tests    same          number
/// ```
///
/// @param tests of each event
/// @param same the other stages
/// @param number the label that is the sample; null when there is none, or `same` gives it
/// @param measures whether the sample is the length of the body
/// @param unwrapsLines whether the sample is taken from the line after `same`, because its text is
///   a duration or a number of bytes
record EventStages(
    List<EventCondition> tests,
    LogQuery same,
    EventCondition.@Nullable NumberLabel number,
    boolean measures,
    boolean unwrapsLines) {
  private static final String ANY = "";

  EventStages {
    tests = List.copyOf(tests);
  }

  /// The stages of events that the store has selected.
  ///
  /// @param groups tests of the labels that divide them into groups
  /// @param number the label that is the sample; null when there is none
  /// @param measures whether the sample is the length of the body, which is a text
  static EventStages decided(
      List<Matcher> groups, EventCondition.@Nullable NumberLabel number, boolean measures) {
    return new EventStages(List.of(), new LogQuery(groups, List.of()), number, measures, false);
  }

  /// @param matchers the matchers that are still to be tested
  static EventStages of(Metric.Range range, List<Matcher> matchers, LabelMapping labels) {
    Split split = new Split(labels);
    range.lines().stages().forEach(split::add);
    Stage.Unwrap unwrap = range.unwrap();
    EventCondition.NumberLabel number = unwrap == null ? null : split.number(unwrap);
    boolean unwrapsLines = unwrap != null && number == null;
    if (!unwrapsLines) {
      range.afterUnwrap().forEach(split::add);
    }
    LogQuery same = new LogQuery(matchers, split.same);
    return new EventStages(split.tests, same, number, false, unwrapsLines);
  }

  /// Stages so far.
  private static final class Split {
    private final LabelMapping labels;
    private final List<EventCondition> tests = new ArrayList<>();
    private final List<Stage> same = new ArrayList<>();
    private final Set<String> changed =
        new LinkedHashSet<>(); // labels that may be not as they came

    Split(LabelMapping labels) {
      this.labels = labels;
    }

    void add(Stage stage) {
      Set<String> names = new LinkedHashSet<>();
      EventCondition test = null;
      if (stage instanceof Stage.LabelFilter(LabelCondition condition)) {
        condition.addNames(names);
        boolean asCame = names.stream().allMatch(this::isAsCame);
        test = asCame ? EventCondition.of(condition, labels) : null;
      }
      if (test != null) {
        tests.add(test);
      } else {
        same.add(stage);
        change(stage);
      }
    }

    EventCondition.@Nullable NumberLabel number(Stage.Unwrap unwrap) {
      return unwrap.conversion() == Stage.Conversion.NUMBER && isAsCame(unwrap.label())
          ? EventCondition.NumberLabel.of(unwrap.label(), labels)
          : null;
    }

    private boolean isAsCame(String label) {
      return !changed.contains(label) && !changed.contains(ANY);
    }

    /// Notes which labels a stage may change.
    private void change(Stage stage) {
      switch (stage) {
        case Stage.LineFilter _, Stage.LabelFilter _ -> {}
        case Stage.Drop(var names) -> names.forEach(name -> changed.add(name.name()));
        case Stage.LabelFormat(var assignments) ->
            assignments.forEach(assignment -> {
              changed.add(assignment.label());
              String from = assignment.from();
              if (from != null) {
                changed.add(from);
              }
            });
        default -> changed.add(ANY);
      }
    }
  }
}
