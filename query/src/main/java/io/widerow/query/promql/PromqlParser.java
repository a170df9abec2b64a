package io.widerow.query.promql;

import io.widerow.query.logql.Matcher;
import io.widerow.query.promql.PromqlExpr.Aggregate;
import io.widerow.query.promql.PromqlExpr.Aggregator;
import io.widerow.query.promql.PromqlExpr.At;
import io.widerow.query.promql.PromqlExpr.Binary;
import io.widerow.query.promql.PromqlExpr.Call;
import io.widerow.query.promql.PromqlExpr.Cardinality;
import io.widerow.query.promql.PromqlExpr.Matching;
import io.widerow.query.promql.PromqlExpr.Operator;
import io.widerow.query.promql.PromqlExpr.Place;
import io.widerow.query.promql.PromqlExpr.Range;
import io.widerow.query.promql.PromqlExpr.Selector;
import io.widerow.query.promql.PromqlExpr.Subquery;
import io.widerow.query.promql.PromqlExpr.Timing;
import io.widerow.query.promql.PromqlExpr.ValueType;
import io.widerow.query.promql.PromqlLexer.Kind;
import io.widerow.query.promql.PromqlLexer.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Parses PromQL and checks the types of its parts.
///
/// Source: prometheus/prometheus `docs/querying/basics.md`, `operators.md`.
///
/// - Threads: one.
public final class PromqlParser extends SelectorParser {
  private static final int DEPTH_MAX = 64;

  private static final Set<String> SELECTING =
      Set.of("anchored", "smoothed", "limitk", "limit_ratio", "fill", "fill_left", "fill_right");

  private static final Set<String> MODIFIERS =
      Set.of("bool", "on", "ignoring", "group_left", "group_right");

  private static final Map<String, Operator> OPERATORS =
      Stream.of(Operator.values())
          .collect(Collectors.toMap(each -> each.sign, Function.identity()));

  private static final Map<String, Aggregator> AGGREGATORS =
      Stream.of(Aggregator.values())
          .collect(
              Collectors.toMap(each -> each.name().toLowerCase(Locale.ROOT), Function.identity()));

  private int depth;

  private PromqlParser(String text) {
    super(text);
  }

  /// @param parameter of the request that has the text, for errors
  /// @throws PromqlException with line, column and reason, as Prometheus words them
  public static PromqlExpr parse(String parameter, String text) {
    try {
      PromqlParser parser = new PromqlParser(text);
      if (parser.look().kind() == Kind.END) {
        throw PromqlException.ofRequest(
            "unknown position: parse error: no expression found in input");
      }
      PromqlExpr expr = parser.expression(0);
      if (parser.look().kind() != Kind.END) {
        throw parser.unexpected("");
      }
      return expr;
    } catch (PromqlException mistake) {
      throw PromqlException.ofRequest(
          "invalid parameter \"%s\": %s".formatted(parameter, mistake.getMessage()));
    }
  }

  /// The matchers of a selector, such as `up{job="x"}`.
  ///
  /// @param parameter of the request that has the text, for errors
  public static List<Matcher> matchers(String parameter, String text) {
    if (parse(parameter, text) instanceof Selector(var _, var matchers, Timing timing, var _)
        && timing.equals(Timing.NONE)) {
      return matchers;
    }
    throw PromqlException.ofRequest(
        "invalid parameter \"%s\": must be a selector, got %s".formatted(parameter, text));
  }

  private PromqlExpr expression(int strengthMin) {
    if (++depth > DEPTH_MAX) {
      throw error(look().place(), "nested more than %d deep".formatted(DEPTH_MAX));
    }
    PromqlExpr left = operand();
    while (true) {
      Operator operator = operator();
      if (operator == null || operator.strength <= strengthMin) {
        depth--;
        return left;
      }
      Token sign = take();
      left = binary(operator, sign, left);
    }
  }

  private @Nullable Operator operator() {
    Token token = look();
    return switch (token.kind()) {
      case SIGN -> OPERATORS.get(token.text());
      case NAME -> OPERATORS.get(token.text().toLowerCase(Locale.ROOT));
      default -> null;
    };
  }

