package io.widerow.query.logql;

import io.widerow.query.QueryException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Parses LogQL by recursive descent:
///
/// ```
/// expr   = unary { operator [ "bool" ] [ ("on" | "ignoring") labels ] unary }
/// unary  = [ "-" | "+" ] number | "(" expr ")" | "vector" "(" number ")" | range | series | log
/// series = name [ grouping ] "(" [ number "," ] expr ")" [ grouping ]
/// range  = name "(" [ number "," ] log "[" duration "]" [ "offset" duration ] ")" [ grouping ]
/// log    = selector { stage }
/// ```
///
/// The window of a range may also stand after its selector. Operators bind as in PromQL.
public final class LogqlParser {
  private static final int DEPTH_MAX = 64;

  private final LogqlLexer lexer;
  private final StageParser stages;
  private int depth;

  private LogqlParser(LogqlLexer lexer) {
    this.lexer = lexer;
    this.stages = new StageParser(lexer);
  }

  /// @throws QueryException.Refused with the line and the column of the part that is wrong or not
  ///   supported
  public static Expr parse(String text) {
    LogqlParser parser = new LogqlParser(new LogqlLexer(text));
    if (parser.lexer.atEnd()) {
      throw new QueryException.Refused("query", "parse error at line 1, col 1: it is empty");
    }
    Expr expr = parser.expr(0);
    if (!parser.lexer.atEnd()) {
      throw parser.lexer.wrong("expected an operator or the end");
    }
    return expr;
  }

  /// A selector without stages, such as `{app="x"}`; for endpoints that take only that, stages
  /// after it are parsed and left out.
  ///
  /// @throws QueryException.Refused when it is anything else
  public static List<Matcher> selector(String text) {
    if (parse(text) instanceof LogQuery query) {
      return query.matchers();
    }
    throw new QueryException.Refused("query", "not a selector: " + text);
  }

  private Expr expr(int tightnessMin) {
    if (depth == DEPTH_MAX) {
      throw lexer.wrong("nested deeper than " + DEPTH_MAX);
    }
    depth++;
    int start = lexer.position();
    Expr left = unary();
    for (Metric.Operator operator = operator();
        operator != null && operator.tightness > tightnessMin;
        operator = operator()) {
      int where = lexer.position();
      lexer.part();
      Metric first = metric(left, start);
      lexer.advance();
      boolean isBool = lexer.isName("bool");
      if (isBool && !operator.isComparison()) {
        throw lexer.wrong("bool is for comparisons");
      }
      boolean _ = lexer.takeName("bool");
      Metric.Labels on = matching();
      int second = lexer.position();
      boolean rightFirst = operator == Metric.Operator.POWER;
      Metric right = metric(expr(rightFirst ? operator.tightness - 1 : operator.tightness), second);
      left = binary(operator, isBool, on, first, right, where);
    }
    depth--;
    return left;
  }

  private Metric binary(
      Metric.Operator operator,
      boolean isBool,
      Metric.@Nullable Labels on,
      Metric left,
      Metric right,
      int where) {
    boolean numbers = isNumber(left) && isNumber(right);
    if (operator.isOfSets() && (isNumber(left) || isNumber(right))) {
      throw lexer.wrongAt(where, operator.sign + " needs series on both sides");
    }
    if (operator.isComparison() && numbers && !isBool) {
      throw lexer.wrongAt(where, "a comparison of two numbers needs bool");
    }
    return new Metric.Binary(operator, isBool, on, left, right);
  }

  /// True for what has one number and no series: `2 * 3`.
  private static boolean isNumber(Metric metric) {
    return metric instanceof Metric.Literal
        || (metric instanceof Metric.Binary both
            && isNumber(both.left())
            && isNumber(both.right()));
  }

  private Metric metric(Expr expr, int where) {
    if (expr instanceof Metric metric) {
      return metric;
    }
    throw lexer.wrongAt(where, "expected numbers such as count_over_time(...), found lines");
  }

  private Metric.@Nullable Operator operator() {
    if (lexer.kind() != LogqlLexer.Kind.SIGN && lexer.kind() != LogqlLexer.Kind.NAME) {
      return null;
    }
    for (Metric.Operator operator : Metric.Operator.values()) {
      if (operator.sign.equals(lexer.word())) {
        return operator;
      }
    }
    return null;
  }

  private Metric.@Nullable Labels matching() {
    boolean ignoring = lexer.isName("ignoring");
    if (!ignoring && !lexer.isName("on")) {
      return null;
    }
    lexer.advance();
    Metric.Labels on = new Metric.Labels(ignoring, names());
    if (lexer.isName("group_left") || lexer.isName("group_right")) {
      throw lexer.unsupported(lexer.position(), lexer.word());
    }
    return on;
  }

  private List<String> names() {
    lexer.expect("(");
    List<String> names = new ArrayList<>();
    while (!lexer.take(")")) {
      if (!names.isEmpty()) {
        lexer.expect(",");
      }
      lexer.part();
      names.add(lexer.name("the name of a label"));
    }
    return names;
  }

