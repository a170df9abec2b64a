package io.widerow.cql.schema;

import io.widerow.cql.type.CqlType;
import java.util.Locale;

/// A column of a table.
///
/// @param position in the partition key or the clustering key, from 0; -1 for others
/// @param descending for clustering columns whose greatest values come first
/// @param number of its cells in the store of tables, which no other column of the table gets; 0 in
///   tables that are not stored there
public record Column(
    String name, CqlType type, Kind kind, int position, boolean descending, int number) {
  /// The role of a column in its table.
  public enum Kind {
    PARTITION_KEY,
    CLUSTERING,
    STATIC,
    REGULAR;

    /// As `system_schema.columns` has it.
    public String cql() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public boolean isKey() {
    return kind == Kind.PARTITION_KEY || kind == Kind.CLUSTERING;
  }
}
