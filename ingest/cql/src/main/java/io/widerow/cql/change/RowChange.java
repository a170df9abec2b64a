package io.widerow.cql.change;

import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.KeyLimits;
import io.widerow.cql.schema.RowCondition;
import io.widerow.cql.schema.Table;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One change of rows of a table, with all its values.
///
/// @param conditions on the key: which rows are changed
/// @param limits conditions on several columns of the key
/// @param cells changes of columns; empty for an insert of the key alone, or for a deletion of rows
/// @param timestamp microseconds; null for the time of the write
/// @param ttl seconds; 0 for no expiry
/// @param guard its condition; null for none
public record RowChange(
    Table table,
    How how,
    List<RowCondition> conditions,
    KeyLimits limits,
    List<CellChange> cells,
    @Nullable Long timestamp,
    int ttl,
    @Nullable WriteCondition guard) {
  public RowChange {
    conditions = List.copyOf(conditions);
    cells = List.copyOf(cells);
  }

  /// The kind of change of rows.
  public enum How {
    /// The row is there afterwards, with or without cells.
    INSERT,
    /// Only cells are written.
    UPDATE,
    /// Rows, ranges of them or whole partitions go.
    DELETE
  }

  /// True when no clustering column is named, and so only the header of the partition changes.
  public boolean isOfHeader() {
    boolean named =
        !limits.tuples().isEmpty()
            || conditions.stream()
                .anyMatch(each -> table.columns().get(each.index()).kind() == Kind.CLUSTERING);
    return how != How.DELETE && !named && !table.of(Kind.CLUSTERING).isEmpty();
  }
}
