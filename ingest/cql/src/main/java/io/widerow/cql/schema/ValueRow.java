package io.widerow.cql.schema;

import io.widerow.cql.type.CellBuffer;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.WireCodec;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A row whose values are objects.
///
/// - Threads: one at a time.
public final class ValueRow implements Row {
  private final List<CqlType> types;
  private final @Nullable Object[] values;

  /// @param types of the columns, in the order of the values
  public ValueRow(List<CqlType> types, @Nullable Object... values) {
    assert types.size() == values.length
        : "%d types, %d values".formatted(types.size(), values.length);
    this.types = types;
    this.values = values;
  }

  @Override
  public @Nullable Object value(int column) {
    return values[column];
  }

  @Override
  public @Nullable Object element(int column, Object key) {
    return values[column] instanceof Map<?, ?> map ? map.get(key) : null;
  }

  @Override
  public void put(int column, CellBuffer out) {
    WireCodec.putCell(types.get(column), values[column], out);
  }

  @Override
  public String toString() {
    return Arrays.toString(values);
  }
}
