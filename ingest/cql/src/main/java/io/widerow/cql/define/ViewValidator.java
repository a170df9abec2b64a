package io.widerow.cql.define;

import io.widerow.cql.CqlException;
import io.widerow.cql.parse.Definition.CreateView;
import io.widerow.cql.parse.Definition.Direction;
import io.widerow.cql.parse.KeyRelation;
import io.widerow.cql.parse.Relation;
import io.widerow.cql.parse.Relation.Operator;
import io.widerow.cql.parse.Where;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Which materialized views a table may have.
final class ViewValidator {
  private final CreateView create;
  private final String view;
  private final Table base;
  private final List<String> key = new ArrayList<>();

  private ViewValidator(CreateView create, Table base) {
    this.create = create;
    this.view = create.view().table();
    this.base = base;
    key.addAll(create.partition());
    key.addAll(create.clustering());
  }

  /// The view that a statement makes.
  ///
  /// @throws CqlException when it cannot be
  static Table made(CreateView create, Table base, Table.Stored stored) {
    ViewValidator rules = new ViewValidator(create, base);
    rules.requireColumns();
    rules.requireKey();
    rules.requireConditions();
    if (create.options().texts().containsKey("default_time_to_live")) {
      throw CqlException.invalid(
          "Cannot set default_time_to_live for a materialized view. Data in a materialized view"
              + " always expire at the same time than the corresponding data in the parent table.");
    }
    return kept(create, base, stored);
  }

  /// The view of a statement that was taken before.
  ///
  /// @throws CqlException when it has columns that the table has not
  static Table kept(CreateView create, Table base, Table.Stored stored) {
    ViewValidator rules = new ViewValidator(create, base);
    rules.requireKey();
    create.columns().forEach(rules::required);
    create.where().forEach(where -> where.columns().forEach(rules::required));
    return new Table(
        base.keyspace(),
        create.view().table(),
        Table.ordered(rules.columns()),
        OptionValidator.table(create.options()),
        stored,
        new Table.ViewOf(base.name(), create.columns().isEmpty(), create.where()),
        List.of());
  }

  /// A view of a table that was altered.
  static Table followed(Table view, Table before, Table after) {
    Table.ViewOf of = Objects.requireNonNull(view.view());
    List<Column> columns = new ArrayList<>();
    for (Column each : after.columns()) {
      Column had = numbered(view, each.number());
      if (had != null) {
        columns.add(
            new Column(
                each.name(),
                each.type(),
                had.kind(),
                had.position(),
                had.descending(),
                each.number()));
      } else if (of.all() && each.kind() == Kind.REGULAR) {
        columns.add(each);
      }
    }
    UnaryOperator<String> names =
        name -> {
          Column now = numbered(after, before.columns().get(before.find(name)).number());
          return now == null ? name : now.name();
        };
    List<Where> where =
        of.where().stream().<Where>map(condition -> condition.renamed(names)).toList();
    return view.withColumns(columns, view.stored())
        .withView(new Table.ViewOf(of.base(), of.all(), where));
  }

  private static @Nullable Column numbered(Table table, int number) {
    for (Column column : table.columns()) {
      if (column.number() == number) {
        return column;
      }
    }
    return null;
  }

  private Column required(String name) {
    int index = base.find(name);
    if (index < 0) {
      throw CqlException.invalid(
          "Undefined column name %s in table %s".formatted(name, base.qualified()));
    }
    return base.columns().get(index);
  }

  private boolean isShown(Column column) {
    return create.columns().isEmpty()
        ? column.kind() != Kind.STATIC
        : create.columns().contains(column.name());
  }

  private void requireColumns() {
    List<Column> shown =
        create.columns().isEmpty()
            ? base.columns()
            : create.columns().stream().map(this::required).toList();
    for (Column column : shown) {
      if (column.kind() == Kind.STATIC) {
        throw CqlException.invalid(
            "Cannot include static column '%s' in materialized view '%s'"
                .formatted(column.name(), view));
      }
    }
  }

