package io.widerow.cql.system;

import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.cql.schema.Row;
import io.widerow.cql.schema.RowCursor;
import io.widerow.cql.schema.RowList;
import io.widerow.cql.schema.RowScan;
import io.widerow.cql.schema.RowSource;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.ValueRow;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.ValueOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A table of few rows that are made for each query.
///
/// - Order: by the partition key, then by the clustering key.
final class MemorySource implements RowSource {
  private final Table table;
  private final Function<RequestPrincipal, List<Map<String, Object>>> rows;
  private final List<CqlType> types;

  /// @param rows values by the names of columns; missing values are null
  MemorySource(Table table, Function<RequestPrincipal, List<Map<String, Object>>> rows) {
    this.table = table;
    this.rows = rows;
    this.types = table.columns().stream().map(Column::type).toList();
  }

  @Override
  public Table table() {
    return table;
  }

  @Override
  public boolean isOrdered() {
    return false;
  }

  @Override
  public RowCursor open(RowScan scan, RequestPrincipal asker) {
    List<Row> found = new ArrayList<>();
    for (Map<String, Object> values : rows.apply(asker)) {
      Row row = row(values);
      if (scan.conditions().stream().allMatch(condition -> condition.test(row))) {
        found.add(row);
      }
    }
    found.sort(this::compare);
    if (scan.descending()) {
      Collections.reverse(found);
    }
    return new RowList(found, scan.after());
  }

  private Row row(Map<String, Object> values) {
    @Nullable Object[] cells = new Object[types.size()];
    for (int i = 0; i < cells.length; i++) {
      cells[i] = values.get(table.columns().get(i).name());
    }
    return new ValueRow(types, cells);
  }

  private int compare(Row one, Row other) {
    for (int i = 0; i < types.size() && table.columns().get(i).isKey(); i++) {
      int order =
          ValueOrder.compare(
              types.get(i),
              Objects.requireNonNull(one.value(i)),
              Objects.requireNonNull(other.value(i)));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }
}
