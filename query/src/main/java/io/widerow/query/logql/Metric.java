package io.widerow.query.logql;

import com.google.re2j.Pattern;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Numbers over time. A closed set.
///
/// - Threads: any; expressions are immutable.
public sealed interface Metric extends Expr {
  /// Hands over each function of lines in it.
  default void forEachRange(Consumer<Range> look) {
    switch (this) {
      case Literal _, VectorOf _ -> {}
      case Range range -> look.accept(range);
      case Aggregate aggregate -> aggregate.inner().forEachRange(look);
      case LabelReplace replace -> replace.inner().forEachRange(look);
      case Binary binary -> {
        binary.left().forEachRange(look);
        binary.right().forEachRange(look);
      }
    }
  }

  /// A number.
  record Literal(double value) implements Metric {}

  /// A vector of one sample without labels: `vector(1)`.
  record VectorOf(double value) implements Metric {}

  /// A function of the lines, or of their samples, of each window: `rate({app="x"}[5m])`.
  ///
  /// @param unwrap where the samples come from; null when lines or their bytes are counted
  /// @param rangeNanos width of the window that ends at a step
  /// @param offsetNanos how far the window is moved into the past; negative into the future
  /// @param parameter of a quantile; else 0
  /// @param grouping of the samples; null for the labels that lines have
  record Range(
      RangeFunction function,
      LogQuery lines,
      Stage.@Nullable Unwrap unwrap,
      List<Stage> afterUnwrap,
      long rangeNanos,
      long offsetNanos,
      double parameter,
      @Nullable Labels grouping)
      implements Metric {
    public Range {
      afterUnwrap = List.copyOf(afterUnwrap);
    }
  }

  /// An aggregation over series: `sum by (level) (...)`.
  ///
  /// @param parameter the number of series of `topk` and `bottomk`; else 0
  /// @param grouping null for a single group
  record Aggregate(SeriesFunction function, long parameter, @Nullable Labels grouping, Metric inner)
      implements Metric {}

  /// An operation on two numbers of equal labels.
  ///
  /// @param isBool a comparison gives 0 or 1 and keeps every sample
  /// @param on the labels that must be equal; null for all
  /// @param many the side that may have several series for one of the other; null for none
  record Binary(
      Operator operator,
      boolean isBool,
      @Nullable Labels on,
      @Nullable Many many,
      Metric left,
      Metric right)
      implements Metric {}

  /// A side with several series for one of the other: `group_left(owner)`.
  ///
  /// @param left true for the left side
  /// @param included labels that each series gets from the one of the other side
  record Many(boolean left, List<String> included) {
    public Many {
      included = List.copyOf(included);
    }
  }

  /// Sets a label of each series: `label_replace(..., "host", "$1", "instance", "(.*):.*")`.
  ///
  /// @param target the label that is set, and removed by an empty text
  /// @param replacement with `$1` for the first group of the expression
  /// @param source the label that the expression must match as a whole
  record LabelReplace(Metric inner, String target, String replacement, String source, Pattern regex)
      implements Metric {}

  /// Names of labels: these, or all but these.
  record Labels(boolean without, List<String> names) {
    public Labels {
      names = List.copyOf(names);
    }
  }

  /// Functions of the lines of a window.
  enum RangeFunction {
    COUNT_OVER_TIME,
    RATE,
    RATE_COUNTER,
    BYTES_OVER_TIME,
    BYTES_RATE,
    ABSENT_OVER_TIME,
    SUM_OVER_TIME,
    AVG_OVER_TIME,
    MIN_OVER_TIME,
    MAX_OVER_TIME,
    FIRST_OVER_TIME,
    LAST_OVER_TIME,
    STDDEV_OVER_TIME,
    STDVAR_OVER_TIME,
    QUANTILE_OVER_TIME;

    /// The function of a name in small letters; null for none.
    static @Nullable RangeFunction of(String name) {
      for (RangeFunction function : values()) {
        if (function.named().equals(name)) {
          return function;
        }
      }
      return null;
    }

