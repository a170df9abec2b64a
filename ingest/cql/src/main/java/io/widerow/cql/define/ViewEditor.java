package io.widerow.cql.define;

import io.widerow.cql.CqlException;
import io.widerow.cql.define.SchemaChange.How;
import io.widerow.cql.parse.Definition;
import io.widerow.cql.parse.Definition.Alteration;
import io.widerow.cql.parse.Definition.ColumnName;
import io.widerow.cql.parse.Statement.TableName;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// CREATE, ALTER and DROP MATERIALIZED VIEW.
record ViewEditor(SchemaEditor editor) {
  private static final String MISSING = "Materialized view '%s' doesn't exist";
  private static final String GRACE = "gc_grace_seconds";

  Schema create(Definition.CreateView create, Predicate<SchemaChange> tell) {
    CqlKeyspace keyspace = editor.keyspace(create.view());
    String name = create.view().table();
    SchemaEditor.requireName("Materialized view", name);
    if (!editor.keyspace(create.base()).equals(keyspace)) {
      throw CqlException.invalid(
          "Cannot create a materialized view on a table in a different keyspace");
    }
    Table base = keyspace.find(create.base().table());
    if (base == null) {
      throw CqlException.invalid("Base table '%s' doesn't exist".formatted(create.base().table()));
    }
    Table there = keyspace.find(name);
    if (there != null && there.view() == null) {
      throw CqlException.invalid(
          "Cannot create materialized view '%s' - a table with the same name already exists"
              .formatted(name));
    }
    if (there != null) {
      if (create.unlessThere()) {
        return editor.schema();
      }
      throw CqlException.alreadyExists(keyspace.name(), name);
    }
    if (base.isCounter()) {
      throw CqlException.invalid("Materialized views are not supported on counter tables");
    }
    if (base.view() != null) {
      throw CqlException.invalid(
          "Materialized views cannot be created against other materialized views");
    }
    int nextColumn = Objects.requireNonNull(base.stored()).nextColumn();
    Table view = ViewValidator.made(create, base, editor.newNumber(UUID.randomUUID(), nextColumn));
    boolean _ = tell.test(SchemaChange.table(How.CREATED, keyspace.name(), name));
    return editor.schema().with(keyspace.with(view));
  }

  private @Nullable Table find(CqlKeyspace keyspace, TableName name, boolean ifThere) {
    Table view = keyspace.find(name.table());
    if (view == null || view.view() == null) {
      Schema _ = editor.missing(ifThere, MISSING.formatted(keyspace.name() + "." + name.table()));
      return null;
    }
    return view;
  }

  Schema alter(Definition.AlterView alter, Predicate<SchemaChange> tell) {
    CqlKeyspace keyspace = editor.keyspace(alter.view(), alter.ifThere(), MISSING);
    Table view = keyspace == null ? null : find(keyspace, alter.view(), alter.ifThere());
    if (keyspace == null || view == null) {
      return editor.schema();
    }
    Table altered = view.withOptions(OptionValidator.table(view.options(), alter.options()));
    if ("0".equals(altered.options().texts().get(GRACE))) {
      throw CqlException.invalid(
          "Cannot alter gc_grace_seconds of a materialized view to 0, since this value is used to"
              + " TTL undelivered updates. Setting gc_grace_seconds too low might cause undelivered"
              + " updates to expire before being replayed.");
    }
    if (altered.options().ttlSeconds() > 0) {
      throw CqlException.invalid(
          "Forbidden default_time_to_live detected for a materialized view. Data in a materialized"
              + " view always expire at the same time than the corresponding data in the parent"
              + " table. default_time_to_live must be set to zero, see CASSANDRA-12868 for more"
              + " information");
    }
    if (altered.equals(view)) {
      return editor.schema();
    }
    boolean _ = tell.test(SchemaChange.table(How.UPDATED, keyspace.name(), view.name()));
    return editor.schema().with(keyspace.with(altered));
  }

  Schema drop(Definition.DropTable drop, Predicate<SchemaChange> tell) {
    CqlKeyspace keyspace = editor.keyspace(drop.table(), drop.ifThere(), MISSING);
    Table view = keyspace == null ? null : find(keyspace, drop.table(), drop.ifThere());
    if (keyspace == null || view == null) {
      return editor.schema();
    }
    boolean _ = tell.test(SchemaChange.table(How.DROPPED, keyspace.name(), view.name()));
    return editor.schema().with(without(keyspace, view));
  }

  static CqlKeyspace without(CqlKeyspace keyspace, Table table) {
    List<Table> rest = new ArrayList<>(keyspace.tables());
    boolean _ = rest.remove(table);
    return keyspace.withTables(rest);
  }

  /// @throws CqlException when the table has views
  static void requireNone(CqlKeyspace keyspace, Table table) {
    List<String> views = keyspace.views(table.name()).stream().map(Table::name).toList();
    if (!views.isEmpty()) {
      throw CqlException.invalid(
          "Cannot drop a table when materialized views still depend on it (%s)"
              .formatted(String.join(", ", views)));
    }
  }

  /// A view with all columns of a table with static ones could not be made again from what DESCRIBE
  /// shows.
  static void requireNoStatics(CqlKeyspace keyspace, Table table, Alteration.Add add) {
    for (Table view : keyspace.views(table.name())) {
      Table.ViewOf of = view.view();
      if (of != null && of.all() && add.columns().stream().anyMatch(ColumnName::isStatic)) {
        throw CqlException.invalid(
            "Cannot add static columns to table '%s': materialized view '%s' has all of its columns"
                .formatted(table.name(), view.name()));
      }
    }
  }

  /// The keyspace with an altered table, and with its views, which follow it.
  static CqlKeyspace followed(CqlKeyspace keyspace, Table before, Table after) {
    CqlKeyspace all = keyspace.with(after);
    for (Table view : keyspace.views(before.name())) {
      all = all.with(ViewValidator.followed(view, before, after));
    }
    return all;
  }
}
