package io.widerow.ingest.alert;

import io.widerow.query.QueryException;
import io.widerow.query.promql.PromqlException;
import io.widerow.query.promql.run.StepTimes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The evaluations of a rule file over the past, with the code of the live ones. Recorded series
/// come from the run itself. An expression that reads none of them is evaluated at many times at
/// once, which has the results of single evaluations.
///
/// - Threads: one.
final class Backtest {
  private static final int BLOCK = 500; // times at once

  private final RuleReader.Pass pass;
  private final Set<String> own;
  private final RecordedSamples recorded;
  private final Map<String, Block> blocks = new HashMap<>(); // by interval and expression

  private Backtest(RuleReader.Pass pass, RuleFile file) {
    this.pass = pass;
    own = new TreeSet<>(Set.of(GroupEvaluation.ALERTS, GroupEvaluation.FOR_STATE));
    file.groups().forEach(group -> own.addAll(new OwnSamples(group, 0).metrics()));
    recorded = recorded(own, file.groups());
  }

  /// For samples that the expressions of groups read, or all where templates have expressions.
  private static RecordedSamples recorded(Set<String> own, List<RuleGroup> groups) {
    List<ExprParts> readers = new ArrayList<>();
    for (RuleGroup group : groups) {
      for (Rule rule : group.rules()) {
        boolean asks =
            Stream.of(rule.annotations(), rule.labels())
                .flatMap(texts -> texts.values().stream())
                .anyMatch(each -> each.text().contains("query"));
        if (asks) {
          return new RecordedSamples(own);
        }
        if (rule.expr() instanceof RuleExpr.Promql(var _, var expr)) {
          readers.add(ExprParts.of(expr));
        }
      }
    }
    return new RecordedSamples(own, readers);
  }

  /// The results of an expression at successive times.
  private record Block(long fromMillis, long stepMillis, List<List<RuleSample>> results) {
    @Nullable List<RuleSample> at(long millis) {
      long step = Math.floorDiv(millis - fromMillis, stepMillis);
      return step < 0 || step >= results.size() || fromMillis + step * stepMillis != millis
          ? null
          : results.get((int) step);
    }
  }

  /// A group during the run.
  private static final class Course {
    private final RuleGroup group;
    private final RecordedSamples recorded;
    private GroupState state;
    private long next;

    Course(RuleGroup group, GroupState state, RecordedSamples recorded, long fromMillis) {
      this.group = group;
      this.state = state;
      this.recorded = recorded;
      this.next = group.last(fromMillis - 1) + group.intervalMillis();
    }
  }

  /// @param fromMillis first time
  /// @param untilMillis last time
  /// @param line gets each change, in the order of time
  static void run(
      RuleReader reader,
      RuleFile file,
      long fromMillis,
      long untilMillis,
      GroupEvaluation.External external,
      Consumer<String> line) {
    try (RuleReader.Pass pass = reader.open()) {
      new Backtest(pass, file).run(file, fromMillis, untilMillis, external, line);
    }
  }

  /// Makes evaluations again that were made, each over what had arrived. A group begins with the
  /// state that it had.
  ///
  /// @param fromMillis first time
  /// @param untilMillis last time
  static void runAsSeen(
      RuleReader reader,
      RuleStore store,
      RuleFile file,
      long fromMillis,
      long untilMillis,
      GroupEvaluation.External external,
      Consumer<String> line) {
    Map<String, @Nullable Course> courses = new HashMap<>();
    List<String> ofTime = new ArrayList<>();
    long time = Long.MIN_VALUE;
    try (RuleReader.Pass pass = reader.open()) {
      for (RuleStore.Made each : store.made(fromMillis, untilMillis)) {
        if (!courses.containsKey(each.group())) {
          courses.put(each.group(), course(store, pass, file, each));
        }
        Course course = courses.get(each.group());
        if (course == null) {
          continue;
        }
        if (each.millis() != time) {
          flush(ofTime, line);
          time = each.millis();
        }
        step(course, each.millis(), pass.before(each.arrived()), external, ofTime);
      }
      flush(ofTime, line);
    }
  }

