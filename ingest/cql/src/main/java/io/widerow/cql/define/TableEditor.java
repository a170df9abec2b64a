package io.widerow.cql.define;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Definition.Alteration;
import io.widerow.cql.parse.Definition.ColumnName;
import io.widerow.cql.parse.TypeName;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.DroppedColumn;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// ALTER TABLE. A column that is dropped takes its cells along: its number is never used again.
///
/// @param micros the time of the change
record TableEditor(Table table, TypeName.Users users, long micros) {
  Table add(Alteration.Add add) {
    List<Column> columns = new ArrayList<>(table.columns());
    Table.Stored stored = Objects.requireNonNull(table.stored());
    int next = stored.nextColumn();
    for (ColumnName each : add.columns()) {
      if (columns.stream().anyMatch(column -> column.name().equals(each.name()))) {
        if (add.unlessThere()) {
          continue;
        }
        throw CqlException.invalid("Column with name '%s' already exists".formatted(each.name()));
      }
      CqlType type = each.type().resolve(users);
      TableValidator.requireType(type, each.type().toString());
      TypeSizes.require("column " + each.name(), type);
      if (each.isStatic() && table.of(Kind.CLUSTERING).isEmpty()) {
        throw CqlException.invalid(
            "Static columns are only useful (and thus allowed) if the table has at least one"
                + " clustering column");
      }
      Kind kind = each.isStatic() ? Kind.STATIC : Kind.REGULAR;
      DroppedColumn before = dropped(each.name());
      requireSame(before, type, each);
      int number = before != null && before.given() ? before.number() : next;
      columns.add(new Column(each.name(), type, kind, -1, false, number));
      next += number == next ? 1 : 0;
    }
    TableValidator.requireCounters(columns);
    return table.withColumns(
        columns, new Table.Stored(stored.number(), stored.id(), next, stored.dropped()));
  }

  private @Nullable DroppedColumn dropped(String name) {
    for (DroppedColumn each : Objects.requireNonNull(table.stored()).dropped()) {
      if (each.name().equals(name)) {
        return each;
      }
    }
    return null;
  }

  /// @param before null when there was no such column
  private static void requireSame(@Nullable DroppedColumn before, CqlType type, ColumnName added) {
    if (before == null) {
      return;
    }
    String name = added.name();
    if (before.type().equals(NativeType.COUNTER.cql())) {
      throw CqlException.invalid(
          "Cannot re-add previously dropped counter column %s".formatted(name));
    }
    if (before.isStatic() != added.isStatic()) {
      throw CqlException.invalid(
          ("Cannot re-add previously dropped column '%s' of kind %s, incompatible with previous"
                  + " kind %s")
              .formatted(name, kind(added.isStatic()), kind(before.isStatic())));
    }
    if (!before.fits(type)) {
      throw CqlException.invalid(
          ("Cannot add a column '%s' of type %s, incompatible with previously dropped column '%s'"
                  + " of type %s")
              .formatted(name, type.cql(), name, before.type()));
    }
  }

  private static Kind kind(boolean isStatic) {
    return isStatic ? Kind.STATIC : Kind.REGULAR;
  }

  /// The table as it is: no column has a mask.
  Table unmask(Alteration.Unmask unmask) {
    if (table.find(unmask.column()) < 0 && !unmask.ifThere()) {
      throw CqlException.invalid(
          "Column with name '%s' doesn't exist on table '%s'"
              .formatted(unmask.column(), table.name()));
    }
    return table;
  }

  Table drop(Alteration.Drop drop) {
    List<Column> columns = new ArrayList<>(table.columns());
    Table.Stored stored = Objects.requireNonNull(table.stored());
    List<DroppedColumn> dropped = new ArrayList<>(stored.dropped());
    for (String name : drop.columns()) {
      Column found = find(columns, name);
      if (found == null) {
        if (drop.ifThere()) {
          continue;
        }
        throw CqlException.invalid(
            "Column %s was not found in table '%s'".formatted(name, table.qualified()));
      }
      if (found.isKey()) {
        throw CqlException.invalid("Cannot drop PRIMARY KEY column %s".formatted(name));
      }
      IndexEditor.requireNone(table, name, "Cannot drop");
      boolean _ = columns.remove(found);
      boolean _ = dropped.removeIf(each -> each.name().equals(name));
      Long given = drop.timestamp();
      dropped.add(
          new DroppedColumn(
              name,
              found.type().cql(),
              found.kind() == Kind.STATIC,
              given == null ? micros : given,
              found.number(),
              given != null));
    }
    dropped.sort(Comparator.comparing(DroppedColumn::name)); // as they are read
    return table.withColumns(
        columns, new Table.Stored(stored.number(), stored.id(), stored.nextColumn(), dropped));
  }

  private static @Nullable Column find(List<Column> columns, String name) {
    for (Column column : columns) {
      if (column.name().equals(name)) {
        return column;
      }
    }
    return null;
  }

  Table rename(Alteration.Rename rename) {
    List<Column> columns = new ArrayList<>(table.columns());
    for (int i = 0; i < rename.from().size(); i++) {
      String from = rename.from().get(i);
      String to = rename.to().get(i);
      Column found = find(columns, from);
      if (found == null) {
        throw CqlException.invalid(
            "Column %s was not found in table %s".formatted(from, table.qualified()));
      }
      if (!found.isKey()) {
        throw CqlException.invalid("Cannot rename non PRIMARY KEY column %s".formatted(from));
      }
      if (find(columns, to) != null) {
        throw CqlException.invalid(
            "Cannot rename column %s to %s in table '%s'; another column with that name already"
                    .formatted(from, to, table.qualified())
                + " exists");
      }
      IndexEditor.requireNone(table, from, "Can't rename");
      columns.set(
          columns.indexOf(found),
          new Column(
              to,
              found.type(),
              found.kind(),
              found.position(),
              found.descending(),
              found.number()));
    }
    return table.withColumns(columns, table.stored());
  }
}
