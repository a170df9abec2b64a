package io.widerow.query.promql;

import io.widerow.query.logql.Matcher;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An expression of PromQL, with its place in the text.
///
/// - Threads: any; immutable.
public sealed interface PromqlExpr {
  /// The place in the text: offsets of the first character and of the one after the last.
  Place place();

  /// What it evaluates to.
  ValueType type();

  /// Offsets in the text, in characters.
  record Place(int from, int until) {
    Place to(Place last) {
      return new Place(from, last.until);
    }
  }

  /// The types of values.
  enum ValueType {
    SCALAR("scalar"),
    VECTOR("instant vector"),
    MATRIX("range vector"),
    STRING("string");

    /// As errors name it.
    public final String text;

    ValueType(String text) {
      this.text = text;
    }
  }

  /// A number.
  ///
  /// @param isDuration whether it was written as one, such as `5m`
  record NumberLiteral(double value, boolean isDuration, Place place) implements PromqlExpr {
    @Override
    public ValueType type() {
      return ValueType.SCALAR;
    }
  }

  /// A text.
  record TextLiteral(String text, Place place) implements PromqlExpr {
    @Override
    public ValueType type() {
      return ValueType.STRING;
    }
  }

  /// When the samples of a selector or subquery are taken, unless at the step.
  ///
  /// @param offset seconds before that, a constant expression; null for none
  /// @param at the fixed time; null for the step's
  record Timing(@Nullable PromqlExpr offset, @Nullable At at) {
    static final Timing NONE = new Timing(null, null);
  }

  /// A fixed time.
  sealed interface At {
    /// @param millis since the Unix epoch
    record Time(long millis) implements At {}

    /// The first time of the whole query.
    record Start() implements At {}

    /// The last time of the whole query.
    record End() implements At {}
  }

  /// The latest samples of series.
  ///
  /// @param matchers all, also that of the name
  record Selector(String name, List<Matcher> matchers, Timing timing, Place place)
      implements PromqlExpr {
    public Selector {
      matchers = List.copyOf(matchers);
    }

    @Override
    public ValueType type() {
      return ValueType.VECTOR;
    }
  }

  /// The samples of series in a window.
  ///
  /// @param range length of the window in seconds, a constant expression
  record Range(Selector of, PromqlExpr range, Place place) implements PromqlExpr {
    @Override
    public ValueType type() {
      return ValueType.MATRIX;
    }
  }

  /// The values of an expression at the multiples of a step in a window.
  ///
  /// @param range length of the window in seconds, a constant expression
  /// @param step in seconds, a constant expression; null for the default
  record Subquery(
      PromqlExpr of, PromqlExpr range, @Nullable PromqlExpr step, Timing timing, Place place)
      implements PromqlExpr {
    @Override
    public ValueType type() {
      return ValueType.MATRIX;
    }
  }

  /// A call of a function.
  record Call(PromqlFunction function, List<PromqlExpr> arguments, Place place)
      implements PromqlExpr {
    public Call {
      arguments = List.copyOf(arguments);
    }

    @Override
    public ValueType type() {
      return function.result;
    }
  }

  /// The operators over all series of a group.
  enum Aggregator {
    SUM,
    AVG,
    MIN,
    MAX,
    COUNT,
    GROUP,
    STDDEV,
    STDVAR,
    TOPK,
    BOTTOMK,
    QUANTILE,
    COUNT_VALUES;

    /// True when it has a parameter before the vector.
    public boolean hasParameter() {
      return this == TOPK || this == BOTTOMK || this == QUANTILE || this == COUNT_VALUES;
    }
  }

  /// An aggregation.
  ///
  /// @param parameter null without one
  /// @param without whether the labels are those that groups do not have
  record Aggregate(
      Aggregator operator,
      PromqlExpr of,
      @Nullable PromqlExpr parameter,
      List<String> labels,
      boolean without,
      Place place)
      implements PromqlExpr {
    public Aggregate {
      labels = List.copyOf(labels);
    }

    @Override
    public ValueType type() {
      return ValueType.VECTOR;
    }
  }

  /// The binary operators, with how strongly they bind.
  enum Operator {
    OR("or", 1),
    AND("and", 2),
    UNLESS("unless", 2),
    EQUAL("==", 3),
    NOT_EQUAL("!=", 3),
    LESS_OR_EQUAL("<=", 3),
    LESS("<", 3),
    GREATER_OR_EQUAL(">=", 3),
    GREATER(">", 3),
    TRIM_ABOVE("</", 3),
    TRIM_BELOW(">/", 3),
    ADD("+", 4),
    SUBTRACT("-", 4),
    MULTIPLY("*", 5),
    DIVIDE("/", 5),
    MODULO("%", 5),
    ATAN2("atan2", 5),
    POWER("^", 6);

    /// As it is written.
    public final String sign;

    final int strength;

    Operator(String sign, int strength) {
      this.sign = sign;
      this.strength = strength;
    }

    /// Whether it cuts values off histograms.
    public boolean isTrim() {
      return this == TRIM_ABOVE || this == TRIM_BELOW;
    }

    public boolean isSet() {
      return strength < 3;
    }

    public boolean isComparison() {
      return strength == 3;
    }
  }

  /// How many series of one side belong to one of the other.
  enum Cardinality {
    ONE_TO_ONE,
    MANY_TO_ONE,
    ONE_TO_MANY,
    MANY_TO_MANY
  }

  /// Which series of two sides belong together.
  ///
  /// @param on whether the labels are those that are compared, else the ignored ones
  /// @param include labels that are copied from the "one" side
  record Matching(Cardinality cardinality, boolean on, List<String> labels, List<String> include) {
    public Matching {
      labels = List.copyOf(labels);
      include = List.copyOf(include);
    }
  }

  /// A binary operation.
  ///
  /// @param bool whether a comparison yields 0 or 1 and does not filter
  /// @param matching null unless both sides are vectors
  record Binary(
      Operator operator,
      PromqlExpr left,
      PromqlExpr right,
      boolean bool,
      @Nullable Matching matching,
      Place place)
      implements PromqlExpr {
    @Override
    public ValueType type() {
      return left.type() == ValueType.SCALAR && right.type() == ValueType.SCALAR
          ? ValueType.SCALAR
          : ValueType.VECTOR;
    }
  }

  /// A sign in front.
  record Signed(boolean negative, PromqlExpr of, Place place) implements PromqlExpr {
    @Override
    public ValueType type() {
      return of.type();
    }
  }

  /// An expression in parentheses.
  record Parentheses(PromqlExpr of, Place place) implements PromqlExpr {
    @Override
    public ValueType type() {
      return of.type();
    }
  }

  /// The expression without parentheses around it.
  default PromqlExpr bare() {
    PromqlExpr bare = this;
    while (bare instanceof Parentheses(PromqlExpr of, Place _)) {
      bare = of;
    }
    return bare;
  }
}
