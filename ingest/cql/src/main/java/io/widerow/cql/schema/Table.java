package io.widerow.cql.schema;

import io.widerow.cql.parse.Where;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A table: its name and its columns, in the order in which `SELECT *` shows them: partition key,
/// clustering key, static columns, others by name.
///
/// - Threads: any; immutable.
///
/// @param stored where its rows lie in the store of tables; null when they come from elsewhere
/// @param view its definition, when it is a materialized view; null for a table
/// @param indexes by their names
public record Table(
    String keyspace,
    String name,
    List<Column> columns,
    TableOptions options,
    @Nullable Stored stored,
    @Nullable ViewOf view,
    List<SecondaryIndex> indexes) {
  public Table {
    columns = List.copyOf(columns);
    indexes = indexes.stream().sorted(Comparator.comparing(SecondaryIndex::name)).toList();
  }

  /// A table that is no view, without indexes.
  public Table(
      String keyspace,
      String name,
      List<Column> columns,
      TableOptions options,
      @Nullable Stored stored) {
    this(keyspace, name, columns, options, stored, null, List.of());
  }

  /// The state of a table in the store of tables.
  ///
  /// @param number of the table in all keys, never used again
  /// @param id that clients see
  /// @param nextColumn the number of the next column that is added
  /// @param dropped columns that it had, also when they were added again
  public record Stored(int number, UUID id, int nextColumn, List<DroppedColumn> dropped) {
    public Stored {
      dropped = List.copyOf(dropped);
    }

    public Stored(int number, UUID id, int nextColumn) {
      this(number, id, nextColumn, List.of());
    }
  }

  /// The selection of a materialized view from its base table. Its columns have the numbers of the
  /// table's columns.
  ///
  /// @param base name of the table, in the same keyspace
  /// @param all whether it has all columns, also columns that are added later
  /// @param where the conditions of its rows
  public record ViewOf(String base, boolean all, List<Where> where) {
    public ViewOf {
      where = List.copyOf(where);
    }
  }

  /// The order of [#columns].
  public static List<Column> ordered(List<Column> columns) {
    return columns.stream()
        .sorted(
            Comparator.comparing(Column::kind)
                .thenComparingInt(Column::position)
                .thenComparing(Column::name))
        .toList();
  }

  /// Builds a table column by column.
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
      return key(column, type, Kind.PARTITION_KEY, false);
    }

    public Builder clustering(String column, CqlType type) {
      return key(column, type, Kind.CLUSTERING, false);
    }

    /// A clustering column whose greatest values come first.
    public Builder descending(String column, CqlType type) {
      return key(column, type, Kind.CLUSTERING, true);
    }

    private Builder key(String column, CqlType type, Kind kind, boolean descending) {
      int position = (int) keys.stream().filter(key -> key.kind() == kind).count();
      keys.add(new Column(column, type, kind, position, descending, 0));
      return this;
    }

    public Builder column(String column, CqlType type) {
      others.add(new Column(column, type, Kind.REGULAR, -1, false, 0));
      return this;
    }

    public Table build(String comment) {
      List<Column> all = new ArrayList<>(keys);
      all.addAll(others);
      return new Table(keyspace, name, ordered(all), TableOptions.commented(comment), null);
    }
  }

  public static Builder named(String keyspace, String name) {
    return new Builder(keyspace, name);
  }

  /// The id of a stored table; of others one that follows from the name.
  public UUID id() {
    return stored != null
        ? stored.id
        : UUID.nameUUIDFromBytes(qualified().getBytes(StandardCharsets.UTF_8));
  }

  public String comment() {
    return options.comment();
  }

  /// The number of a stored table.
  public int number() {
    if (stored == null) {
      throw new IllegalStateException(qualified() + " is not stored as a table");
    }
    return stored.number;
  }

  /// True for tables that count.
  public boolean isCounter() {
    return columns.stream().anyMatch(column -> column.type() == NativeType.COUNTER);
  }

  public boolean hasStatics() {
    return columns.stream().anyMatch(column -> column.kind() == Kind.STATIC);
  }

  /// The same with other columns.
  public Table withColumns(List<Column> newColumns, @Nullable Stored newStored) {
    return new Table(keyspace, name, ordered(newColumns), options, newStored, view, indexes);
  }

  /// The same with other options.
  public Table withOptions(TableOptions newOptions) {
    return new Table(keyspace, name, columns, newOptions, stored, view, indexes);
  }

  /// The same as a view that shows something else.
  public Table withView(ViewOf newView) {
    return new Table(keyspace, name, columns, options, stored, newView, indexes);
  }

  /// The same with other indexes.
  public Table withIndexes(List<SecondaryIndex> newIndexes) {
    return new Table(keyspace, name, columns, options, stored, view, newIndexes);
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

  /// The indexes of a column.
  public List<SecondaryIndex> indexes(String column) {
    return indexes.stream().filter(index -> index.column().equals(column)).toList();
  }

  /// The columns of a kind, by their positions or names.
  public List<Column> of(Kind kind) {
    return columns.stream().filter(column -> column.kind() == kind).toList();
  }
}
