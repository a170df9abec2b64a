package io.widerow.cql.define;

import io.widerow.cql.change.ChangeGroup;
import io.widerow.cql.change.RowChange;
import io.widerow.cql.change.TableWriter;
import io.widerow.cql.parse.Definition;
import io.widerow.cql.schema.RowSource;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.TableStore;
import io.widerow.cql.table.TableSizes;
import io.widerow.cql.table.TableSource;
import java.time.InstantSource;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The tables of users: their schema, their rows, and the way to change both.
///
/// - Threads: any; what changes something waits until it is durable.
public final class UserTables {
  private final TableWriter writer;
  private final TableSchema schema;

  /// Reads the schema that the store has.
  ///
  /// @param clock of writes and of expiry
  public UserTables(TableStore store, InstantSource clock) {
    this.writer = new TableWriter(store, clock);
    this.schema = new TableSchema(writer);
  }

  public Schema schema() {
    return schema.schema();
  }

  /// Calls a listener after each change of the schema, on the thread that has asked for it.
  public void onChange(Consumer<SchemaChange> listener) {
    schema.onChange(listener);
  }

  /// The widest partitions of all tables, as a table.
  public RowSource sizes() {
    return new TableSizes(this::schema, writer.store(), writer.clock());
  }

  public RowSource source(Table table) {
    return new TableSource(table, writer.store(), writer.clock());
  }

  /// Changes the schema.
  ///
  /// @param inUse the keyspace of names without one; null for none
  /// @param cancelled whether no client waits for it any more; then a view is not filled further
  /// @return null when nothing had to change
  public @Nullable SchemaChange change(
      Definition definition, @Nullable String inUse, BooleanSupplier cancelled) {
    return schema.change(definition, inUse, cancelled);
  }

  /// Makes changes of rows, all of them or none.
  ///
  /// @param once null for changes that are made each time
  public ChangeGroup.Outcome write(List<RowChange> changes, ChangeGroup.@Nullable Once once) {
    return writer.write(new ChangeGroup(writer, changes, schema, once));
  }
}