  private Expr unary() {
    if (lexer.isSign("{")) {
      return log();
    }
    if (lexer.take("(")) {
      Expr inner = expr(0);
      lexer.expect(")");
      return inner;
    }
    if (lexer.isSign("-") || lexer.isSign("+") || lexer.kind() == LogqlLexer.Kind.NUMBER) {
      return new Metric.Literal(number());
    }
    int where = lexer.position();
    String name = lexer.name("a selector {...}, a number or a function");
    if (name.equals("vector")) {
      lexer.expect("(");
      double value = number();
      lexer.expect(")");
      return new Metric.VectorOf(value);
    }
    String constant = name.toUpperCase(Locale.ROOT);
    boolean isLower = name.equals(name.toLowerCase(Locale.ROOT));
    for (Metric.RangeFunction function : Metric.RangeFunction.values()) {
      if (isLower && function.name().equals(constant)) {
        return range(function);
      }
    }
    for (Metric.SeriesFunction function : Metric.SeriesFunction.values()) {
      if (isLower && function.name().equals(constant)) {
        return series(function, where);
      }
    }
    throw lexer.unsupported(where, "the function " + name);
  }

  private double number() {
    boolean negative = lexer.take("-");
    boolean _ = !negative && lexer.take("+");
    Double value = lexer.kind() == LogqlLexer.Kind.NUMBER ? Units.number(lexer.word()) : null;
    if (value == null) {
      throw lexer.wrong("expected a number");
    }
    lexer.advance();
    return negative ? -value : value;
  }

  private Metric.@Nullable Labels grouping() {
    boolean without = lexer.isName("without");
    if (!without && !lexer.isName("by")) {
      return null;
    }
    lexer.advance();
    return new Metric.Labels(without, names());
  }

  private Metric series(Metric.SeriesFunction function, int where) {
    Metric.Labels grouping = grouping();
    lexer.expect("(");
    double parameter = 0;
    if (function.takesParameter()) {
      parameter = number();
      lexer.expect(",");
      if (!(parameter >= 1)) {
        throw lexer.wrongAt(where, "the number of series must be at least 1");
      }
    }
    int inner = lexer.position();
    Metric metric = metric(expr(0), inner);
    lexer.expect(")");
    if (isNumber(metric)) {
      throw lexer.wrongAt(inner, "expected series, found a number");
    }
    if (grouping == null) {
      grouping = grouping();
    }
    return new Metric.Aggregate(function, parameter, grouping, metric);
  }

  private LogQuery log() {
    List<Matcher> matchers = stages.selector();
    List<Stage> list = new ArrayList<>();
    while (stages.isStage()) {
      int where = lexer.position();
      Stage stage = stages.stage();
      if (stage instanceof Stage.Unwrap) {
        throw lexer.wrongAt(where, "unwrap is for functions such as sum_over_time(...)");
      }
      list.add(stage);
    }
    return new LogQuery(matchers, list);
  }

  private Metric range(Metric.RangeFunction function) {
    int where = lexer.position();
    lexer.expect("(");
    double parameter = 0;
    if (function == Metric.RangeFunction.QUANTILE_OVER_TIME) {
      parameter = number();
      lexer.expect(",");
    }
    Window window = new Window();
    int open = 0;
    while (lexer.take("(")) {
      open++;
    }
    window.lines(open);
    lexer.expect(")");
    Metric.Labels grouping = grouping();
    if (grouping != null && !function.takesGrouping()) {
      throw lexer.wrongAt(
          where,
          "%s takes no by or without: put sum by (...) around it".formatted(named(function)));
    }
    if (function.needsUnwrap() && window.unwrap == null) {
      throw lexer.wrongAt(where, named(function) + " needs a number: add | unwrap LABEL");
    }
    if (!function.takesUnwrap() && window.unwrap != null) {
      throw lexer.wrongAt(where, named(function) + " takes no unwrap");
    }
    if (window.rangeNanos <= 0) {
      throw lexer.wrongAt(where, named(function) + " needs a window such as [5m]");
    }
    return new Metric.Range(
        function,
        new LogQuery(window.matchers, window.before),
        window.unwrap,
        window.after,
        window.rangeNanos,
        window.offsetNanos,
        parameter,
        grouping);
  }

  private static String named(Metric.RangeFunction function) {
    return function.name().toLowerCase(Locale.ROOT);
  }

  /// The argument of a range function while it is parsed.
  private final class Window {
    private List<Matcher> matchers = List.of();
    private final List<Stage> before = new ArrayList<>();
    private final List<Stage> after = new ArrayList<>();
    private Stage.@Nullable Unwrap unwrap;
    private long rangeNanos;
    private long offsetNanos;

    /// @param open brackets around the lines
    void lines(int open) {
      matchers = stages.selector();
      int left = open;
      while (true) {
        int where = lexer.position();
        if (lexer.isSign("[")) {
          window(where);
        } else if (left > 0 && lexer.take(")")) {
          left--;
        } else if (stages.isStage()) {
          add(stages.stage(), where);
        } else {
          break;
        }
      }
      if (left > 0) {
        lexer.expect(")");
      }
    }

    private void window(int where) {
      if (rangeNanos > 0) {
        throw lexer.wrongAt(where, "a second window");
      }
      lexer.expect("[");
      rangeNanos = lexer.duration();
      lexer.expect("]");
      if (rangeNanos <= 0) {
        throw lexer.wrongAt(where, "the window must be longer than 0");
      }
      if (lexer.takeName("offset")) {
        boolean negative = lexer.take("-");
        offsetNanos = negative ? -lexer.duration() : lexer.duration();
      }
    }

    private void add(Stage stage, int where) {
      switch (stage) {
        case Stage.Unwrap first when unwrap == null -> unwrap = first;
        case Stage.Unwrap _ -> throw lexer.wrongAt(where, "a second unwrap");
        case Stage.LabelFilter filter when unwrap != null -> after.add(filter);
        case Stage other when unwrap == null -> before.add(other);
        default -> throw lexer.wrongAt(where, "only filters of labels may follow unwrap");
      }
    }
  }
}
