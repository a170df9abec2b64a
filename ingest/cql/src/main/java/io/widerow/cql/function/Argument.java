package io.widerow.cql.function;

import io.widerow.cql.type.CqlType;
import org.jspecify.annotations.Nullable;

/// An argument of a call, before it is known which function is called. Its text is that of the
/// statement.
public interface Argument {
  /// Its compatibility with a type.
  TypeCompatibility fit(CqlType wanted);

  /// The number of elements of a list that is written out; 0 for everything else.
  int size();

  /// True for a value that comes with the execution.
  boolean isMarker();

  /// Its own type; of a constant that which suits it best. Null when it is unknown.
  @Nullable CqlType type();
}
