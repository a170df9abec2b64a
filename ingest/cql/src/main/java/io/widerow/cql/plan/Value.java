package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.function.Elements;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.Use;
import io.widerow.cql.schema.Written;
import io.widerow.cql.type.CqlType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
      case OfTime(_, Value of, _) -> of.addUses(bound, uses);
      case OfToken(_, _, List<Integer> indexes) ->
          indexes.forEach(index -> uses.add(new Use(index, null)));
      case OfField(_, Value of, _) -> of.addUses(bound, uses);
      case OfColumn(_, int index) -> uses.add(new Use(index, null));
      case OfElement(_, int index, Value key) -> uses.add(new Use(index, key.of(null, bound)));
      case OfPart(_, Value of, _, Value key) -> {
        of.addUses(bound, uses);
        key.addUses(bound, uses);
      }
      case OfSlice(Value of, _, _, _, _) -> of.addUses(bound, uses);
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
  ///
  /// @param map the type of the column
  record OfElement(CqlType.MapOf map, int index, Value key) implements Value {
    @Override
    public CqlType type() {
      return map.value();
    }

    @Override
    public @Nullable Object of(@Nullable Row row, Bound bound) {
      Object wanted = key.of(row, bound);
      return wanted == null ? null : require(row).element(index, wanted);
    }
  }

  /// An element of any other map, or of a set.
  ///
  /// @param keys their type
  record OfPart(CqlType type, Value of, CqlType keys, Value key) implements Value {
    @Override
    public @Nullable Object of(@Nullable Row row, Bound bound) {
      Object wanted = key.of(row, bound);
      Object all = of.of(row, bound);
      return wanted == null || all == null ? null : Elements.find(keys, all, wanted);
    }
  }

  /// The elements of a map or a set between two, both inclusive.
  ///
  /// @param keys their type
  /// @param from null for all that are less
  /// @param to null for all that are greater
  /// @param name of the map or the set
  record OfSlice(Value of, CqlType keys, @Nullable Value from, @Nullable Value to, String name)
      implements Value {
    @Override
    public CqlType type() {
      return of.type();
    }

    @Override
    public @Nullable Object of(@Nullable Row row, Bound bound) {
      Object all = of.of(row, bound);
      if (all == null) {
        return null;
      }
      Object slice = Elements.slice(keys, all, from(row, bound), to(row, bound));
      boolean none = of.type().isMultiCell() && Elements.keys(slice).isEmpty();
      return none ? null : slice;
    }

    @Nullable Object from(@Nullable Row row, Bound bound) {
      return end(from, row, bound);
    }

    @Nullable Object to(@Nullable Row row, Bound bound) {
      return end(to, row, bound);
    }

    /// One that is unset is the same as none.
    private @Nullable Object end(@Nullable Value end, @Nullable Row row, Bound bound) {
      boolean open = end instanceof OfVariable(_, int index) && bound.isUnset(index);
      if (end == null || open) {
        return null;
      }
      Object value = end.of(row, bound);
      if (value == null) {
        throw CqlException.invalid("Invalid null value for slice selection on " + name);
      }
      return value;
    }
  }

  /// When a column or a part of it was written, or when it expires.
  ///
  /// @param of a column, an element, a slice or a field
  record OfTime(CqlType type, Value of, Kind kind) implements Value {
    /// Which time is wanted.
    enum Kind {
      WRITE_TIME,
      LAST_WRITE_TIME,
      TTL
    }

    @Override
    public @Nullable Object of(@Nullable Row row, Bound bound) {
      List<@Nullable Written> times = Times.of(of, require(row), bound).all();
      if (times.isEmpty()) {
        return null;
      }
      if (kind == Kind.LAST_WRITE_TIME) {
        return times.stream()
            .filter(Objects::nonNull)
            .mapToLong(each -> Objects.requireNonNull(each).micros())
            .max()
            .getAsLong();
      }
      if (!(type instanceof CqlType.ListOf)) {
        return shown(times.getFirst());
      }
      List<@Nullable Object> all = new ArrayList<>();
      times.forEach(each -> all.add(shown(each)));
      return all;
    }

    private @Nullable Object shown(@Nullable Written time) {
      if (time == null) {
        return null;
      }
      return kind == Kind.TTL ? time.secondsLeft() : (Object) time.micros();
    }
  }

  /// The times of a column or of a part of it.
  ///
  /// @param each whether elements have times of their own; else there is one at most
  record Times(boolean each, List<@Nullable Written> all) {
    private static final Times NONE = new Times(false, List.of());

    static Times of(Value value, Row row, Bound bound) {
      return switch (value) {
        case OfColumn(CqlType type, int index) -> new Times(type.isMultiCell(), row.written(index));
        case OfField(_, Value of, int field) ->
            value.of(row, bound) == null ? NONE : of(of, row, bound).at(field);
        case OfElement(CqlType.MapOf map, int index, Value key) ->
            of(new OfPart(map.value(), new OfColumn(map, index), map.key(), key), row, bound);
        case OfPart(_, Value of, CqlType keys, Value key) -> {
          Object wanted = key.of(row, bound);
          yield of(of, row, bound).where(of.of(row, bound), keys, wanted, wanted).one();
        }
        case OfSlice slice ->
            of(slice.of, row, bound)
                .where(
                    slice.of.of(row, bound),
                    slice.keys,
                    slice.from(row, bound),
                    slice.to(row, bound));
        default -> throw new IllegalStateException("no part of a column: " + value);
      };
    }

    private Times at(int place) {
      return each && place < all.size() ? new Times(false, all.subList(place, place + 1)) : this;
    }

    private Times one() {
      return each ? new Times(false, all) : this;
    }

    /// Those of the elements between two.
    private Times where(
        @Nullable Object found, CqlType keys, @Nullable Object from, @Nullable Object to) {
      List<@Nullable Written> some = new ArrayList<>();
      int place = 0;
      for (Object key : found == null ? List.of() : Elements.keys(found)) {
        if (Elements.isBetween(keys, key, from, to)) {
          some.add(all.get(each ? place : 0));
        }
        place++;
      }
      return each || some.isEmpty() ? new Times(each, some) : this;
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

  /// Applies a function to the values of its arguments; any of them may be null.
  @FunctionalInterface
  interface Function extends BiFunction<@Nullable Object[], Bound, @Nullable Object> {}
}
