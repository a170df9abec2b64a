package io.widerow.cql.function;

import io.widerow.cql.CqlException;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Empty;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.Texts;
import io.widerow.cql.type.WireCodec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// All functions except the ones that need the table of the statement, and the choice of the
/// function that a call means.
public final class NativeFunctions {
  private static final Map<String, List<NativeFunction>> OF_TYPES = new HashMap<>();
  private static final Map<String, FunctionFactory> OF_MANY_TYPES = new HashMap<>();

  static {
    add(TimeFunctions.all(), true);
    add(BlobFunctions.all(), false);
    add(Maths.all(), false);
    add(Aggregates.all(), false);
    add(Operations.all(), false);
    for (List<FunctionFactory> all :
        List.of(
            Aggregates.ofAnyType(),
            CollectionFunctions.all(),
            Masks.all(),
            Similarities.all(),
            List.of(json("to_json"), json("tojson")))) {
      all.forEach(factory -> OF_MANY_TYPES.put(factory.name(), factory));
    }
  }

  private NativeFunctions() {}

  /// @param both whether they have names without underscores, too
  private static void add(List<NativeFunction> all, boolean both) {
    for (NativeFunction function : all) {
      add(function);
      String other = function.name().replace("_", "");
      if (both && !other.equals(function.name())) {
        add(function.as(other));
      }
    }
  }

  private static void add(NativeFunction function) {
    OF_TYPES.computeIfAbsent(function.name(), _ -> new ArrayList<>()).add(function);
  }

  private static FunctionFactory json(String name) {
    return new FunctionFactory(
        name,
        List.of(Parameter.ANY),
        types ->
            new NativeFunction(
                name,
                types,
                NativeType.TEXT,
                true,
                (values, _) ->
                    Texts.json(types.getFirst(), values[0] == Empty.VALUE ? null : values[0])));
  }

  public static boolean isKnown(String name) {
    return OF_TYPES.containsKey(name) || OF_MANY_TYPES.containsKey(name);
  }

  /// The function that a call means.
  ///
  /// @param name in lower case
  /// @param wanted the type that the result must have; null when every one will do
  /// @return null when there is no function of the name
  /// @throws CqlException when none takes the arguments, or more than one does
  public static @Nullable NativeFunction choose(
      String name, List<? extends Argument> arguments, @Nullable CqlType wanted) {
    FunctionFactory factory = OF_MANY_TYPES.get(name);
    List<NativeFunction> all =
        factory == null
            ? OF_TYPES.getOrDefault(name, List.of())
            : List.of(factory.of(arguments, wanted));
    if (all.isEmpty()) {
      return null;
    }
    if (all.size() > 1) {
      return best(name, all, arguments, wanted);
    }
    NativeFunction only = all.getFirst();
    requireFit(only, arguments);
    return only;
  }

  private static void requireFit(NativeFunction function, List<? extends Argument> arguments) {
    int count = function.arguments().size();
    if (arguments.size() != count) {
      throw CqlException.invalid(
          "Invalid number of arguments in call to function system.%s: %d required but %d provided"
              .formatted(function.name(), count, arguments.size()));
    }
    for (int i = 0; i < count; i++) {
      requireFit(function.name(), i, arguments.get(i), function.arguments().get(i));
    }
  }

  /// @throws CqlException when an argument cannot be of a type
  public static void requireFit(String function, int index, Argument argument, CqlType type) {
    if (argument.fit(type) == TypeCompatibility.NONE) {
      throw CqlException.invalid(
          "Type error: %s cannot be passed as argument %d of function system.%s of type %s"
              .formatted(argument, index, function, type.cql()));
    }
  }

  private static NativeFunction best(
      String name,
      List<NativeFunction> all,
      List<? extends Argument> arguments,
      @Nullable CqlType wanted) {
    List<NativeFunction> some = new ArrayList<>();
    for (NativeFunction each : all) {
      if (wanted == null || TypeCompatibility.of(wanted, each.result()) != TypeCompatibility.NONE) {
        switch (fit(each, arguments)) {
          case EXACT -> {
            return each;
          }
          case WEAK -> some.add(each);
          case NONE -> {}
        }
      }
    }
    String sign = Operations.sign(name);
    if (some.isEmpty() && sign != null) {
      throw CqlException.invalid(
          "the '%s' operation is not supported between %s and %s"
              .formatted(sign, arguments.getFirst(), arguments.getLast()));
    }
    if (some.isEmpty()) {
      throw CqlException.invalid(
          ("Invalid call to function %s, none of its type signatures match (known type signatures:"
                  + " %s)")
              .formatted(name, shown(all)));
    }
    if (some.size() > 1 && sign != null) {
      return ofWanted(sign, some, arguments, wanted);
    }
    if (some.size() > 1) {
      throw CqlException.invalid(
          ("Ambiguous call to function %s (can be matched by following signatures: %s): use type"
                  + " casts to disambiguate")
              .formatted(name, shown(some)));
    }
    return some.getFirst();
  }

  /// The operation between two values of the wanted type.
  private static NativeFunction ofWanted(
      String sign,
      List<NativeFunction> some,
      List<? extends Argument> arguments,
      @Nullable CqlType wanted) {
    if (wanted != null && arguments.stream().noneMatch(Argument::isMarker)) {
      for (NativeFunction each : some) {
        if (each.arguments().equals(List.of(wanted, wanted))) {
          return each;
        }
      }
    }
    throw CqlException.invalid(
        ("Ambiguous '%s' operation with args %s and %s: use type hint to disambiguate, example"
                + " '(int) ?'")
            .formatted(sign, arguments.getFirst(), arguments.getLast()));
  }

  private static TypeCompatibility fit(
      NativeFunction function, List<? extends Argument> arguments) {
    if (arguments.size() != function.arguments().size()) {
      return TypeCompatibility.NONE;
    }
    TypeCompatibility fit = TypeCompatibility.EXACT;
    for (int i = 0; i < arguments.size(); i++) {
      fit = fit.and(arguments.get(i).fit(function.arguments().get(i)));
    }
    return fit;
  }

  private static String shown(List<NativeFunction> functions) {
    return functions.stream().map(NativeFunction::toString).collect(Collectors.joining(", "));
  }

  /// A value of one type as the value of another one that has the same bytes.
  public static @Nullable Object reread(CqlType from, CqlType to, Object value) {
    return WireCodec.decode(to, WireCodec.encode(from, value));
  }
}
