package io.widerow.cql.function;

import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Literals;
import io.widerow.cql.type.NativeType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.UUID;

/// The compatibility of an argument with the type that a function takes.
public enum TypeCompatibility {
  /// It has this type.
  EXACT,
  /// Its values, or their bytes, are values of the type.
  WEAK,
  NONE;

  /// The worse one.
  public TypeCompatibility and(TypeCompatibility other) {
    return compareTo(other) >= 0 ? this : other;
  }

  /// @param wanted by the function
  /// @param type of the argument
  public static TypeCompatibility of(CqlType wanted, CqlType type) {
    boolean frozenOnly = wanted.isMultiCell() && wanted.asFrozen().equals(type);
    if (wanted.equals(type) || frozenOnly) {
      return EXACT;
    }
    if (wanted == NativeType.BLOB) {
      return WEAK;
    }
    boolean alike =
        switch (wanted) {
          case NativeType simple -> type instanceof NativeType of && takesBytes(simple, of);
          case CqlType.ListOf list ->
              type instanceof CqlType.ListOf other && areAlike(list.element(), other.element());
          case CqlType.SetOf set ->
              type instanceof CqlType.SetOf other && areAlike(set.element(), other.element());
          case CqlType.MapOf map ->
              type instanceof CqlType.MapOf other
                  && areAlike(map.key(), other.key())
                  && areAlike(map.value(), other.value());
          case CqlType.TupleOf _, CqlType.UserType _, CqlType.VectorOf _ -> wanted.takes(type);
        };
    return alike && (wanted.isMultiCell() || !type.isMultiCell()) ? WEAK : NONE;
  }

  private static boolean areAlike(CqlType wanted, CqlType type) {
    return of(wanted, type) != NONE;
  }

  private static boolean takesBytes(NativeType wanted, NativeType type) {
    return switch (wanted) {
      case TEXT -> type == NativeType.ASCII;
      case UUID -> type == NativeType.TIMEUUID;
      case DATE -> type == NativeType.INT;
      case TIMESTAMP, TIME -> type == NativeType.BIGINT;
      case BIGINT -> type == NativeType.TIMESTAMP;
      case VARINT ->
          List.of(NativeType.INT, NativeType.BIGINT, NativeType.TIMESTAMP).contains(type);
      default -> false;
    };
  }

  /// @param kind of a constant
  public static TypeCompatibility of(CqlType wanted, Literals.Kind kind, String text) {
    if (wanted.equals(best(kind, text))) {
      return EXACT;
    }
    return wanted instanceof NativeType simple && Literals.suits(kind, simple) ? WEAK : NONE;
  }

  /// The type that suits a constant best: for a number the first of int, bigint and varint, or of
  /// double and decimal, that has it as it is written.
  public static NativeType best(Literals.Kind kind, String text) {
    return switch (kind) {
      case STRING -> text.chars().allMatch(c -> c < 0x80) ? NativeType.ASCII : NativeType.TEXT;
      case INTEGER -> {
        int bits = new BigInteger(text).bitLength();
        yield bits < Integer.SIZE
            ? NativeType.INT
            : bits < Long.SIZE ? NativeType.BIGINT : NativeType.VARINT;
      }
      case FLOAT -> isDouble(text) ? NativeType.DOUBLE : NativeType.DECIMAL;
      case BOOLEAN -> NativeType.BOOLEAN;
      case UUID -> UUID.fromString(text).version() == 1 ? NativeType.TIMEUUID : NativeType.UUID;
      case HEX -> NativeType.BLOB;
      case DURATION -> NativeType.DURATION;
    };
  }

  private static boolean isDouble(String text) {
    if (text.endsWith("y") || text.endsWith("Y") || text.endsWith("n") || text.endsWith("N")) {
      return true; // Infinity or NaN, in any case
    }
    double nearest = Double.parseDouble(text);
    return Double.isFinite(nearest)
        && BigDecimal.valueOf(nearest).compareTo(new BigDecimal(text)) == 0;
  }
}
