package io.widerow.cql.schema;

import java.util.List;

/// A keyspace with its tables.
///
/// @param virtual whether its tables are shown as virtual ones: not stored, and not replicated
public record Keyspace(String name, boolean virtual, List<Table> tables) {
  public Keyspace {
    tables = List.copyOf(tables);
  }
}