    /// As it is written.
    public String named() {
      return name().toLowerCase(Locale.ROOT);
    }

    /// True when it needs samples of a label.
    public boolean needsUnwrap() {
      return switch (this) {
        case COUNT_OVER_TIME, RATE, BYTES_OVER_TIME, BYTES_RATE, ABSENT_OVER_TIME -> false;
        default -> true;
      };
    }

    /// True when it may have samples of a label.
    public boolean takesUnwrap() {
      return needsUnwrap() || this == RATE || this == ABSENT_OVER_TIME;
    }

    /// True when samples may be grouped before the function.
    public boolean takesGrouping() {
      return needsUnwrap() && this != SUM_OVER_TIME && this != RATE_COUNTER;
    }

    /// True for a function of the lengths of lines.
    public boolean isOfBytes() {
      return this == BYTES_OVER_TIME || this == BYTES_RATE;
    }

    /// True when the result of several groups is the sum of their results.
    public boolean isAdditive() {
      return switch (this) {
        case COUNT_OVER_TIME, RATE, BYTES_OVER_TIME, BYTES_RATE, SUM_OVER_TIME -> true;
        default -> false;
      };
    }
  }

  /// Functions of several series.
  enum SeriesFunction {
    SUM,
    AVG,
    MIN,
    MAX,
    COUNT,
    STDDEV,
    STDVAR,
    TOPK,
    APPROX_TOPK,
    BOTTOMK,
    SORT,
    SORT_DESC;

    /// The function of a name in small letters; null for none.
    static @Nullable SeriesFunction of(String name) {
      for (SeriesFunction function : values()) {
        if (function.named().equals(name)) {
          return function;
        }
      }
      return null;
    }

    /// As it is written.
    public String named() {
      return name().toLowerCase(Locale.ROOT);
    }

    /// True for those with a number before the series.
    public boolean takesParameter() {
      return this == TOPK || this == APPROX_TOPK || this == BOTTOMK;
    }

    /// True for aggregations that show series as they are.
    public boolean keepsSeries() {
      return takesParameter() || this == SORT || this == SORT_DESC;
    }
  }

  /// Operators, with how tightly they bind.
  enum Operator {
    OR("or", 1),
    AND("and", 2),
    UNLESS("unless", 2),
    EQUAL("==", 3),
    NOT_EQUAL("!=", 3),
    LESS("<", 3),
    LESS_OR_EQUAL("<=", 3),
    GREATER(">", 3),
    GREATER_OR_EQUAL(">=", 3),
    PLUS("+", 4),
    MINUS("-", 4),
    TIMES("*", 5),
    DIVIDED("/", 5),
    MODULO("%", 5),
    POWER("^", 6);

    /// As it is written.
    public final String sign;

    /// The greater, the tighter.
    public final int tightness;

    Operator(String sign, int tightness) {
      this.sign = sign;
      this.tightness = tightness;
    }

    public boolean isComparison() {
      return tightness == 3;
    }

    /// The result of two numbers: 1 or 0 for a comparison. NaN for a division by 0.
    public double number(double one, double other) {
      return switch (this) {
        case PLUS -> one + other;
        case MINUS -> one - other;
        case TIMES -> one * other;
        case DIVIDED -> other == 0 ? Double.NaN : one / other;
        case MODULO -> other == 0 ? Double.NaN : one % other;
        case POWER -> Math.pow(one, other);
        default -> holds(one, other) ? 1 : 0;
      };
    }

    /// True when a comparison holds for two numbers.
    public boolean holds(double one, double other) {
      return switch (this) {
        case EQUAL -> one == other;
        case NOT_EQUAL -> one != other;
        case LESS -> one < other;
        case LESS_OR_EQUAL -> one <= other;
        case GREATER -> one > other;
        case GREATER_OR_EQUAL -> one >= other;
        default -> throw new IllegalStateException(this + " compares nothing");
      };
    }

    /// True for operators that take whole samples of one side or the other.
    public boolean isOfSets() {
      return tightness < 3;
    }
  }
}
