package io.widerow.cql.define;

import io.widerow.cql.change.ChangeGroup;
import io.widerow.cql.change.IndexCheck;
import io.widerow.cql.change.RowChange;
import io.widerow.cql.change.TableWriter;
import io.widerow.cql.parse.Definition;
import io.widerow.cql.schema.CqlKeyspace;
import io.widerow.cql.schema.RowSource;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.schema.SecondaryIndex;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.TableStore;
import io.widerow.cql.store.TableView;
import io.widerow.cql.table.SizeEstimates;
import io.widerow.cql.table.TableSizes;
import io.widerow.cql.table.TableSource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The tables of users: their schema, their rows, and the way to change both.
///
/// - Threads: any; what changes something waits until it is durable.
public final class UserTables {
  private static final Duration BUILD_WAIT = Duration.ofSeconds(1);

  private final TableWriter writer;
  private final TableSchema schema;
  private final Executor background;
  private final Duration buildWait;

  /// Reads the schema that the store has.
  ///
  /// @param clock of writes and of expiry
  public UserTables(TableStore store, InstantSource clock) {
    this(store, clock, Thread.ofVirtual().name("widerow-cql-index-", 1)::start, BUILD_WAIT);
  }

  /// @param background builds indexes
  /// @param buildWait how long CREATE INDEX waits for the build of its index
  public UserTables(
      TableStore store, InstantSource clock, Executor background, Duration buildWait) {
    this.writer = new TableWriter(store, clock);
    this.schema = new TableSchema(writer);
    this.background = background;
    this.buildWait = buildWait;
  }

  /// Continues the builds of indexes that have not ended before the last restart.
  public void continueBuilds() {
    schema.builds().startAll(background);
  }

  /// Ends the builds of indexes, before the store is closed. The next start continues them.
  public void endBuilds() {
    schema.builds().end();
  }

  /// All indexes, with the state of their builds.
  public List<IndexStatus> indexes() {
    IndexBuilds builds = schema.builds();
    return schema.schema().keyspaces().stream()
        .flatMap(keyspace -> keyspace.tables().stream())
        .flatMap(table ->
            table.indexes().stream()
                .map(index ->
                    new IndexStatus(
                        table,
                        index,
                        builds.isBuilt(index.number()),
                        builds.rowsRead(index.number()))))
        .toList();
  }

  public Schema schema() {
    return schema.schema();
  }

  /// Compares all indexes that are built with the rows of their tables.
  public IndexFindings checkIndexes() {
    IndexCheck check = new IndexCheck(writer.clock().instant().getEpochSecond());
    try (TableView view = writer.store().view()) {
      for (IndexStatus status : indexes()) {
        if (status.isBuilt()) {
          check.check(status.table(), status.index(), view);
        }
      }
    }
    return new IndexFindings(check.found(), check.bad(), check.entries());
  }

  /// Calls a listener after each change of the schema, on the thread that has asked for it.
  public void onChange(Consumer<SchemaChange> listener) {
    schema.onChange(listener);
  }

  /// The widest partitions of all tables, as a table.
  public RowSource sizes() {
    return new TableSizes(this::schema, writer.store(), writer.clock());
  }

  /// Estimates of the sizes of all tables, as the tables that tools read.
  public List<RowSource> estimates() {
    return List.of(
        SizeEstimates.primary(this::schema, writer.store(), writer.clock()),
        SizeEstimates.all(this::schema, writer.store(), writer.clock()));
  }

  public RowSource source(Table table) {
    return new TableSource(
        table, writer.store(), writer.clock(), number -> schema.builds().isBuilt(number));
  }

  /// Changes the schema. A new index is built in the background; so a small table has it when this
  /// returns, and a large one soon.
  ///
  /// @param inUse the keyspace of names without one; null for none
  /// @param cancelled whether no client waits for it any more; then a view is not filled further
  /// @return null when nothing had to change
  public @Nullable SchemaChange change(
      Definition definition, @Nullable String inUse, BooleanSupplier cancelled) {
    SchemaChange change = schema.change(definition, inUse, cancelled);
    if (change != null && definition instanceof Definition.CreateIndex) {
      awaitBuilds(change);
    }
    return change;
  }

  private void awaitBuilds(SchemaChange change) {
    CqlKeyspace keyspace = schema.schema().find(change.keyspace());
    Table table = keyspace == null ? null : keyspace.find(String.valueOf(change.name()));
    if (table == null) {
      return; // it was dropped in between
    }
    for (SecondaryIndex index : table.indexes()) {
      if (!schema.builds().isBuilt(index.number())) {
        await(schema.builds().start(index.number(), background));
      }
    }
  }

  private void await(CompletableFuture<Void> build) {
    try {
      var _ = build.get(buildWait.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException wait) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    } catch (TimeoutException _) {
      // the build continues, and queries by the index are refused until it has all rows
    }
  }

  /// Makes changes of rows, all of them or none.
  ///
  /// @param once null for changes that are made each time
  public ChangeGroup.Outcome write(List<RowChange> changes, ChangeGroup.@Nullable Once once) {
    return writer.write(new ChangeGroup(writer, changes, schema, once));
  }
}
