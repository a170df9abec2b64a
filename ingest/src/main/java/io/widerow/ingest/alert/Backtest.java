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
    boolean asks = false;
    for (RuleGroup group : file.groups()) {
      for (Rule rule : group.rules()) {
        if (!rule.isAlert()) {
          own.add(rule.name());
        }
        asks |=
            rule.annotations().values().stream().anyMatch(each -> each.text().contains("query"))
                || rule.labels().values().stream().anyMatch(each -> each.text().contains("query"));
      }
    }
    recorded = asks ? new RecordedSamples(own) : new RecordedSamples(own, readers(file));
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
    private GroupState state;
    private long next;

    Course(RuleGroup group, long fromMillis) {
      this.group = group;
      this.state = GroupState.of(group);
      this.next = group.last(fromMillis - 1) + group.intervalMillis();
    }
  }

  private static List<ExprParts> readers(RuleFile file) {
    List<ExprParts> readers = new ArrayList<>();
    for (RuleGroup group : file.groups()) {
      for (Rule rule : group.rules()) {
        if (rule.expr() instanceof RuleExpr.Promql(var _, var expr)) {
          readers.add(ExprParts.of(expr));
        }
      }
    }
    return readers;
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

  /// Makes evaluations again that were made, each over what had arrived.
  ///
  /// @param made in the order of time; those of groups that the file does not have are left out
  static void runAsSeen(
      RuleReader reader,
      RuleFile file,
      List<RuleStore.Made> made,
      GroupEvaluation.External external,
      Consumer<String> line) {
    try (RuleReader.Pass pass = reader.open()) {
      Backtest run = new Backtest(pass, file);
      Map<String, Course> courses = new HashMap<>();
      file.groups().forEach(group -> courses.put(group.name(), new Course(group, 0)));
      List<String> ofTime = new ArrayList<>();
      long time = Long.MIN_VALUE;
      for (RuleStore.Made each : made) {
        Course course = courses.get(each.group().substring(each.group().indexOf(';') + 1));
        if (course == null) {
          continue;
        }
        if (each.millis() != time) {
          flush(ofTime, line);
          time = each.millis();
        }
        RuleReader.Pass seen = pass.asOf(each.arrived());
        run.step(course, each.millis(), AlertEngine.results(seen), external, ofTime);
      }
      flush(ofTime, line);
    }
  }

  private void step(
      Course course,
      long millis,
      GroupEvaluation.Results results,
      GroupEvaluation.External external,
      List<String> lines) {
    GroupEvaluation.Outcome outcome =
        GroupEvaluation.run(course.group, course.state, millis, results, recorded, external);
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
        file.groups().stream().map(group -> new Course(group, fromMillis)).toList();
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
        return pass.evaluate(expr, millis, of);
      }

      @Override
      public List<RuleSample> ofTemplate(String text, long millis, RecordedSamples of) {
        return pass.query(text, millis, of);
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