  private PromqlExpr binary(Operator operator, Token sign, PromqlExpr left) {
    boolean bool = isWord(look(), "bool");
    if (bool) {
      take();
    }
    Matching matching = null;
    Token first = look();
    if (isWord(first, "on") || isWord(first, "ignoring")) {
      take();
      matching = matching(isWord(first, "on"));
    }
    refuseExperiment();
    // The right side of a power may be another power; of the others it binds more strongly.
    PromqlExpr right =
        expression(operator == Operator.POWER ? operator.strength - 1 : operator.strength);
    Place place = left.place().to(right.place());
    return checked(operator, sign, left, right, bool, matching, place);
  }

  private Matching matching(boolean on) {
    List<String> labels = labelNames();
    Cardinality cardinality = Cardinality.ONE_TO_ONE;
    List<String> include = List.of();
    boolean left = isWord(look(), "group_left");
    if (left || isWord(look(), "group_right")) {
      Token grouped = take();
      cardinality = left ? Cardinality.MANY_TO_ONE : Cardinality.ONE_TO_MANY;
      include = look().is("(") ? labelNames() : List.of();
      for (String label : include) {
        if (on && labels.contains(label)) {
          throw error(
              grouped.place(),
              "label \"%s\" must not occur in ON and GROUP clause at once".formatted(label));
        }
      }
    }
    return new Matching(cardinality, on, labels, include);
  }

  private PromqlExpr checked(
      Operator operator,
      Token sign,
      PromqlExpr left,
      PromqlExpr right,
      boolean bool,
      @Nullable Matching given,
      Place place) {
    boolean scalars = left.type() == ValueType.SCALAR && right.type() == ValueType.SCALAR;
    if (bool && (!operator.isComparison() || operator.isTrim())) {
      throw error(sign.place(), "bool modifier can only be used on comparison operators");
    }
    if (operator.isComparison() && !bool && scalars) {
      throw error(sign.place(), "comparisons between scalars must use BOOL modifier");
    }
    for (PromqlExpr side : List.of(left, right)) {
      if (side.type() != ValueType.SCALAR && side.type() != ValueType.VECTOR) {
        throw error(
            side.place(), "binary expression must contain only scalar and instant vector types");
      }
    }
    boolean vectors = left.type() == ValueType.VECTOR && right.type() == ValueType.VECTOR;
    if (!vectors) {
      if (given != null
          && (!given.labels().isEmpty() || given.cardinality() != Cardinality.ONE_TO_ONE)) {
        throw error(place, "vector matching only allowed between instant vectors");
      }
      if (operator.isSet()) {
        throw error(
            place,
            "set operator \"%s\" not allowed in binary scalar expression".formatted(operator.sign));
      }
      return new Binary(operator, left, right, bool, null, place);
    }
    Matching matching =
        given == null ? new Matching(Cardinality.ONE_TO_ONE, false, List.of(), List.of()) : given;
    if (operator.isSet()) {
      if (matching.cardinality() != Cardinality.ONE_TO_ONE) {
        throw error(place, "no grouping allowed for \"%s\" operation".formatted(operator.sign));
      }
      matching =
          new Matching(Cardinality.MANY_TO_MANY, matching.on(), matching.labels(), List.of());
    }
    return new Binary(operator, left, right, bool, matching, place);
  }

  private void refuseExperiment() {
    Token token = look();
    if (token.kind() == Kind.NAME && SELECTING.contains(token.text().toLowerCase(Locale.ROOT))) {
      Token after = look(1);
      if (after.is("(")
          || after.kind() == Kind.NAME
          || token.text().matches("(?i)anchored|smoothed")) {
        throw error(
            token.place(),
            "%s is experimental, and is not evaluated"
                .formatted(token.text().toLowerCase(Locale.ROOT)));
      }
    }
  }