  private void requireKey() {
    Set<String> seen = new HashSet<>();
    for (String name : key) {
      int index = base.find(name);
      if (index < 0 || !isShown(base.columns().get(index))) {
        throw CqlException.invalid(
            "Unknown column '%s' referenced in PRIMARY KEY for materialized view '%s'"
                .formatted(name, view));
      }
      if (!seen.add(name)) {
        throw CqlException.invalid(
            "Duplicate column '%s' in PRIMARY KEY clause for materialized view '%s'"
                .formatted(name, view));
      }
      requireType(base.columns().get(index));
    }
    List<String> ordered = create.order().stream().map(Direction::column).toList();
    if (!ordered.isEmpty() && !ordered.equals(create.clustering())) {
      throw CqlException.invalid(
          "Clustering key columns must exactly match columns in CLUSTERING ORDER BY directive");
    }
    List<String> missing = new ArrayList<>();
    List<String> more = new ArrayList<>();
    for (Column column : base.columns()) {
      if (column.isKey() && !key.contains(column.name())) {
        missing.add(column.name());
      } else if (!column.isKey() && key.contains(column.name())) {
        more.add(column.name());
      }
    }
    if (!missing.isEmpty()) {
      throw CqlException.invalid(
          "Cannot create materialized view '%s' without primary key columns %s from base table '%s'"
              .formatted(view, String.join(", ", missing), base.name()));
    }
    if (more.size() > 1) {
      throw CqlException.invalid(
          ("Cannot include more than one non-primary key column in materialized view primary key"
                  + " (got %s)")
              .formatted(String.join(", ", more)));
    }
  }

  private void requireType(Column column) {
    CqlType type = column.type();
    if (type.isMultiCell()) {
      throw CqlException.invalid(
          "Invalid non-frozen %s type '%s' for PRIMARY KEY column '%s'"
              .formatted(
                  type.isCollection() ? "collection" : "user-defined", type.cql(), column.name()));
    }
    if (type.contains(NativeType.DURATION)) {
      throw CqlException.invalid(
          "duration type is not supported for PRIMARY KEY column '%s'".formatted(column.name()));
    }
    boolean merges = column.kind() == Kind.PARTITION_KEY && type.contains(NativeType.DECIMAL);
    if (merges && create.clustering().contains(column.name())) {
      throw CqlException.invalid(
          ("The decimal '%s' of the partition key must be in that of materialized view '%s' too:"
                  + " 1.0 and 1.00 are two partitions, and one clustering value")
              .formatted(column.name(), view));
    }
  }

  private void requireConditions() {
    Set<String> named = new HashSet<>();
    Set<String> others = new TreeSet<>(); // that are in no key and have another condition
    for (Where where : create.where()) {
      boolean notNull =
          where instanceof Relation relation && relation.operator() == Operator.IS_NOT;
      if (where instanceof KeyRelation relation && relation.token()) {
        throw CqlException.invalid("Cannot use token relation when defining a materialized view");
      }
      for (String name : where.columns()) {
        Column column = required(name);
        if (column.kind() == Kind.STATIC) {
          throw CqlException.invalid(
              "Cannot include static column '%s' in materialized view '%s'".formatted(name, view));
        }
        if (!column.isKey() && !notNull) {
          others.add(name);
        }
        named.add(name);
      }
    }
    if (!others.isEmpty()) {
      throw CqlException.invalid(
          "Non-primary key columns can only be restricted with 'IS NOT NULL' (got: %s restricted"
                  .formatted(String.join(", ", others))
              + " illegally)");
    }
    List<String> free = key.stream().filter(name -> !named.contains(name)).toList();
    if (!free.isEmpty()) {
      throw CqlException.invalid(
          "Primary key columns %s must be restricted with 'IS NOT NULL' or otherwise"
              .formatted(String.join(", ", free)));
    }
  }

  private List<Column> columns() {
    List<Column> columns = new ArrayList<>();
    for (Column each : base.columns()) {
      if (!isShown(each)) {
        continue;
      }
      int inPartition = create.partition().indexOf(each.name());
      int inClustering = create.clustering().indexOf(each.name());
      Kind kind =
          inPartition >= 0
              ? Kind.PARTITION_KEY
              : inClustering >= 0 ? Kind.CLUSTERING : Kind.REGULAR;
      columns.add(
          new Column(
              each.name(),
              each.type(),
              kind,
              Math.max(inPartition, inClustering),
              kind == Kind.CLUSTERING && isDescending(each),
              each.number()));
    }
    return columns;
  }

  /// Without a word of it, as in the table.
  private boolean isDescending(Column column) {
    for (Direction each : create.order()) {
      if (each.column().equals(column.name())) {
        return each.descending();
      }
    }
    return column.descending();
  }
}
