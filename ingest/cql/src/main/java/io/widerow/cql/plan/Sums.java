package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.function.Casts;
import io.widerow.cql.parse.Expression;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Arithmetic of numbers. Its type is the wider one of both sides; whole numbers are divided as
/// such, and wrap around.
final class Sums {
  private Sums() {}

  static Value compile(
      Compiler compiler, Expression.Arithmetic sum, @Nullable CqlType wanted, String name) {
    CqlType side = wanted instanceof NativeType simple && simple.isNumber() ? wanted : null;
    Value left = compiler.compile(sum.left(), typed(sum.left(), side), name);
    CqlType known = side == null && isConstant(sum.right()) ? left.type() : side;
    Value right = compiler.compile(sum.right(), typed(sum.right(), known), name);
    if (!(left.type() instanceof NativeType one && one.isNumber())
        || !(right.type() instanceof NativeType other && other.isNumber())) {
      throw CqlException.invalid(
          "the '%s' operation is not supported between %s and %s"
              .formatted(sum.operator(), sum.left(), sum.right()));
    }
    NativeType type = wider(one, other);
    return new Value.OfFunction(
        type,
        List.of(left, right),
        (values, _) ->
            values[0] instanceof Number first && values[1] instanceof Number second
                ? compute(sum.operator(), type, first, second)
                : null);
  }

  private static boolean isConstant(Expression expression) {
    return expression instanceof Expression.Constant || expression instanceof Expression.Marker;
  }

  /// A constant takes the type of the other side.
  private static @Nullable CqlType typed(Expression side, @Nullable CqlType type) {
    return isConstant(side) ? type : null;
  }

  private static NativeType wider(NativeType one, NativeType other) {
    if (one == NativeType.COUNTER || other == NativeType.COUNTER) {
      return wider(
          one == NativeType.COUNTER ? NativeType.BIGINT : one,
          other == NativeType.COUNTER ? NativeType.BIGINT : other);
    }
    if (one == other) {
      return one;
    }
    if (one == NativeType.DECIMAL || other == NativeType.DECIMAL) {
      return NativeType.DECIMAL;
    }
    if (one.isWhole() && other.isWhole()) {
      return rank(one) > rank(other) ? one : other;
    }
    if (one == NativeType.VARINT || other == NativeType.VARINT) {
      return NativeType.DECIMAL;
    }
    boolean small = rank(one.isWhole() ? one : other) <= rank(NativeType.INT);
    boolean isFloat = one != NativeType.DOUBLE && other != NativeType.DOUBLE;
    return isFloat && small ? NativeType.FLOAT : NativeType.DOUBLE;
  }

  private static int rank(NativeType type) {
    return switch (type) {
      case TINYINT -> 1;
      case SMALLINT -> 2;
      case INT -> 3;
      case BIGINT -> 4;
      case VARINT -> 5;
      default -> 0;
    };
  }

  private static Object compute(String operator, NativeType type, Number one, Number other) {
    try {
      if (type == NativeType.DOUBLE || type == NativeType.FLOAT) {
        double result = floating(operator, one.doubleValue(), other.doubleValue());
        return Casts.number(type, result);
      }
      BigDecimal left = Casts.decimal(one);
      BigDecimal right = Casts.decimal(other);
      return Casts.number(
          type,
          type == NativeType.DECIMAL
              ? decimal(operator, left, right)
              : whole(operator, left, right));
    } catch (ArithmeticException impossible) {
      throw CqlException.invalid(
          "the operation '%s %s %s' failed: %s"
              .formatted(one, operator, other, impossible.getMessage()));
    }
  }

  private static double floating(String operator, double one, double other) {
    return switch (operator) {
      case "+" -> one + other;
      case "-" -> one - other;
      case "*" -> one * other;
      case "/" -> one / other;
      default -> one % other;
    };
  }

  private static Number whole(String operator, BigDecimal left, BigDecimal right) {
    if (operator.equals("*")) {
      Casts.requireProduct(left, right);
    }
    BigInteger one = Casts.writable(left).toBigInteger();
    BigInteger other = Casts.writable(right).toBigInteger();
    return switch (operator) {
      case "+" -> one.add(other);
      case "-" -> one.subtract(other);
      case "*" -> one.multiply(other);
      case "/" -> one.divide(other);
      default -> one.remainder(other);
    };
  }

  private static Number decimal(String operator, BigDecimal one, BigDecimal other) {
    switch (operator) {
      case "*" -> Casts.requireProduct(one, other);
      case "/" -> {} // has 34 digits
      default -> Casts.requireSum(one, other);
    }
    return switch (operator) {
      case "+" -> one.add(other);
      case "-" -> one.subtract(other);
      case "*" -> one.multiply(other);
      case "/" -> one.divide(other, new MathContext(34, RoundingMode.HALF_UP));
      default -> one.remainder(other);
    };
  }
}
