package io.widerow.cql.function;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.type.NativeType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;

/// Functions of one number, whose result has its type. Whole numbers are computed as doubles and
/// cut to their type as Java does; a varint as a decimal.
final class Maths {
  /// The types of numbers.
  static final List<NativeType> NUMBERS =
      List.of(
          NativeType.TINYINT,
          NativeType.SMALLINT,
          NativeType.INT,
          NativeType.FLOAT,
          NativeType.BIGINT,
          NativeType.DOUBLE,
          NativeType.VARINT,
          NativeType.DECIMAL,
          NativeType.COUNTER);

  private Maths() {}

  static List<NativeFunction> all() {
    List<NativeFunction> all = new ArrayList<>();
    for (NativeType type : NUMBERS) {
      all.add(function("abs", type, Maths::abs));
      all.add(function("exp", type, number -> computed(number, Math::exp, Decimals::exp)));
      all.add(function("log", type, number -> computed(number, Math::log, Decimals::log)));
      all.add(function("log10", type, number -> computed(number, Math::log10, Decimals::log10)));
      all.add(function("round", type, Maths::round));
    }
    return all;
  }

  private static NativeFunction function(
      String name, NativeType type, UnaryOperator<Number> computation) {
    return NativeFunction.of(
        name,
        type,
        type,
        value -> {
          try {
            return Casts.number(type, computation.apply((Number) value));
          } catch (ArithmeticException impossible) {
            throw new CqlException(Code.SERVER, impossible.toString());
          }
        });
  }

  private static Number abs(Number value) {
    return switch (value) {
      case Double fraction -> Math.abs(fraction);
      case Float fraction -> Math.abs(fraction);
      case BigInteger whole -> whole.abs();
      case BigDecimal decimal -> decimal.abs();
      default -> Math.abs(value.longValue());
    };
  }

  private static Number round(Number value) {
    return switch (value) {
      case Double fraction -> Math.round(fraction);
      case Float fraction -> Math.round(fraction);
      case BigDecimal decimal -> Casts.writable(decimal).setScale(0, RoundingMode.HALF_UP);
      default -> value;
    };
  }

  private static Number computed(
      Number value, DoubleUnaryOperator ofDouble, UnaryOperator<BigDecimal> ofDecimal) {
    return switch (value) {
      case BigDecimal decimal -> ofDecimal.apply(decimal);
      case BigInteger whole -> ofDecimal.apply(new BigDecimal(whole));
      default -> ofDouble.applyAsDouble(value.doubleValue());
    };
  }
}