  /// An operand with its signs and what follows it.
  private PromqlExpr operand() {
    Token first = look();
    if (first.is("-") || first.is("+")) {
      take();
      PromqlExpr of = expression(Operator.MULTIPLY.strength); // a power binds more strongly
      if (of.type() != ValueType.SCALAR && of.type() != ValueType.VECTOR) {
        throw error(
            first.place(),
            ("unary expression only allowed on expressions of type scalar or instant vector, got"
                    + " \"%s\"")
                .formatted(of.type().text));
      }
      Place place = first.place().to(of.place());
      return of instanceof PromqlExpr.NumberLiteral(double value, boolean isDuration, var _)
              && !isDuration
          ? new PromqlExpr.NumberLiteral(first.is("-") ? -value : value, false, place)
          : new PromqlExpr.Signed(first.is("-"), of, place);
    }
    PromqlExpr expr = primary();
    while (true) {
      if (look().is("[")) {
        expr = window(expr, first);
      } else if (isWord(look(), "offset")) {
        take();
        expr = shifted(expr, first, offset());
      } else if (look().is("@")) {
        take();
        expr = fixed(expr, first, at());
      } else {
        if (look().kind() == Kind.NAME
            && (isWord(look(), "anchored") || isWord(look(), "smoothed"))) {
          refuseExperiment();
        }
        return expr;
      }
    }
  }

  private PromqlExpr primary() {
    Token token = look();
    return switch (take().kind()) {
      case NUMBER -> new PromqlExpr.NumberLiteral(token.value(), false, token.place());
      case DURATION -> new PromqlExpr.NumberLiteral(token.value(), true, token.place());
      case TEXT -> new PromqlExpr.TextLiteral(token.text(), token.place());
      case NAME -> named(token);
      case SIGN -> {
        if (token.is("{")) {
          back();
          yield selector("", token);
        }
        if (!token.is("(")) {
          back();
          throw unexpected("");
        }
        PromqlExpr of = expression(0);
        expect(")", " in parenthesized expression");
        yield new PromqlExpr.Parentheses(of, since(token));
      }
      case END -> throw unexpected("");
    };
  }

  private PromqlExpr named(Token token) {
    String lower = token.text().toLowerCase(Locale.ROOT);
    boolean called = look().is("(");
    if (!called && (lower.equals("inf") || lower.equals("nan")) && !look().is("{")) {
      double value = lower.equals("inf") ? Double.POSITIVE_INFINITY : Double.NaN;
      return new PromqlExpr.NumberLiteral(value, false, token.place());
    }
    Aggregator aggregator = AGGREGATORS.get(lower);
    if (aggregator != null && (called || isWord(look(), "by") || isWord(look(), "without"))) {
      return aggregate(aggregator, token);
    }
    if (called && (lower.equals("limitk") || lower.equals("limit_ratio"))) {
      throw error(token.place(), lower + "() is experimental, and is not evaluated");
    }
    if (called) {
      return call(token);
    }
    if (MODIFIERS.contains(lower) && !look().is("{")) {
      back();
      throw unexpected("");
    }
    return selector(token.text(), token);
  }

  private PromqlExpr call(Token name) {
    PromqlFunction function = PromqlFunction.of(name.text().toLowerCase(Locale.ROOT));
    if (function == null || (!function.text.equals(name.text()) && !function.isConstant())) {
      throw error(
          name.place(),
          PromqlFunction.EXPERIMENTAL.contains(name.text())
              ? name.text() + "() is experimental, and is not evaluated"
              : "unknown function with name \"%s\"".formatted(name.text()));
    }
    List<PromqlExpr> arguments = arguments();
    Place place = since(name);
    int most = function.arguments.size();
    if (function.optional == 0 && arguments.size() != most) {
      throw error(place, count("expected %d", most, function, arguments));
    }
    int least = most - Math.abs(function.optional);
    if (arguments.size() < least) {
      throw error(place, count("expected at least %d", least, function, arguments));
    }
    if (function.optional > 0 && arguments.size() > most) {
      throw error(place, count("expected at most %d", most, function, arguments));
    }
    for (int i = 0; i < arguments.size(); i++) {
      ValueType wanted = function.argument(i);
      if (arguments.get(i).type() != wanted) {
        throw error(
            arguments.get(i).place(),
            "expected type %s in call to function \"%s\", got %s"
                .formatted(wanted.text, function.text, arguments.get(i).type().text));
      }
    }
    return new Call(function, arguments, place);
  }

