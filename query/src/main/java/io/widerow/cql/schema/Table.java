package io.widerow.cql.schema;

import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.type.CqlType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/// A table: its name and its columns, in the order in which `SELECT *` shows them: partition key,
/// clustering key, static columns, others by name.
///
/// - Threads: any; immutable.
public record Table(String keyspace, String name, List<Column> columns, String comment) {
  public Table {
    columns = List.copyOf(columns);
  }

  /// Tells columns of a table one after the other.
  public static final class Builder {
    private final String keyspace;
    private final String name;
    private final List<Column> keys = new ArrayList<>();
    private final List<Column> others = new ArrayList<>();

    private Builder(String keyspace, String name) {
      this.keyspace = keyspace;
      this.name = name;
    }

    public Builder partition(String column, CqlType type) {
      return key(column, type, Kind.PARTITION_KEY);
    }

    public Builder clustering(String column, CqlType type) {
      return key(column, type, Kind.CLUSTERING);
    }

    private Builder key(String column, CqlType type, Kind kind) {
      int position = (int) keys.stream().filter(key -> key.kind() == kind).count();
      keys.add(new Column(column, type, kind, position, false));
      return this;
    }

    public Builder column(String column, CqlType type) {
      others.add(new Column(column, type, Kind.REGULAR, -1, false));
      return this;
    }

    public Table build(String comment) {
      List<Column> all = new ArrayList<>(keys);
      others.stream().sorted(Comparator.comparing(Column::name)).forEach(all::add);
      return new Table(keyspace, name, all, comment);
    }
  }

  public static Builder named(String keyspace, String name) {
    return new Builder(keyspace, name);
  }

  /// An id that follows from the name.
  public UUID id() {
    return UUID.nameUUIDFromBytes(qualified().getBytes(StandardCharsets.UTF_8));
  }

  public String qualified() {
    return keyspace + "." + name;
  }

  /// The index of a column in [#columns]; negative when there is none.
  public int find(String column) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name().equals(column)) {
        return i;
      }
    }
    return -1;
  }

  /// The columns of a kind, by their positions or names.
  public List<Column> of(Kind kind) {
    return columns.stream().filter(column -> column.kind() == kind).toList();
  }
}
