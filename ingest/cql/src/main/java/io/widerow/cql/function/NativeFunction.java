package io.widerow.cql.function;

import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Empty;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One of the functions that every statement knows, for arguments of these types. Others of the
/// same name may take other types.
///
/// - Threads: any; immutable.
///
/// @param name in lower case
/// @param ofNull whether it is asked for null and for values without bytes, too; else it makes null
///   of both
public record NativeFunction(
    String name, List<CqlType> arguments, CqlType result, boolean ofNull, Body body) {
  public NativeFunction {
    arguments = List.copyOf(arguments);
  }

  /// Its implementation.
  @FunctionalInterface
  public interface Body {
    /// @param values one for each argument
    /// @param now when the statement is executed
    @Nullable Object apply(@Nullable Object[] values, Instant now);
  }

  /// A function of one argument that makes null of null.
  static NativeFunction of(
      String name, CqlType argument, CqlType result, Function<Object, @Nullable Object> body) {
    return new NativeFunction(
        name,
        List.of(argument),
        result,
        false,
        (values, _) -> values[0] == null ? null : body.apply(values[0]));
  }

  /// The same under another name.
  NativeFunction as(String other) {
    return new NativeFunction(other, arguments, result, ofNull, body);
  }

  public @Nullable Object apply(@Nullable Object[] values, Instant now) {
    boolean some =
        ofNull || Arrays.stream(values).noneMatch(each -> each == null || each == Empty.VALUE);
    return some ? body.apply(values, now) : null;
  }

  @Override
  public String toString() {
    return signature(name, arguments, result);
  }

  /// As errors list it, such as `system.abs : (int) -> int`.
  public static String signature(String name, List<CqlType> arguments, CqlType result) {
    String types = String.join(", ", arguments.stream().map(CqlType::cql).toList());
    return "system.%s : (%s) -> %s".formatted(name, types, result.cql());
  }
}