  private static String count(
      String expected, int number, PromqlFunction function, List<PromqlExpr> given) {
    return (expected + " argument(s) in call to \"%s\", got %d")
        .formatted(number, function.text, given.size());
  }

  private List<PromqlExpr> arguments() {
    expect("(", "");
    List<PromqlExpr> arguments = new ArrayList<>();
    if (takes(")")) {
      return arguments;
    }
    do {
      if (look().is(")") && !arguments.isEmpty()) {
        throw error(look().place(), "trailing commas not allowed in function call args");
      }
      arguments.add(expression(0));
    } while (takes(","));
    expect(")", " in function call");
    return arguments;
  }

  private PromqlExpr aggregate(Aggregator operator, Token name) {
    boolean without = false;
    List<String> labels = List.of();
    boolean grouped = !look().is("(");
    if (grouped) {
      without = isWord(take(), "without");
      labels = labelNames();
    }
    List<PromqlExpr> arguments = arguments();
    if (!grouped && (isWord(look(), "by") || isWord(look(), "without"))) {
      without = isWord(take(), "without");
      labels = labelNames();
    }
    Place place = since(name);
    int wanted = operator.hasParameter() ? 2 : 1;
    if (arguments.isEmpty()) {
      throw error(place, "no arguments for aggregate expression provided");
    }
    if (arguments.size() != wanted) {
      throw error(
          place,
          "wrong number of arguments for aggregate expression provided, expected %d, got %d"
              .formatted(wanted, arguments.size()));
    }
    PromqlExpr of = arguments.getLast();
    requireType(ValueType.VECTOR, of, "aggregation expression");
    PromqlExpr parameter = wanted == 2 ? arguments.getFirst() : null;
    if (parameter != null) {
      ValueType type = operator == Aggregator.COUNT_VALUES ? ValueType.STRING : ValueType.SCALAR;
      requireType(type, parameter, "aggregation parameter");
    }
    return new Aggregate(operator, of, parameter, labels, without, place);
  }

  private void requireType(ValueType wanted, PromqlExpr expr, String where) {
    if (expr.type() != wanted) {
      throw error(
          expr.place(),
          "expected type %s in %s, got %s".formatted(wanted.text, where, expr.type().text));
    }
  }

  private List<String> labelNames() {
    expect("(", " in grouping opts");
    List<String> names = new ArrayList<>();
    while (!takes(")")) {
      Token name = look();
      if (name.kind() != Kind.NAME && name.kind() != Kind.TEXT) {
        throw unexpected(" in grouping opts, expected label");
      }
      names.add(take().text());
      if (!takes(",") && !look().is(")")) {
        throw unexpected(" in grouping opts, expected \",\" or \")\"");
      }
    }
    return names;
  }

  private PromqlExpr window(PromqlExpr expr, Token first) {
    Token bracket = take();
    PromqlExpr range = look().is(":") ? null : constant(expression(0));
    if (range == null) {
      throw unexpected(" in subquery selector, expected number, duration, step(), or range()");
    }
    requirePositive(range);
    if (takes(":")) {
      PromqlExpr step = look().is("]") ? null : constant(expression(0));
      if (step != null) {
        requirePositive(step);
      }
      expect("]", " in subquery selector");
      if (expr.type() != ValueType.VECTOR) {
        throw error(
            since(first),
            "subquery is only allowed on instant vector, got %s instead"
                .formatted(expr.type().text));
      }
      return new Subquery(expr, range, step, Timing.NONE, since(first));
    }
    expect("]", " in matrix selector");
    if (!(expr instanceof Selector selector)) {
      throw error(bracket.place(), "ranges only allowed for vector selectors");
    }
    if (selector.timing().offset() != null) {
      throw error(bracket.place(), "no offset modifiers allowed before range");
    }
    if (selector.timing().at() != null) {
      throw error(bracket.place(), "no @ modifiers allowed before range");
    }
    return new Range(selector, range, since(first));
  }

