package io.widerow.cql.function;

import io.widerow.cql.CqlException;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A parameter of a function that exists for many types.
enum Parameter {
  ANY("any"),
  /// A value of any type; if the type is unknown, it is the required type of the function's result.
  ANY_OR_WANTED("any"),
  SAME_AS_FIRST("any"),
  COLLECTION("collection"),
  SET_OR_LIST("numeric_set_or_list"),
  NUMERIC_SET_OR_LIST("numeric_set_or_list"),
  MAP("map"),
  FLOAT_VECTOR("vector<float, n>"),
  STRING("[text|varchar|ascii]"),
  INT("int"),
  TEXT("text"),
  OPTIONAL_TEXT("[text]");

  private final String shown;

  Parameter(String shown) {
    this.shown = shown;
  }

  boolean isOptional() {
    return this == OPTIONAL_TEXT;
  }

  /// The type of an argument; null when it is unknown.
  ///
  /// @param wanted type of the function's result; null when it is not known
  /// @param before types of the arguments before this one
  @Nullable CqlType infer(Argument argument, @Nullable CqlType wanted, List<CqlType> before) {
    CqlType own = argument.type();
    return switch (this) {
      case SAME_AS_FIRST -> before.getFirst();
      case ANY_OR_WANTED -> own == null ? wanted : own;
      case STRING, TEXT, OPTIONAL_TEXT -> own == null ? NativeType.TEXT : own;
      case INT -> own == null ? NativeType.INT : own;
      case FLOAT_VECTOR -> vector(argument, own, before);
      case ANY, COLLECTION, SET_OR_LIST, NUMERIC_SET_OR_LIST, MAP -> own;
    };
  }

  /// @throws CqlException when the function does not take the type
  void require(String function, Argument argument, CqlType type) {
    String wanted = null;
    switch (this) {
      case ANY, ANY_OR_WANTED, SAME_AS_FIRST -> {}
      case COLLECTION -> wanted = type.isCollection() ? null : "a collection argument";
      case SET_OR_LIST -> wanted = element(type) != null ? null : "a set or list argument";
      case NUMERIC_SET_OR_LIST ->
          wanted =
              element(type) instanceof NativeType simple && simple.isNumber()
                  ? null
                  : "a numeric set/list argument";
      case FLOAT_VECTOR -> wanted = isFloats(type) ? null : "a float vector argument";
      case MAP -> wanted = type instanceof CqlType.MapOf ? null : "a map argument";
      case STRING ->
          wanted =
              type instanceof NativeType simple && simple.isText()
                  ? null
                  : "an argument of type " + shown;
      case INT -> wanted = isOf(NativeType.INT, type) ? null : "an argument of type int";
      case TEXT, OPTIONAL_TEXT ->
          wanted = isOf(NativeType.TEXT, type) ? null : "an argument of type text";
    }
    if (wanted != null) {
      throw CqlException.invalid(
          "Function system.%s requires %s, but found argument %s of type %s"
              .formatted(function, wanted, argument, type.cql()));
    }
  }

  private static boolean isFloats(CqlType type) {
    return type instanceof CqlType.VectorOf(CqlType element, _) && element == NativeType.FLOAT;
  }

  /// A list that is written out is a vector of its size, null and a marker are as the first one.
  private static @Nullable CqlType vector(
      Argument argument, @Nullable CqlType own, List<CqlType> before) {
    if (own == null) {
      return before.isEmpty() ? null : before.getFirst();
    }
    int size = argument.size();
    CqlType vector = size > 0 ? new CqlType.VectorOf(NativeType.FLOAT, size) : own;
    return size > 0 && argument.fit(vector) == TypeCompatibility.NONE ? own : vector;
  }

  private static boolean isOf(NativeType wanted, CqlType type) {
    return TypeCompatibility.of(wanted, type) != TypeCompatibility.NONE;
  }

  /// The type of the elements of a set or a list; null for every other type.
  static @Nullable CqlType element(CqlType type) {
    return switch (type) {
      case CqlType.ListOf list -> list.element();
      case CqlType.SetOf set -> set.element();
      default -> null;
    };
  }

  @Override
  public String toString() {
    return shown;
  }
}
