package io.widerow.cql.schema;

/// All tables there are, and where their rows come from.
///
/// - Threads: any.
public interface CqlCatalog {
  Schema schema();

  /// @param table of the schema
  RowSource source(Table table);
}
