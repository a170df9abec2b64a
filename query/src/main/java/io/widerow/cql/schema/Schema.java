package io.widerow.cql.schema;

import io.widerow.cql.CqlException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// All keyspaces.
///
/// - Threads: any; immutable.
public record Schema(List<Keyspace> keyspaces) {
  public Schema {
    keyspaces = List.copyOf(keyspaces);
  }

  /// The keyspace of a name; null when there is none.
  public @Nullable Keyspace find(String name) {
    for (Keyspace keyspace : keyspaces) {
      if (keyspace.name().equals(name)) {
        return keyspace;
      }
    }
    return null;
  }

  /// @throws CqlException when there is none
  public Keyspace keyspace(String name) {
    Keyspace keyspace = find(name);
    if (keyspace == null) {
      throw CqlException.invalid("keyspace %s does not exist".formatted(name));
    }
    return keyspace;
  }

  /// @param keyspace null when neither the statement nor the connection names one
  /// @throws CqlException when there is none
  public Table table(@Nullable String keyspace, String name) {
    if (keyspace == null) {
      throw CqlException.invalid(
          "No keyspace has been specified. USE a keyspace, or explicitly specify"
              + " keyspace.tablename");
    }
    for (Table table : keyspace(keyspace).tables()) {
      if (table.name().equals(name)) {
        return table;
      }
    }
    throw CqlException.invalid("table %s does not exist".formatted(name));
  }

  /// The same for equal schemas, and another one after each change.
  public UUID version() {
    return UUID.nameUUIDFromBytes(keyspaces.toString().getBytes(StandardCharsets.UTF_8));
  }
}
