package io.widerow.cql.schema;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// All keyspaces.
///
/// - Threads: any; immutable.
///
/// @param keyspaces that can be used
/// @param unreadable statements of keyspaces that cannot
public record Schema(List<CqlKeyspace> keyspaces, List<UnreadableStatement> unreadable) {
  public Schema {
    keyspaces = List.copyOf(keyspaces);
    unreadable = List.copyOf(unreadable);
  }

  /// A schema that can be read.
  public Schema(List<CqlKeyspace> keyspaces) {
    this(keyspaces, List.of());
  }

  /// The keyspace of a name; null when there is none.
  ///
  /// @throws CqlException when a statement of it cannot be read
  public @Nullable CqlKeyspace find(String name) {
    for (CqlKeyspace keyspace : keyspaces) {
      if (keyspace.name().equals(name)) {
        return keyspace;
      }
    }
    for (UnreadableStatement statement : unreadable) {
      if (statement.keyspace().isEmpty() || statement.keyspace().equals(name)) {
        throw new CqlException(
            Code.SERVER,
            "keyspace %s cannot be used: %s; stop the daemon, then run widerow check repair"
                .formatted(name, statement.sentence()));
      }
    }
    return null;
  }

  /// @throws CqlException when there is none, or a statement of it cannot be read
  public CqlKeyspace keyspace(String name) {
    CqlKeyspace keyspace = find(name);
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
  public Schema with(CqlKeyspace keyspace) {
    List<CqlKeyspace> all = new ArrayList<>(without(keyspace.name()).keyspaces);
    all.add(keyspace);
    all.sort(Comparator.comparing(CqlKeyspace::name));
    return new Schema(all, unreadable);
  }

  /// The same without the keyspace of a name.
  public Schema without(String name) {
    return new Schema(
        keyspaces.stream().filter(each -> !each.name().equals(name)).toList(), unreadable);
  }

  /// The same for equal schemas, after a restart too, and another one after each change.
  public UUID version() {
    StringBuilder text = new StringBuilder();
    for (CqlKeyspace keyspace : keyspaces) {
      text.append(CreateText.of(keyspace));
      keyspace.types().forEach(type -> text.append(CreateText.of(type)));
      for (Table table : keyspace.tables()) {
        text.append(CreateText.of(table)).append(table.stored());
        table.indexes().forEach(index -> text.append(CreateText.of(table, index)));
      }
    }
    return UUID.nameUUIDFromBytes(text.toString().getBytes(StandardCharsets.UTF_8));
  }
}
