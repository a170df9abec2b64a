package io.widerow.query.promql.run;

import io.widerow.query.promql.PromqlFunction;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.function.DoubleUnaryOperator;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// The functions that map each value by itself.
///
/// - Threads: any.
final class ElementFunctions {
  private static final double SECONDS_MAX = 3e16; // Instant has a few more

  private ElementFunctions() {}

  /// The function; null when it takes more than one value.
  static @Nullable DoubleUnaryOperator of(PromqlFunction function) {
    return switch (function) {
      case ABS -> Math::abs;
      case CEIL -> Math::ceil;
      case FLOOR -> Math::floor;
      case EXP -> Math::exp;
      case LN -> Math::log;
      case LOG2 -> x -> Math.log(x) / Math.log(2);
      case LOG10 -> Math::log10;
      case SQRT -> Math::sqrt;
      case SGN -> x -> x < 0 ? -1 : x > 0 ? 1 : x;
      case SIN -> Math::sin;
      case COS -> Math::cos;
      case TAN -> Math::tan;
      case ASIN -> Math::asin;
      case ACOS -> Math::acos;
      case ATAN -> Math::atan;
      case SINH -> Math::sinh;
      case COSH -> Math::cosh;
      case TANH -> Math::tanh;
      case ASINH -> x -> Double.isInfinite(x) ? x : Math.signum(x) * asinh(Math.abs(x));
      case ACOSH -> x -> Math.log(x + Math.sqrt(x * x - 1));
      case ATANH -> x -> 0.5 * Math.log((1 + x) / (1 - x));
      case DEG -> x -> x * 180 / Math.PI;
      case RAD -> x -> x * Math.PI / 180;
      case MINUTE -> date(OffsetDateTime::getMinute);
      case HOUR -> date(OffsetDateTime::getHour);
      case DAY_OF_WEEK -> date(date -> date.getDayOfWeek().getValue() % 7);
      case DAY_OF_MONTH -> date(OffsetDateTime::getDayOfMonth);
      case DAY_OF_YEAR -> date(OffsetDateTime::getDayOfYear);
      case DAYS_IN_MONTH -> date(date -> date.toLocalDate().lengthOfMonth());
      case MONTH -> date(OffsetDateTime::getMonthValue);
      case YEAR -> date(OffsetDateTime::getYear);
      default -> null;
    };
  }

  private static double asinh(double x) {
    return Math.log1p(x + x * x / (1 + Math.sqrt(x * x + 1)));
  }

  /// Of seconds since the Unix epoch, in UTC.
  private static DoubleUnaryOperator date(ToIntFunction<OffsetDateTime> part) {
    return seconds ->
        Math.abs(seconds) < SECONDS_MAX
            ? part.applyAsInt(Instant.ofEpochSecond((long) seconds).atOffset(ZoneOffset.UTC))
            : Double.NaN;
  }

  /// A function of a value and one or two numbers; [Row#NONE] when it drops the value.
  static double apply(PromqlFunction function, double value, double first, double second) {
    return switch (function) {
      case CLAMP -> first > second ? Row.NONE : clamp(value, first, second);
      case CLAMP_MIN -> clamp(value, first, Double.POSITIVE_INFINITY);
      case CLAMP_MAX -> clamp(value, Double.NEGATIVE_INFINITY, first);
      case ROUND -> round(value, first);
      default -> throw new IllegalArgumentException("no function of numbers: " + function);
    };
  }

  private static double clamp(double value, double least, double most) {
    return Double.isNaN(value) || Double.isNaN(least) || Double.isNaN(most)
        ? Double.NaN
        : Math.max(least, Math.min(most, value));
  }

  /// The nearest multiple; halves are rounded up.
  private static double round(double value, double nearest) {
    double inverse = 1 / nearest; // less error for multiples such as 0.1
    return Math.floor(value * inverse + 0.5) / inverse;
  }
}
