package io.widerow.cql.function;

import io.widerow.cql.CqlException;
import io.widerow.cql.type.CqlType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A function that is there for many types: the one for the types of a call.
///
/// @param maker makes the function for the types of its arguments
record FunctionFactory(
    String name, List<Parameter> parameters, Function<List<CqlType>, NativeFunction> maker) {
  FunctionFactory {
    parameters = List.copyOf(parameters);
  }

  /// @param wanted type of the result; null when it is not known
  /// @throws CqlException when there is none for these arguments
  NativeFunction of(List<? extends Argument> arguments, @Nullable CqlType wanted) {
    long least = parameters.stream().filter(parameter -> !parameter.isOptional()).count();
    if (arguments.size() < least || arguments.size() > parameters.size()) {
      throw CqlException.invalid("Invalid number of arguments for function " + this);
    }
    List<CqlType> types = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      Argument argument = arguments.get(i);
      CqlType type = parameters.get(i).infer(argument, wanted, types);
      if (type == null) {
        throw CqlException.invalid(
            ("Cannot infer type of argument %s in call to function %s: use type casts to"
                    + " disambiguate")
                .formatted(argument, this));
      }
      parameters.get(i).require(name, argument, type);
      types.add(type);
    }
    return maker.apply(types);
  }

  @Override
  public String toString() {
    return "system.%s(%s)"
        .formatted(name, String.join(", ", parameters.stream().map(Parameter::toString).toList()));
  }
}
