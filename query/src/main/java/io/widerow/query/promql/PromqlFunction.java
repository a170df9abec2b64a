package io.widerow.query.promql;

import static io.widerow.query.promql.PromqlExpr.ValueType.MATRIX;
import static io.widerow.query.promql.PromqlExpr.ValueType.SCALAR;
import static io.widerow.query.promql.PromqlExpr.ValueType.STRING;
import static io.widerow.query.promql.PromqlExpr.ValueType.VECTOR;

import io.widerow.query.promql.PromqlExpr.ValueType;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The functions of PromQL that are stable.
///
/// Source: prometheus/prometheus `docs/querying/functions.md`.
public enum PromqlFunction {
  ABS(VECTOR, VECTOR),
  ABSENT(VECTOR, VECTOR),
  ABSENT_OVER_TIME(VECTOR, MATRIX),
  ACOS(VECTOR, VECTOR),
  ACOSH(VECTOR, VECTOR),
  ASIN(VECTOR, VECTOR),
  ASINH(VECTOR, VECTOR),
  ATAN(VECTOR, VECTOR),
  ATANH(VECTOR, VECTOR),
  AVG_OVER_TIME(VECTOR, MATRIX),
  CEIL(VECTOR, VECTOR),
  CHANGES(VECTOR, MATRIX),
  CLAMP(VECTOR, VECTOR, SCALAR, SCALAR),
  CLAMP_MAX(VECTOR, VECTOR, SCALAR),
  CLAMP_MIN(VECTOR, VECTOR, SCALAR),
  COS(VECTOR, VECTOR),
  COSH(VECTOR, VECTOR),
  COUNT_OVER_TIME(VECTOR, MATRIX),
  DAYS_IN_MONTH(1, VECTOR, VECTOR),
  DAY_OF_MONTH(1, VECTOR, VECTOR),
  DAY_OF_WEEK(1, VECTOR, VECTOR),
  DAY_OF_YEAR(1, VECTOR, VECTOR),
  DEG(VECTOR, VECTOR),
  DELTA(VECTOR, MATRIX),
  DERIV(VECTOR, MATRIX),
  END(SCALAR),
  EXP(VECTOR, VECTOR),
  FIRST_OVER_TIME(VECTOR, MATRIX),
  FLOOR(VECTOR, VECTOR),
  HISTOGRAM_AVG(VECTOR, VECTOR),
  HISTOGRAM_COUNT(VECTOR, VECTOR),
  HISTOGRAM_FRACTION(VECTOR, SCALAR, SCALAR, VECTOR),
  HISTOGRAM_QUANTILE(VECTOR, SCALAR, VECTOR),
  HISTOGRAM_STDDEV(VECTOR, VECTOR),
  HISTOGRAM_STDVAR(VECTOR, VECTOR),
  HISTOGRAM_SUM(VECTOR, VECTOR),
  HOUR(1, VECTOR, VECTOR),
  IDELTA(VECTOR, MATRIX),
  INCREASE(VECTOR, MATRIX),
  IRATE(VECTOR, MATRIX),
  LABEL_JOIN(-1, VECTOR, VECTOR, STRING, STRING, STRING),
  LABEL_REPLACE(VECTOR, VECTOR, STRING, STRING, STRING, STRING),
  LAST_OVER_TIME(VECTOR, MATRIX),
  LN(VECTOR, VECTOR),
  LOG10(VECTOR, VECTOR),
  LOG2(VECTOR, VECTOR),
  MAX_OF(SCALAR, SCALAR, SCALAR),
  MAX_OVER_TIME(VECTOR, MATRIX),
  MINUTE(1, VECTOR, VECTOR),
  MIN_OF(SCALAR, SCALAR, SCALAR),
  MIN_OVER_TIME(VECTOR, MATRIX),
  MONTH(1, VECTOR, VECTOR),
  PI(SCALAR),
  PREDICT_LINEAR(VECTOR, MATRIX, SCALAR),
  PRESENT_OVER_TIME(VECTOR, MATRIX),
  QUANTILE_OVER_TIME(VECTOR, SCALAR, MATRIX),
  RAD(VECTOR, VECTOR),
  RANGE(SCALAR),
  RATE(VECTOR, MATRIX),
  RESETS(VECTOR, MATRIX),
  ROUND(1, VECTOR, VECTOR, SCALAR),
  SCALAR_OF("scalar", SCALAR, VECTOR),
  SGN(VECTOR, VECTOR),
  SIN(VECTOR, VECTOR),
  SINH(VECTOR, VECTOR),
  SORT(VECTOR, VECTOR),
  SORT_DESC(VECTOR, VECTOR),
  SQRT(VECTOR, VECTOR),
  START(SCALAR),
  STDDEV_OVER_TIME(VECTOR, MATRIX),
  STDVAR_OVER_TIME(VECTOR, MATRIX),
  STEP(SCALAR),
  SUM_OVER_TIME(VECTOR, MATRIX),
  TAN(VECTOR, VECTOR),
  TANH(VECTOR, VECTOR),
  TIME(SCALAR),
  TIMESTAMP(VECTOR, VECTOR),
  VECTOR_OF("vector", VECTOR, SCALAR),
  YEAR(1, VECTOR, VECTOR);

  /// Functions that Prometheus evaluates only when an operator asks for experiments.
  static final Set<String> EXPERIMENTAL =
      Set.of(
          "double_exponential_smoothing",
          "histogram_quantiles",
          "info",
          "mad_over_time",
          "sort_by_label",
          "sort_by_label_desc",
          "start_timestamp",
          "ts_of_first_over_time",
          "ts_of_last_over_time",
          "ts_of_max_over_time",
          "ts_of_min_over_time");

  private static final Map<String, PromqlFunction> BY_NAME =
      Stream.of(values()).collect(Collectors.toMap(each -> each.text, Function.identity()));

  /// Its name.
  public final String text;

  /// The type of its values.
  public final ValueType result;

  @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable
  final List<ValueType> arguments;

  /// How many of the arguments may be missing; negative: the last one may come any number of times,
  /// or not at all.
  final int optional;

  PromqlFunction(ValueType result, ValueType... arguments) {
    this(0, result, arguments);
  }

  PromqlFunction(String text, ValueType result, ValueType... arguments) {
    this.text = text;
    this.result = result;
    this.arguments = List.of(arguments);
    this.optional = 0;
  }

  PromqlFunction(int optional, ValueType result, ValueType... arguments) {
    this.text = name().toLowerCase(Locale.ROOT);
    this.result = result;
    this.arguments = List.of(arguments);
    this.optional = optional;
  }

  /// The function of a name; null when there is none.
  static @Nullable PromqlFunction of(String name) {
    return BY_NAME.get(name);
  }

  /// The type of an argument.
  ValueType argument(int index) {
    return arguments.get(Math.min(index, arguments.size() - 1));
  }

  /// True when it may be one of the parts of a duration.
  boolean isConstant() {
    return switch (this) {
      case STEP, RANGE, MIN_OF, MAX_OF -> true;
      default -> false;
    };
  }
}
