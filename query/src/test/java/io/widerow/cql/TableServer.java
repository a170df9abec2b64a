package io.widerow.cql;

import io.widerow.cql.define.Tables;
import io.widerow.cql.plan.Planner;
import io.widerow.cql.system.ServerCatalog;
import io.widerow.cql.system.ServerIdentity;
import io.widerow.table.TableModel;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/// For tests: a server with tables over the model of their store, and a clock of its own.
public final class TableServer {
  private final TableModel store = new TableModel();
  private Duration passed = Duration.ZERO;
  private Tables tables = open();

  private Tables open() {
    return new Tables(store, () -> Instant.now().plus(passed));
  }

  public Planner planner() {
    ServerIdentity identity = new ServerIdentity(new UUID(1, 2), 9042, "5.0.9");
    return new Planner(new ServerCatalog(identity, List.of(), tables), tables);
  }

  /// Lets time pass.
  public void pass(Duration more) {
    passed = passed.plus(more);
  }

  /// Starts again with what the store has.
  public void restart() {
    tables = open();
  }

  /// Keys of the store that have rows or had some.
  public int keys() {
    return store.keys();
  }

  /// Asks it, in a keyspace.
  public Asking asking(String keyspace) {
    return new Asking(this::planner, keyspace);
  }
}
