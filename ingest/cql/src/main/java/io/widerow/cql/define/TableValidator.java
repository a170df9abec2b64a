package io.widerow.cql.define;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Definition.ColumnName;
import io.widerow.cql.parse.Definition.CreateTable;
import io.widerow.cql.parse.Definition.Direction;
import io.widerow.cql.parse.TypeName;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// Checks the definition of a table for CREATE TABLE.
final class TableValidator {
  private final CreateTable create;
  private final String table;
  private final Map<String, CqlType> types = new LinkedHashMap<>();

  private TableValidator(CreateTable create) {
    this.create = create;
    this.table = create.table().table();
  }

  /// The table of a statement.
  ///
  /// @param users where types are looked up
  /// @param numbers of its columns
  static Table table(
      CreateTable create,
      String keyspace,
      TypeName.Users users,
      ToIntFunction<String> numbers,
      Table.Stored stored) {
    TableValidator rules = new TableValidator(create);
    rules.readTypes(users);
    rules.requireKey();
    return new Table(
        keyspace,
        rules.table,
        Table.ordered(rules.columns(numbers)),
        OptionValidator.table(create.options()),
        stored);
  }

  private void readTypes(TypeName.Users users) {
    for (ColumnName column : create.columns()) {
      CqlType type = column.type().resolve(users);
      requireType(type, column.type().toString());
      TypeSizes.require("column " + column.name(), type);
      if (types.put(column.name(), type) != null) {
        throw CqlException.invalid(
            "Duplicate column '%s' declaration for table '%s'".formatted(column.name(), table));
      }
    }
  }

  /// The types allowed in a type that has a cell for each element.
  static void requireType(CqlType type) {
    requireType(type, type.cql());
  }

  /// @param written the type as the statement has it
  static void requireType(CqlType type, String written) {
    if (!type.isMultiCell()) {
      return;
    }
    for (CqlType part : type.parts()) {
      if (!part.isMultiCell()) {
        continue;
      }
      if (!type.isCollection()) {
        throw CqlException.invalid(
            "Non-frozen UDTs with nested non-frozen collections are not supported");
      }
      throw CqlException.invalid(
          part.isCollection()
              ? "Non-frozen collections are not allowed inside collections: " + written
              : "Non-frozen UDTs are not allowed inside collections: " + written);
    }
  }

  private void requireKey() {
    if (create.partition().isEmpty()) {
      throw CqlException.invalid(
          "No PRIMARY KEY specifed for table '%s' (exactly one required)".formatted(table));
    }
    Set<String> seen = new HashSet<>();
    List<String> keys = new ArrayList<>(create.partition());
    keys.addAll(create.clustering());
    for (String key : keys) {
      CqlType type = types.get(key);
      if (type == null) {
        throw CqlException.invalid(
            "Unknown column '%s' referenced in PRIMARY KEY for table '%s'".formatted(key, table));
      }
      if (!seen.add(key)) {
        throw CqlException.invalid(
            "Duplicate column '%s' in PRIMARY KEY clause for table '%s'".formatted(key, table));
      }
      requireKeyType(key, type);
    }
    requireOrder();
  }

  private static void requireKeyType(String column, CqlType type) {
    if (type.isMultiCell()) {
      throw CqlException.invalid(
          "Invalid non-frozen %s type %s for PRIMARY KEY column '%s'"
              .formatted(type.isCollection() ? "collection" : "user-defined", type.cql(), column));
    }
    for (NativeType never : List.of(NativeType.COUNTER, NativeType.DURATION)) {
      if (type.contains(never)) {
        throw CqlException.invalid(
            "%s type is not supported for PRIMARY KEY column '%s'".formatted(never.cql(), column));
      }
    }
  }

  private void requireOrder() {
    List<String> ordered = create.order().stream().map(Direction::column).toList();
    for (String column : ordered) {
      if (!create.clustering().contains(column)) {
        throw CqlException.invalid(
            ("Only clustering key columns can be defined in CLUSTERING ORDER directive: [%s] are"
                    + " not clustering columns")
                .formatted(column));
      }
    }
    for (int i = 0; i < ordered.size(); i++) {
      String column = ordered.get(i);
      String expected = create.clustering().get(Math.min(i, create.clustering().size() - 1));
      if (ordered.indexOf(column) != i) {
        throw CqlException.invalid(
            "Duplicate column '%s' in CLUSTERING ORDER BY clause for table '%s'"
                .formatted(column, table));
      }
      if (!column.equals(expected)) {
        throw CqlException.invalid(
            ordered.contains(expected)
                ? ("The order of columns in the CLUSTERING ORDER directive must match that of the"
                        + " clustering columns (%s must appear before %s)")
                    .formatted(expected, column)
                : "Missing CLUSTERING ORDER for column %s".formatted(expected));
      }
    }
  }

  private List<Column> columns(ToIntFunction<String> numbers) {
    List<Column> columns = new ArrayList<>();
    for (ColumnName each : create.columns()) {
      Kind kind = kind(each);
      int position =
          switch (kind) {
            case PARTITION_KEY -> create.partition().indexOf(each.name());
            case CLUSTERING -> create.clustering().indexOf(each.name());
            case STATIC, REGULAR -> -1;
          };
      CqlType type = Objects.requireNonNull(types.get(each.name()));
      columns.add(
          new Column(
              each.name(),
              type,
              kind,
              position,
              isDescending(each.name()),
              numbers.applyAsInt(each.name())));
    }
    requireCounters(columns);
    return columns;
  }

  private Kind kind(ColumnName column) {
    boolean partition = create.partition().contains(column.name());
    boolean clustering = create.clustering().contains(column.name());
    if (column.isStatic()) {
      if (partition || clustering) {
        throw CqlException.invalid(
            "Static column '%s' cannot be part of the PRIMARY KEY".formatted(column.name()));
      }
      if (create.clustering().isEmpty()) {
        throw CqlException.invalid(
            "Static columns are only useful (and thus allowed) if the table has at least one"
                + " clustering column");
      }
      return Kind.STATIC;
    }
    return partition ? Kind.PARTITION_KEY : clustering ? Kind.CLUSTERING : Kind.REGULAR;
  }

  private boolean isDescending(String column) {
    for (Direction each : create.order()) {
      if (each.column().equals(column)) {
        return each.descending();
      }
    }
    return false;
  }

  /// @throws CqlException when a table has both counters and other columns
  static void requireCounters(List<Column> columns) {
    @Nullable Boolean counters = null;
    for (Column column : columns) {
      boolean counter = column.type() == NativeType.COUNTER;
      if (!column.isKey()) {
        if (counters != null && counters != counter) {
          throw CqlException.invalid(
              "Cannot mix counter and non counter columns in the same table");
        }
        counters = counter;
      }
    }
  }
}
