package io.widerow.query.logql;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Formats expressions as Loki does: a part of more than 100 bytes is split into lines, where each
/// level moves two blanks to the right, and a shorter part is one line of [LogqlText].
///
/// - Threads: one.
public final class LogqlPrinter {
  private static final int LINE_BYTES = 100;

  private final int lineBytes;
  private final StringBuilder text = new StringBuilder();

  private LogqlPrinter(int lineBytes) {
    this.lineBytes = lineBytes;
  }

  /// The expression in as many lines as it needs.
  public static String format(Expr expr) {
    return format(expr, LINE_BYTES);
  }

  /// @param lineBytes the longest part that is not split
  static String format(Expr expr, int lineBytes) {
    LogqlPrinter printer = new LogqlPrinter(lineBytes);
    printer.expr(expr, 0);
    return printer.text.toString();
  }

  private boolean fits(String line) {
    return line.getBytes(StandardCharsets.UTF_8).length <= lineBytes;
  }

  private LogqlPrinter line(int level, String line) {
    text.append("  ".repeat(level)).append(line);
    return this;
  }

  private void expr(Expr expr, int level) {
    String line = LogqlText.of(expr);
    if (fits(line)) {
      line(level, line);
      return;
    }
    switch (expr) {
      case LogQuery lines -> lines(lines, level);
      case Metric.Range range -> range(range, level);
      case Metric.Aggregate aggregate -> aggregate(aggregate, level);
      case Metric.LabelReplace replace -> replace(replace, level);
      case Metric.Binary binary -> binary(binary, level);
      case Metric.Literal _, Metric.VectorOf _ -> line(level, line);
    }
  }

  private void lines(LogQuery lines, int level) {
    line(level, LogqlText.selector(lines.matchers()));
    List<String> filters = new ArrayList<>();
    for (Stage stage : lines.stages()) {
      if (stage instanceof Stage.LineFilter filter) {
        filters.addAll(LogqlText.lineFilters(filter));
      } else {
        filters(filters, level + 1);
        filters.clear();
        newLine(level + 1, LogqlText.stage(stage));
      }
    }
    filters(filters, level + 1);
  }

  private void newLine(int level, String line) {
    text.append('\n');
    line(level, line);
  }

  /// Filters in a row: the first ones in one line as far as they fit, each other one in its own.
  private void filters(List<String> filters, int level) {
    StringBuilder first = new StringBuilder();
    boolean isFirst = true;
    for (String filter : filters) {
      String longer = first.isEmpty() ? filter : first + " " + filter;
      if (isFirst && (first.isEmpty() || fits(longer))) {
        first.setLength(0);
        first.append(longer);
        continue;
      }
      if (isFirst) {
        newLine(level, first.toString());
        isFirst = false;
      }
      newLine(level, filter);
    }
    if (isFirst && !first.isEmpty()) {
      newLine(level, first.toString());
    }
  }

  private void range(Metric.Range range, int level) {
    line(level, range.function().named() + "(\n");
    if (LogqlText.isOfQuantile(range)) {
      line(level + 1, LogqlText.number(range.parameter()) + ",\n");
    }
    expr(range.lines(), level + 1);
    Stage.Unwrap unwrap = range.unwrap();
    if (unwrap != null) {
      newLine(level + 2, LogqlText.stage(unwrap));
      range.afterUnwrap().forEach(stage -> newLine(level + 2, LogqlText.stage(stage)));
    }
    text.append(" [").append(GoDuration.ofPrometheus(range.rangeNanos())).append(']');
    long offset = range.offsetNanos();
    if (offset != 0) {
      text.append(" offset ").append(offset < 0 ? "-" : "");
      text.append(GoDuration.ofPrometheus(Math.abs(offset)));
    }
    newLine(level, ")" + LogqlText.grouping(range, ", "));
  }

  private void aggregate(Metric.Aggregate aggregate, int level) {
    line(level, aggregate.function().named() + LogqlText.grouping(aggregate, ", ") + "(\n");
    if (aggregate.function().takesParameter()) {
      line(level + 1, aggregate.parameter() + ",\n");
    }
    expr(aggregate.inner(), level + 1);
    newLine(level, ")");
  }

  private void replace(Metric.LabelReplace replace, int level) {
    line(level, "label_replace(\n");
    expr(replace.inner(), level + 1);
    for (String argument : LogqlText.texts(replace)) {
      text.append(",\n");
      line(level + 1, argument);
    }
    newLine(level, ")");
  }

  private void binary(Metric.Binary binary, int level) {
    side(binary.left(), binary.operator(), true, level + 1);
    newLine(level, LogqlText.operator(binary, ", ") + "\n");
    side(binary.right(), binary.operator(), false, level + 1);
  }

  private void side(Metric side, Metric.Operator operator, boolean isLeft, int level) {
    if (!needsBrackets(side, operator, isLeft)) {
      expr(side, level);
      return;
    }
    line(level, "(\n");
    expr(side, level + 1);
    newLine(level, ")");
  }

  private boolean needsBrackets(Metric side, Metric.Operator operator, boolean isLeft) {
    if (!(side instanceof Metric.Binary inner) || fits(LogqlText.of(side))) {
      return false; // one line has its own
    }
    boolean rightFirst = operator == Metric.Operator.POWER;
    int least = operator.tightness + (isLeft == rightFirst ? 1 : 0);
    return inner.operator().tightness < least;
  }
}