  /// A number that is the same for all steps of a query.
  private PromqlExpr constant(PromqlExpr expr) {
    if (!isConstant(expr)) {
      throw error(
          expr.place(), "a duration must be made of numbers, durations, step() and range()");
    }
    return expr;
  }

  private static boolean isConstant(PromqlExpr expr) {
    return switch (expr) {
      case PromqlExpr.NumberLiteral _ -> true;
      case PromqlExpr.Parentheses(var of, var _) -> isConstant(of);
      case PromqlExpr.Signed(var _, var of, var _) -> isConstant(of);
      case Binary binary ->
          !binary.operator().isComparison()
              && isConstant(binary.left())
              && isConstant(binary.right());
      case Call(var function, var arguments, var _) ->
          function.isConstant() && arguments.stream().allMatch(PromqlParser::isConstant);
      default -> false;
    };
  }

  private void requirePositive(PromqlExpr duration) {
    if (duration.bare() instanceof PromqlExpr.NumberLiteral(double value, var _, var _)
        && !(value > 0)) {
      throw error(duration.place(), "duration must be greater than 0");
    }
  }

  private PromqlExpr offset() {
    Token sign = look();
    if (sign.is("-") || sign.is("+")) {
      take();
      PromqlExpr of = offset();
      return new PromqlExpr.Signed(sign.is("-"), of, sign.place().to(of.place()));
    }
    if (look().kind() == Kind.NUMBER
        || look().kind() == Kind.DURATION
        || look().is("(")
        || look(1).is("(")) {
      return constant(primary());
    }
    throw unexpected(" in offset, expected number, duration, step(), or range()");
  }

  private At at() {
    Token first = look();
    boolean negative = false;
    while (look().is("-") || look().is("+")) {
      negative ^= take().is("-");
    }
    Token token = take();
    if (token.kind() == Kind.NUMBER || token.kind() == Kind.DURATION || isNumber(token)) {
      double seconds = isNumber(token) ? Double.NaN : negative ? -token.value() : token.value();
      if (!(Math.abs(seconds) * 1e3 < Long.MAX_VALUE)) {
        throw error(first.place(), "timestamp out of bounds for @ modifier: " + token.text());
      }
      return new At.Time(Math.round(seconds * 1e3));
    }
    boolean isStart = isWord(token, "start");
    if (!negative && (isStart || isWord(token, "end")) && look().is("(")) {
      take();
      expect(")", " in @");
      return isStart ? new At.Start() : new At.End();
    }
    back();
    throw unexpected(" in @, expected timestamp");
  }

  private boolean isNumber(Token token) {
    return isWord(token, "inf") || isWord(token, "nan");
  }

  private PromqlExpr shifted(PromqlExpr expr, Token first, PromqlExpr offset) {
    Timing timing = timing(expr, first, "offset modifier");
    if (timing.offset() != null) {
      throw error(first.place(), "offset may not be set multiple times");
    }
    return timed(expr, new Timing(offset, timing.at()), first);
  }

  private PromqlExpr fixed(PromqlExpr expr, Token first, At at) {
    Timing timing = timing(expr, first, "@ modifier");
    if (timing.at() != null) {
      throw error(first.place(), "@ <timestamp> may not be set multiple times");
    }
    return timed(expr, new Timing(timing.offset(), at), first);
  }

  private Timing timing(PromqlExpr expr, Token first, String what) {
    return switch (expr) {
      case Selector selector -> selector.timing();
      case Range range -> range.of().timing();
      case Subquery subquery -> subquery.timing();
      default ->
          throw error(
              first.place(),
              what
                  + " must be preceded by an instant vector selector or range vector selector or a"
                  + " subquery");
    };
  }

  private PromqlExpr timed(PromqlExpr expr, Timing timing, Token first) {
    Place place = since(first);
    return switch (expr) {
      case Selector(var name, var matchers, var _, var _) ->
          new Selector(name, matchers, timing, place);
      case Range(var of, var range, var _) ->
          new Range(new Selector(of.name(), of.matchers(), timing, of.place()), range, place);
      case Subquery(var of, var range, var step, var _, var _) ->
          new Subquery(of, range, step, timing, place);
      default -> throw new IllegalStateException("no samples: " + expr);
    };
  }
}
