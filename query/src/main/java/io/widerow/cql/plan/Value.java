package io.widerow.cql.plan;

import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.Use;
import io.widerow.cql.type.CqlType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/// An expression with its type, ready to be evaluated. A closed set.
///
/// - Threads: any; immutable.
sealed interface Value {
  CqlType type();

  /// @param row the current one; null where there is none
  @Nullable Object of(@Nullable Row row, Bound bound);

  /// Adds what it reads of a row.
  default void addUses(Bound bound, List<Use> uses) {
    switch (this) {
      case Fixed _, OfVariable _ -> {}
      case OfTime(_, int index, _) -> uses.add(new Use(index, null));
      case OfToken(_, _, List<Integer> indexes) ->
          indexes.forEach(index -> uses.add(new Use(index, null)));
      case OfField(_, Value of, _) -> of.addUses(bound, uses);
      case OfColumn(_, int index) -> uses.add(new Use(index, null));
      case OfElement(_, int index, Value key) -> uses.add(new Use(index, key.of(null, bound)));
      case OfMap(_, Value map, Value key) -> {
        map.addUses(bound, uses);
        key.addUses(bound, uses);
      }
      case OfFunction(_, List<Value> arguments, _) ->
          arguments.forEach(argument -> argument.addUses(bound, uses));
    }
  }

  private static Row require(@Nullable Row row) {
    if (row == null) {
      throw new IllegalStateException("a column without a row");
    }
    return row;
  }

  /// A constant.
  record Fixed(CqlType type, @Nullable Object value) implements Value {
    @Override
    public @Nullable Object of(@Nullable Row row, Bound bound) {
      return value;
    }
  }

  /// A value that the execution brings.
  record OfVariable(CqlType type, int index) implements Value {
    @Override
    public @Nullable Object of(@Nullable Row row, Bound bound) {
      return bound.value(index);
    }
  }

  /// A column of the row, or an aggregate of the group.
  record OfColumn(CqlType type, int index) implements Value {
    @Override
    public @Nullable Object of(@Nullable Row row, Bound bound) {
      return require(row).value(index);
    }
  }

  /// An element of a column that is a map.
  record OfElement(CqlType type, int index, Value key) implements Value {
    @Override
    public @Nullable Object of(@Nullable Row row, Bound bound) {
      Object wanted = key.of(row, bound);
      return wanted == null ? null : require(row).element(index, wanted);
    }
  }

  /// An element of any other map.
  record OfMap(CqlType type, Value map, Value key) implements Value {
    @Override
    public @Nullable Object of(@Nullable Row row, Bound bound) {
      Object wanted = key.of(row, bound);
      return wanted != null && map.of(row, bound) instanceof Map<?, ?> found
          ? found.get(wanted)
          : null;
    }
  }

  /// When a column was written, or when it expires.
  ///
  /// @param ttl whether the seconds that are left are wanted
  record OfTime(CqlType type, int index, boolean ttl) implements Value {
    @Override
    public @Nullable Object of(@Nullable Row row, Bound bound) {
      return ttl ? (Object) require(row).ttl(index) : (Object) require(row).writeTime(index);
    }
  }

  /// The token of the partition key of the row.
  record OfToken(CqlType type, TableKeys keys, List<Integer> indexes) implements Value {
    public OfToken {
      indexes = List.copyOf(indexes);
    }

    @Override
    public @Nullable Object of(@Nullable Row row, Bound bound) {
      Row shown = require(row);
      List<Object> values = new ArrayList<>();
      for (int index : indexes) {
        Object value = shown.value(index);
        if (value == null) {
          return null; // of a group without rows
        }
        values.add(value);
      }
      return keys.token(values);
    }
  }

  /// A field of a type of users.
  record OfField(CqlType type, Value of, int field) implements Value {
    @Override
    public @Nullable Object of(@Nullable Row row, Bound bound) {
      return of.of(row, bound) instanceof List<?> fields && field < fields.size()
          ? fields.get(field)
          : null;
    }
  }

  /// A function of other values.
  record OfFunction(CqlType type, List<Value> arguments, Function function) implements Value {
    public OfFunction {
      arguments = List.copyOf(arguments);
    }

    @Override
    public @Nullable Object of(@Nullable Row row, Bound bound) {
      @Nullable Object[] values = new Object[arguments.size()];
      for (int i = 0; i < values.length; i++) {
        values[i] = arguments.get(i).of(row, bound);
      }
      return function.apply(values, bound);
    }
  }

  /// What a function does with the values of its arguments; any of them may be null.
  @FunctionalInterface
  interface Function extends BiFunction<@Nullable Object[], Bound, @Nullable Object> {}
}
