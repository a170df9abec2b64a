package io.widerow.query.logql;

import com.google.re2j.Pattern;
import io.widerow.query.QueryException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Parses LogQL by recursive descent:
///
/// ```
/// expr   = unary { operator [ "bool" ] [ ("on" | "ignoring") labels [ group ] ] unary }
/// group  = ( "group_left" | "group_right" ) [ labels ]
/// unary  = [ "-" | "+" ] number | "(" expr ")" | "vector" "(" number ")" | range | series | log
///        | "label_replace" "(" expr { "," text } ")"
/// series = name [ grouping ] "(" [ number "," ] expr ")" [ grouping ]
/// range  = name "(" [ number "," ] log "[" duration "]" [ "offset" duration ] ")" [ grouping ]
/// log    = selector { stage }
/// ```
///
/// The window of a range may also stand after its selector. Operators bind as in PromQL.
public final class LogqlParser {
  private static final int DEPTH_MAX = 64;
  private static final int LEG_DIGITS = 6;

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
    if (text.isEmpty()) {
      throw parser.lexer.invalid("syntax error: unexpected $end");
    }
    Expr expr = parser.expr(0);
    if (!parser.lexer.atEnd()) {
      throw parser.lexer.wrong("");
    }
    return expr;
  }

  /// A selector without stages, such as `{app="x"}`; for endpoints that take only that, stages
  /// after it are parsed and left out.
  ///
  /// @throws QueryException.Refused when it is anything else
  public static List<Matcher> selector(String text) {
    if (parse(text) instanceof LogQuery query && query.stages().isEmpty()) {
      return query.matchers();
    }
    throw new QueryException.Refused("query", "only label matchers are supported, got " + text);
  }

  private Expr expr(int tightnessMin) {
    if (depth == DEPTH_MAX) {
      throw lexer.wrongAt(lexer.position(), "nested deeper than " + DEPTH_MAX);
    }
    depth++;
    Expr left = unary();
    for (Metric.Operator operator = operator();
        operator != null && operator.tightness > tightnessMin;
        operator = operator()) {
      lexer.part();
      lexer.advance();
      boolean isBool = lexer.takeName("bool");
      Metric.Labels on = matching();
      Metric.Many many = on == null ? null : many();
      boolean rightFirst = operator == Metric.Operator.POWER;
      Expr right = expr(rightFirst ? operator.tightness - 1 : operator.tightness);
      Metric first = side(operator, left, "left");
      Metric second = side(operator, right, "right");
      left = binary(operator, isBool, on, many, first, second);
    }
    depth--;
    return left;
  }

  private Metric side(Metric.Operator operator, Expr side, String leg) {
    return switch (side) {
      case LogQuery lines ->
          throw lexer.invalid(
              "unexpected type for %s leg of binary operation (%s): *syntax.%s"
                  .formatted(
                      leg,
                      operator.sign,
                      lines.stages().isEmpty() ? "MatchersExpr" : "PipelineExpr"));
      case Metric.Literal(double value) when operator.isOfSets() ->
          throw lexer.invalid(
              "unexpected literal for %s leg of logical/set binary operation (%s): %s"
                  .formatted(leg, operator.sign, GoFormat.fixed(value, LEG_DIGITS)));
      case Metric metric -> metric;
    };
  }

  /// An operation; of two numbers, its result.
  private static Metric binary(
      Metric.Operator operator,
      boolean isBool,
      Metric.@Nullable Labels on,
      Metric.@Nullable Many many,
      Metric left,
      Metric right) {
    if (left instanceof Metric.Literal(double one)
        && right instanceof Metric.Literal(double other)) {
      return new Metric.Literal(operator.number(one, other));
    }
    return new Metric.Binary(operator, isBool, on, many, left, right);
  }

  /// An expression that must be one of numbers: lines would need a window here.
  private Metric metric() {
    if (expr(0) instanceof Metric metric) {
      return metric;
    }
    throw lexer.wrong("");
  }

  private Metric.@Nullable Operator operator() {
    if (lexer.kind() != LogqlLexer.Kind.SIGN && lexer.kind() != LogqlLexer.Kind.NAME) {
      return null;
    }
    for (Metric.Operator operator : Metric.Operator.values()) {
      if (operator.sign.equalsIgnoreCase(lexer.word())) {
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
    return new Metric.Labels(ignoring, names());
  }

  private Metric.@Nullable Many many() {
    boolean left = lexer.isName("group_left");
    if (!left && !lexer.isName("group_right")) {
      return null;
    }
    lexer.advance();
    return new Metric.Many(left, lexer.isSign("(") && !isNested() ? names() : List.of());
  }

  /// True when a bracket starts the other side, and not labels: `group_left (rate(...))`.
  private boolean isNested() {
    return lexer.bracketNests();
  }

  private List<String> names() {
    lexer.expect("(");
    List<String> names = new ArrayList<>();
    while (!lexer.take(")")) {
      if (!names.isEmpty()) {
        lexer.expect(",");
      } else if (lexer.kind() != LogqlLexer.Kind.NAME || lexer.isCall()) {
        throw lexer.wrong("IDENTIFIER or )");
      }
      lexer.part();
      names.add(lexer.name());
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
      return new Metric.Literal(number(true));
    }
    if (lexer.kind() != LogqlLexer.Kind.NAME) {
      throw lexer.wrong("");
    }
    String name = lexer.word().toLowerCase(Locale.ROOT);
    Metric.RangeFunction range = Metric.RangeFunction.of(name);
    Metric.SeriesFunction series = Metric.SeriesFunction.of(name);
    boolean isKnown = range != null || series != null;
    if (!isKnown && !name.equals("vector") && !name.equals("label_replace")) {
      throw lexer.wrong("");
    }
    lexer.advance();
    if (range != null) {
      return range(range);
    }
    if (series != null) {
      return series(series);
    }
    return name.equals("vector") ? vector() : labelReplace();
  }

  private Metric vector() {
    lexer.expect("(");
    double value = number(false);
    lexer.expect(")");
    return new Metric.VectorOf(value);
  }

  private Metric labelReplace() {
    lexer.expect("(");
    Metric metric = metric();
    lexer.expect(",");
    String target = lexer.string();
    lexer.expect(",");
    String replacement = lexer.string();
    lexer.expect(",");
    String source = lexer.string();
    lexer.expect(",");
    Pattern regex = lexer.regex("invalid regex in label_replace: ");
    lexer.expect(")");
    if (!LogqlNames.isLabel(target)) {
      throw lexer.invalid("invalid label name in label_replace: " + target);
    }
    return new Metric.LabelReplace(metric, target, replacement, source, regex);
  }

  private double number(boolean signed) {
    boolean negative = signed && lexer.take("-");
    boolean _ = signed && !negative && lexer.take("+");
    Double value = lexer.kind() == LogqlLexer.Kind.NUMBER ? Units.number(lexer.word()) : null;
    if (value == null) {
      throw lexer.wrong("NUMBER");
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

  private Metric series(Metric.SeriesFunction function) {
    Metric.Labels grouping = grouping();
    lexer.expect("(");
    String parameter = "";
    if (lexer.kind() == LogqlLexer.Kind.NUMBER && lexer.isBefore(",")) {
      parameter = lexer.word();
      lexer.advance();
      lexer.expect(",");
    }
    int inner = lexer.position();
    Metric metric = metric();
    lexer.expect(")");
    if (grouping == null) {
      grouping = grouping();
    }
    long most = most(function, parameter);
    boolean grouped = grouping != null && !grouping.names().isEmpty();
    if (function == Metric.SeriesFunction.APPROX_TOPK && grouping != null) {
      throw lexer.invalid("grouping not allowed for approx_topk aggregation");
    }
    if (grouped && !function.takesParameter() && function.keepsSeries()) {
      throw lexer.invalid("sort and sort_desc doesn't allow grouping by ");
    }
    if (metric instanceof Metric.Literal) {
      throw lexer.wrongAt(inner, "syntax error: unexpected NUMBER, expecting series");
    }
    return new Metric.Aggregate(function, most, grouping, metric);
  }

  /// The number of series of `topk`; 0 for another function.
  private long most(Metric.SeriesFunction function, String parameter) {
    String name = function.named();
    if (!function.takesParameter()) {
      if (!parameter.isEmpty()) {
        throw lexer.invalid(
            "unsupported parameter for operation %s(%s,".formatted(name, parameter));
      }
      return 0;
    }
    if (parameter.isEmpty()) {
      throw lexer.invalid("parameter required for operation " + name);
    }
    if (!parameter.matches("\\d{1,18}")) {
      throw lexer.invalid("invalid parameter %s(%s,".formatted(name, parameter));
    }
    long most = Long.parseLong(parameter);
    if (most == 0) {
      throw lexer.invalid(
          "invalid parameter (must be greater than 0) %s(%s".formatted(name, parameter));
    }
    return most;
  }

  private LogQuery log() {
    List<Matcher> matchers = stages.selector();
    List<Stage> list = new ArrayList<>();
    while (stages.isStage()) {
      int where = lexer.position();
      Stage stage = stages.stage();
      if (stage instanceof Stage.Unwrap) {
        throw lexer.wrongAt(
            where, "syntax error: unexpected unwrap outside of a range aggregation");
      }
      list.add(stage);
    }
    return new LogQuery(matchers, list);
  }

  private Metric range(Metric.RangeFunction function) {
    lexer.expect("(");
    boolean needsParameter = function == Metric.RangeFunction.QUANTILE_OVER_TIME;
    double parameter = 0;
    if (lexer.kind() == LogqlLexer.Kind.NUMBER) {
      if (!needsParameter) {
        throw lexer.invalid(
            "parameter %s not supported for operation %s"
                .formatted(lexer.word(), function.named()));
      }
      parameter = number(false);
      lexer.expect(",");
    } else if (!lexer.isSign("{") && !lexer.isSign("(")) {
      throw lexer.wrong("NUMBER or { or (");
    } else if (needsParameter) {
      throw lexer.invalid("parameter required for operation " + function.named());
    }
    Window window = new Window();
    int open = 0;
    while (lexer.take("(")) {
      open++;
    }
    window.lines(open);
    if (window.rangeNanos <= 0) {
      throw lexer.wrong("RANGE");
    }
    lexer.expect(")");
    Metric.Labels grouping = grouping();
    if (grouping != null && !function.takesGrouping()) {
      throw lexer.invalid("grouping not allowed for %s aggregation".formatted(function.named()));
    }
    if (function.needsUnwrap() && window.unwrap == null) {
      throw lexer.invalid("invalid aggregation %s without unwrap".formatted(function.named()));
    }
    if (!function.takesUnwrap() && window.unwrap != null) {
      throw lexer.invalid("invalid aggregation %s with unwrap".formatted(function.named()));
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
        throw lexer.wrongAt(where, "syntax error: unexpected RANGE, a second one");
      }
      rangeNanos = lexer.range();
      if (rangeNanos <= 0) {
        throw lexer.wrongAt(where, "the range must be longer than 0, got [0s]");
      }
      if (lexer.takeName("offset")) {
        boolean negative = lexer.take("-");
        offsetNanos = negative ? -lexer.duration() : lexer.duration();
      }
    }

    private void add(Stage stage, int where) {
      switch (stage) {
        case Stage.Unwrap first when unwrap == null -> unwrap = first;
        case Stage.Unwrap _ ->
            throw lexer.wrongAt(where, "syntax error: unexpected unwrap, a second one");
        case Stage.LabelFilter filter when unwrap != null -> after.add(filter);
        case Stage other when unwrap == null -> before.add(other);
        default -> throw lexer.wrongAt(where, "syntax error: only label filters may follow unwrap");
      }
    }
  }
}