  /// The course of a group whose evaluations are made again; null when the file does not have it.
  /// It reads the samples of its own run, and those that other groups have recorded.
  private static @Nullable Course course(
      RuleStore store, RuleReader.Pass pass, RuleFile file, RuleStore.Made first) {
    int end = first.group().indexOf(';');
    String name = first.group().substring(end + 1);
    for (RuleGroup each : file.groups()) {
      if (each.name().equals(name)) {
        RuleGroup group = each.inFile(first.group().substring(0, end));
        GroupState before = store.restore(pass.view(), group, first.millis() - 1);
        RecordedSamples recorded =
            recorded(Set.of(), List.of(group)).hiding(new OwnSamples(group, first.millis()));
        return new Course(group, before == null ? GroupState.of(group) : before, recorded, 0);
      }
    }
    return null;
  }

  private static void step(
      Course course,
      long millis,
      GroupEvaluation.Results results,
      GroupEvaluation.External external,
      List<String> lines) {
    GroupEvaluation.Outcome outcome =
        GroupEvaluation.run(
            course.group, course.state, millis, "", results, course.recorded, external);
    outcome.transitions().forEach(each -> lines.add(AlertJson.line(each)));
    course.state = outcome.after();
  }

  private void run(
      RuleFile file,
      long fromMillis,
      long untilMillis,
      GroupEvaluation.External external,
      Consumer<String> line) {
    List<Course> courses =
        file.groups().stream()
            .map(group -> new Course(group, GroupState.of(group), recorded, fromMillis))
            .toList();
    List<String> ofTime = new ArrayList<>();
    long time = Long.MIN_VALUE;
    while (true) {
      Course course = null;
      for (Course each : courses) {
        course = course == null || each.next < course.next ? each : course;
      }
      if (course == null || course.next > untilMillis) {
        flush(ofTime, line);
        return;
      }
      if (course.next != time) {
        flush(ofTime, line);
        time = course.next;
      }
      step(course, course.next, results(course.group, untilMillis), external, ofTime);
      course.next += course.group.intervalMillis();
    }
  }

  /// The lines of one time are in the order of their text, as those of the history.
  private static void flush(List<String> lines, Consumer<String> line) {
    lines.sort(null);
    lines.forEach(line);
    lines.clear();
  }

  private GroupEvaluation.Results results(RuleGroup group, long untilMillis) {
    return new GroupEvaluation.Results() {
      @Override
      public List<RuleSample> of(RuleExpr expr, long millis, RecordedSamples of) {
        if (expr instanceof RuleExpr.Promql promql) {
          List<RuleSample> known = block(group, promql, millis, untilMillis);
          if (known != null) {
            return known;
          }
        }
        return pass.of(expr, millis, of);
      }

      @Override
      public List<RuleSample> ofTemplate(String text, long millis, RecordedSamples of) {
        return pass.ofTemplate(text, millis, of);
      }
    };
  }

  private @Nullable List<RuleSample> block(
      RuleGroup group, RuleExpr.Promql expr, long millis, long untilMillis) {
    String key = "%d %d %s".formatted(group.intervalMillis(), group.phaseMillis(), expr.text());
    Block block = blocks.get(key);
    List<RuleSample> known = block == null ? null : block.at(millis);
    if (known != null) {
      return known;
    }
    ExprParts parts = ExprParts.of(expr.expr());
    long step = group.intervalMillis();
    long count = Math.min(BLOCK, (untilMillis - group.offsetMillis() - millis) / step + 1);
    if (count < 2 || parts.isOfQuery() || parts.mayRead(own)) {
      return null;
    }
    try {
      List<List<RuleSample>> results =
          pass.promql(expr.text(), expr.expr(), new StepTimes(millis, step, (int) count), recorded);
      blocks.put(key, new Block(millis, step, results));
      return results.getFirst();
    } catch (PromqlException | QueryException.OverBudget _) {
      return null; // one of the times has no result, or all together are too much
    }
  }
}
