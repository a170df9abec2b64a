package io.widerow.cql.function;

import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import java.util.ArrayList;
import java.util.List;

/// Signatures of the functions of many rows, which are computed elsewhere.
final class Aggregates {
  private Aggregates() {}

  static List<NativeFunction> all() {
    List<NativeFunction> all = new ArrayList<>();
    all.add(function("count", NativeType.BLOB, NativeType.BIGINT));
    for (NativeType type : Maths.NUMBERS) {
      all.add(function("sum", type, type));
      all.add(function("avg", type, type));
    }
    return all;
  }

  static List<FunctionFactory> ofAnyType() {
    return List.of(ofAnyType("min"), ofAnyType("max"));
  }

  private static FunctionFactory ofAnyType(String name) {
    return new FunctionFactory(
        name,
        List.of(Parameter.ANY_OR_WANTED),
        types -> function(name, types.getFirst(), types.getFirst()));
  }

  private static NativeFunction function(String name, CqlType argument, CqlType result) {
    return new NativeFunction(
        name,
        List.of(argument),
        result,
        true,
        (_, _) -> {
          throw new IllegalStateException(name + " of one row");
        });
  }
}
