package io.widerow.cql;

import io.widerow.cql.define.UserTables;
import io.widerow.cql.plan.Planner;
import io.widerow.cql.schema.Schema;
import io.widerow.cql.store.TableModel;
import io.widerow.cql.store.TableStore;
import io.widerow.cql.system.ServerCatalog;
import io.widerow.cql.system.ServerIdentity;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/// For tests: a server with tables, over the model of their store with a clock of its own unless
/// others are given.
public final class TableServer {
  private final Supplier<TableStore> store;
  private final InstantSource clock;
  private Duration passed = Duration.ZERO;
  private UserTables tables;

  public TableServer() {
    this(new TableModel());
  }

  private TableServer(TableStore model) {
    this(() -> model, steps());
  }

  /// A clock that starts with a second and moves a microsecond each time it is read: no test
  /// crosses the end of a second, however slow it is.
  private static InstantSource steps() {
    Instant start = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    AtomicLong micros = new AtomicLong();
    return () -> start.plus(micros.getAndIncrement(), ChronoUnit.MICROS);
  }

  /// @param store the present one, for each start
  public TableServer(Supplier<TableStore> store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
    this.tables = open();
  }

  private UserTables open() {
    UserTables opened =
        new UserTables(
            store.get(), () -> clock.instant().plus(passed), Runnable::run, Duration.ZERO);
    opened.continueBuilds();
    return opened;
  }

  public Planner planner() {
    ServerIdentity identity = new ServerIdentity(new UUID(1, 2), 9042, "5.0.9");
    return new Planner(new ServerCatalog(identity, List.of(), tables), tables);
  }

  /// The schema of tables.
  public Schema schema() {
    return tables.schema();
  }

  /// Records the schema changes of which clients are notified from now on, such as `UPDATED TABLE
  /// likes`.
  public List<String> changes() {
    List<String> changes = new ArrayList<>();
    tables.onChange(
        change -> changes.add("%s %s %s".formatted(change.how(), change.target(), change.name())));
    return changes;
  }

  /// Lets time pass.
  public void pass(Duration more) {
    passed = passed.plus(more);
  }

  /// Starts again with what the store has.
  public void restart() {
    tables = open();
  }

  /// Keys of the model that have rows or had some.
  public int keys() {
    return ((TableModel) store.get()).keys();
  }

  /// The entries of indexes that are missing, or that no row has.
  List<String> faultsOfIndexes() {
    return tables.checkIndexes().found();
  }

  /// Asks it, in a keyspace.
  public Asking asking(String keyspace) {
    return new Asking(this::planner, keyspace);
  }
}
