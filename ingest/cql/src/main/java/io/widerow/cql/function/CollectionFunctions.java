package io.widerow.cql.function;

import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.ValueOrder;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Functions of the elements of one collection. Elements that are null, as times of cells may be,
/// only count as such. Of null they make null, of a collection without elements what aggregates
/// make of no rows.
final class CollectionFunctions {
  private CollectionFunctions() {}

  static List<FunctionFactory> all() {
    return List.of(
        new FunctionFactory("map_keys", List.of(Parameter.MAP), CollectionFunctions::keys),
        new FunctionFactory("map_values", List.of(Parameter.MAP), CollectionFunctions::values),
        new FunctionFactory(
            "collection_count", List.of(Parameter.COLLECTION), CollectionFunctions::count),
        ofElements("collection_min", Parameter.SET_OR_LIST, type -> all -> extreme(type, all, -1)),
        ofElements("collection_max", Parameter.SET_OR_LIST, type -> all -> extreme(type, all, 1)),
        ofElements(
            "collection_sum", Parameter.NUMERIC_SET_OR_LIST, type -> all -> sum(type, all).sum()),
        ofElements(
            "collection_avg",
            Parameter.NUMERIC_SET_OR_LIST,
            type -> all -> type == NativeType.DECIMAL ? mean(all) : sum(type, all).average()));
  }

  private static NativeFunction keys(List<CqlType> types) {
    CqlType.MapOf map = (CqlType.MapOf) types.getFirst();
    return NativeFunction.of(
        "map_keys",
        map,
        new CqlType.SetOf(map.key(), true),
        value -> new LinkedHashSet<>(((Map<?, ?>) value).keySet()));
  }

  private static NativeFunction values(List<CqlType> types) {
    CqlType.MapOf map = (CqlType.MapOf) types.getFirst();
    return NativeFunction.of(
        "map_values",
        map,
        new CqlType.ListOf(map.value(), true),
        value -> new ArrayList<>(((Map<?, ?>) value).values()));
  }

  private static NativeFunction count(List<CqlType> types) {
    return NativeFunction.of(
        "collection_count",
        types.getFirst(),
        NativeType.INT,
        value -> value instanceof Map<?, ?> map ? map.size() : ((Collection<?>) value).size());
  }

  /// @param body its implementation, for a type of elements
  private static FunctionFactory ofElements(
      String name,
      Parameter parameter,
      Function<CqlType, Function<Collection<?>, @Nullable Object>> body) {
    return new FunctionFactory(
        name,
        List.of(parameter),
        types -> {
          CqlType element = Objects.requireNonNull(Parameter.element(types.getFirst()));
          Function<Collection<?>, @Nullable Object> ofElements = body.apply(element);
          return NativeFunction.of(
              name, types.getFirst(), element, all -> ofElements.apply((Collection<?>) all));
        });
  }

  /// @param sign 1 for the greatest element, -1 for the least
  private static @Nullable Object extreme(CqlType type, Collection<?> all, int sign) {
    Object extreme = null;
    for (Object each : all) {
      boolean more =
          each != null && (extreme == null || sign * ValueOrder.compare(type, each, extreme) > 0);
      extreme = more ? each : extreme;
    }
    return extreme;
  }

  private static Sum sum(CqlType type, Collection<?> all) {
    Sum sum = new Sum((NativeType) type);
    all.stream().filter(Objects::nonNull).forEach(sum::add);
    return sum;
  }

  /// The mean of decimals, corrected and rounded for each as Cassandra has it.
  private static BigDecimal mean(Collection<?> all) {
    BigDecimal mean = BigDecimal.ZERO;
    long count = 0;
    for (Object each : all) {
      if (each instanceof BigDecimal number) {
        count++;
        BigDecimal off = number.subtract(mean);
        mean = mean.add(off.divide(BigDecimal.valueOf(count), RoundingMode.HALF_EVEN));
      }
    }
    return mean;
  }
}
