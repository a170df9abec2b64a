package io.widerow.storage.cassandra.keyspace;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import io.widerow.event.PartitionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// Reads directories with any number of rows, each as it was at one moment.
///
/// - Threads: any.
final class DirectoryReader {
  private static final int DIRECTORY_READS_MAX = 10;

  private final StatementRunner runner;

  DirectoryReader(StatementRunner runner) {
    this.runner = runner;
  }

  CompletableFuture<Directory> read(PartitionKey partition) {
    return read(partition, 1);
  }

  private CompletableFuture<Directory> read(PartitionKey partition, int attempt) {
    String what = "reading the directory of " + partition;
    List<DirectoryRow> rows = new ArrayList<>();
    List<Rows.State> states = new ArrayList<>();
    return runner.run(
        what,
        runner.bindPartition(StoreStatements.Kind.DIRECTORY_SELECT, partition),
        first -> {
          boolean paged = first.hasMorePages();
          return collect(first, partition, rows, states)
              .thenCompose(
                  _ -> paged ? state(partition, null) : StatementRunner.now(Rows.state(states)))
              .thenCompose(last -> {
                // Pages are read one after the other: a merge between two of them would take
                // rows away that the generation of the first page still needs.
                if (last.equals(Rows.state(states))) {
                  return StatementRunner.now(
                      new Directory(partition, last.generation(), last.covered(), rows));
                }
                if (attempt < DIRECTORY_READS_MAX) {
                  return read(partition, attempt + 1);
                }
                return CompletableFuture.failedFuture(
                    new KeyspaceException(
                        KeyspaceException.Kind.TIMEOUT,
                        what + ": it changed during each of " + attempt + " reads"));
              });
        });
  }

  private static CompletionStage<@Nullable Void> collect(
      AsyncResultSet page,
      PartitionKey partition,
      List<DirectoryRow> rows,
      List<Rows.State> states) {
    for (Row row : page.currentPage()) {
      Rows.State state = Rows.state(row);
      if (states.isEmpty() || !states.getLast().equals(state)) {
        states.add(state);
      }
      if (!row.isNull("tier")) { // without any row there is one for the generation
        rows.add(Rows.directoryRow(partition, row));
      }
    }
    return page.hasMorePages()
        ? page.fetchNextPage().thenCompose(next -> collect(next, partition, rows, states))
        : StatementRunner.now(null);
  }

  /// The state in force.
  ///
  /// @param serial consistency that also settles a swap in progress; null for the consistency of
  ///   all reads
  CompletableFuture<Rows.State> state(PartitionKey partition, @Nullable ConsistencyLevel serial) {
    BoundStatement select = runner.bindPartition(StoreStatements.Kind.DIRECTORY_STATE, partition);
    return runner.run(
        "reading the generation of " + partition,
        serial == null ? select : select.setConsistencyLevel(serial),
        page -> {
          Row row = page.one();
          return StatementRunner.now(row == null ? Rows.State.NONE : Rows.state(row));
        });
  }
}
