package io.widerow.cql.schema;

import io.widerow.cql.CqlException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
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
    Table table = keyspace(keyspace).find(name);
    if (table == null) {
      throw CqlException.invalid("table %s does not exist".formatted(name));
    }
    return table;
  }

  /// The same with a keyspace in place of that of its name, or added.
  public Schema with(Keyspace keyspace) {
    List<Keyspace> all = new ArrayList<>(without(keyspace.name()).keyspaces);
    all.add(keyspace);
    all.sort(Comparator.comparing(Keyspace::name));
    return new Schema(all);
  }

  /// The same without the keyspace of a name.
  public Schema without(String name) {
    return new Schema(keyspaces.stream().filter(each -> !each.name().equals(name)).toList());
  }

  /// The same for equal schemas, and another one after each change.
  public UUID version() {
    return UUID.nameUUIDFromBytes(keyspaces.toString().getBytes(StandardCharsets.UTF_8));
  }
}
