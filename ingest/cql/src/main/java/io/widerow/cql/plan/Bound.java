package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.type.Literals;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The values of one execution, and its time.
///
/// - Threads: one at a time.
final class Bound {
  private final List<Variable> variables;
  private final List<@Nullable ByteBuffer> values;
  private final Elements elements;
  private final BitSet counted = new BitSet(); // values whose elements are counted
  private final Instant now = Instant.now();

  /// Counts the elements of collections in the values of one request: each takes many times the
  /// memory of its bytes.
  static final class Elements {
    private static final int MAX = 1 << 17;

    private long count;

    private void add(@Nullable Object value) {
      switch (value) {
        case Map<?, ?> map -> {
          count += map.size();
          map.keySet().forEach(this::add);
          map.values().forEach(this::add);
        }
        case Collection<?> all -> {
          count += all.size();
          all.forEach(this::add);
        }
        case null, default -> {}
      }
      if (count > MAX) {
        throw CqlException.invalid(
            "the values of a request have at most %d elements of collections; send several requests"
                .formatted(MAX));
      }
    }
  }

  Bound(List<Variable> variables, List<@Nullable ByteBuffer> values) {
    this(variables, values, new Elements());
  }

  private Bound(List<Variable> variables, List<@Nullable ByteBuffer> values, Elements elements) {
    this.elements = elements;
    if (values.size() != variables.size()) {
      throw CqlException.invalid(
          "Invalid amount of bind variables: %d values for %d"
              .formatted(values.size(), variables.size()));
    }
    this.variables = variables;
    this.values = values;
  }

  /// The values of a part of an execution.
  ///
  /// @param from the index of its first value
  /// @param isAll whether it is the only part
  /// @param elements of all parts
  static Bound part(
      List<Variable> variables,
      List<@Nullable ByteBuffer> values,
      int from,
      boolean isAll,
      Elements elements) {
    int until = isAll ? values.size() : from + variables.size();
    if (until > values.size()) {
      throw CqlException.invalid(
          "Invalid amount of bind variables: %d values for %d".formatted(values.size(), until));
    }
    return new Bound(variables, values.subList(from, until), elements);
  }

  /// The time of the execution: it is one for all calls of functions.
  Instant now() {
    return now;
  }

  boolean isUnset(int index) {
    return StatementExecution.isUnset(values.get(index));
  }

  @Nullable Object value(int index) {
    Variable variable = variables.get(index);
    ByteBuffer bytes = values.get(index);
    if (isUnset(index)) {
      throw CqlException.invalid("Invalid unset value for column %s".formatted(variable.name()));
    }
    Object value =
        bytes == null
            ? null
            : Literals.requireModest(WireCodec.decode(variable.type(), bytes.duplicate()));
    if (!counted.get(index)) {
      counted.set(index);
      elements.add(value);
    }
    return value;
  }
}
