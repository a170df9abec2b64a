package io.widerow.cql.function;

import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.ValueOrder;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Parts of maps and sets. Keys and elements are found by the order of their type, in which 1.0 is
/// 1.00.
public final class Elements {
  private Elements() {}

  /// The type of the keys of a map, or of the elements of a set; null for every other type.
  public static @Nullable CqlType keyType(CqlType type) {
    return switch (type) {
      case CqlType.MapOf(CqlType key, _, _) -> key;
      case CqlType.SetOf(CqlType element, _) -> element;
      default -> null;
    };
  }

  /// The keys of a map, or the elements of a set, in their order.
  public static Collection<?> keys(Object collection) {
    return collection instanceof Map<?, ?> map ? map.keySet() : (Collection<?>) collection;
  }

  /// The value of a key of a map, or an element of a set; null when it has none.
  ///
  /// @param type of the keys
  public static @Nullable Object find(CqlType type, Object collection, Object key) {
    for (Object each : keys(collection)) {
      if (ValueOrder.compare(type, each, key) == 0) {
        return collection instanceof Map<?, ?> map ? map.get(each) : each;
      }
    }
    return null;
  }

  /// The elements between two, both inclusive.
  ///
  /// @param type of the keys
  /// @param from null for all that are less
  /// @param to null for all that are greater
  public static Object slice(
      CqlType type, Object collection, @Nullable Object from, @Nullable Object to) {
    if (!(collection instanceof Map<?, ?> map)) {
      Set<Object> set = new LinkedHashSet<>();
      for (Object each : (Collection<?>) collection) {
        if (isBetween(type, each, from, to)) {
          set.add(each);
        }
      }
      return set;
    }
    Map<Object, Object> some = new LinkedHashMap<>();
    map.forEach((key, value) -> {
      if (isBetween(type, key, from, to)) {
        some.put(key, value);
      }
    });
    return some;
  }

  public static boolean isBetween(
      CqlType type, Object key, @Nullable Object from, @Nullable Object to) {
    return (from == null || ValueOrder.compare(type, key, from) >= 0)
        && (to == null || ValueOrder.compare(type, key, to) <= 0);
  }
}
