package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.type.Literals;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The values of one execution, and its time.
///
/// - Threads: one at a time.
final class Bound {
  private final List<Variable> variables;
  private final List<@Nullable ByteBuffer> values;
  private final Instant now = Instant.now();

  Bound(List<Variable> variables, List<@Nullable ByteBuffer> values) {
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
  static Bound part(
      List<Variable> variables, List<@Nullable ByteBuffer> values, int from, boolean isAll) {
    int until = isAll ? values.size() : from + variables.size();
    if (until > values.size()) {
      throw CqlException.invalid(
          "Invalid amount of bind variables: %d values for %d".formatted(values.size(), until));
    }
    return new Bound(variables, values.subList(from, until));
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
    return bytes == null
        ? null
        : Literals.requireModest(WireCodec.decode(variable.type(), bytes.duplicate()));
  }
}
