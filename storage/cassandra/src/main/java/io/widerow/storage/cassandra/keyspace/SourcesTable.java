package io.widerow.storage.cassandra.keyspace;

import static io.widerow.storage.cassandra.keyspace.StatementRunner.now;
import static io.widerow.storage.cassandra.keyspace.StatementRunner.together;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import io.widerow.storage.SourceRange;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/// The positions of sources, on a real cluster. As [Keyspace] has them.
///
/// - Threads: any.
final class SourcesTable {
  private final StatementRunner runner;
  private final ConsistencyLevel serial;

  SourcesTable(StatementRunner runner, ConsistencyLevel serial) {
    this.runner = runner;
    this.serial = serial;
  }

  CompletableFuture<SourceRows> source(UUID topic, int partition) {
    return runner
        .rows(
            "reading the position of a source",
            runner
                .bind(StoreStatements.Kind.SOURCE_SELECT, topic, partition)
                .setConsistencyLevel(serial), // what a time-out has left in doubt is decided first
            row -> row)
        .thenApply(SourcesTable::rows);
  }

  private static SourceRows rows(List<Row> rows) {
    List<SourceRows.Owed> claims = new ArrayList<>();
    for (Row row : rows) {
      if (!row.isNull("daemon")) { // a partition without claims has one row
        claims.add(
            new SourceRows.Owed(
                row.getInt("daemon"),
                row.getInt("claim_term"),
                row.getLong("first"),
                row.getLong("next"),
                row.getLong("stamp")));
      }
    }
    Row any = rows.isEmpty() ? null : rows.getFirst();
    return any == null || any.isNull("position")
        ? new SourceRows(SourceRange.NO_TERM, 0, -1, claims)
        : new SourceRows(
            any.getInt("term"), any.getLong("position"), any.getInt("leader_epoch"), claims);
  }

  CompletableFuture<Boolean> advance(SourceRange range, int daemon, long stamp, boolean owes) {
    BoundStatement moved = moved(range);
    Statement<?> both =
        owes
            ? together(
                moved,
                runner.bind(
                    StoreStatements.Kind.SOURCE_OWE,
                    range.topic(),
                    range.partition(),
                    daemon,
                    range.term(),
                    range.from(),
                    range.next(),
                    stamp))
            : moved;
    return runner.run("claiming offsets of a source", both, answer -> now(answer.wasApplied()));
  }

  private BoundStatement moved(SourceRange range) {
    SourceRange.Released again = range.again();
    if (again != null) {
      return runner.bind(
          StoreStatements.Kind.SOURCE_AGAIN,
          range.next(),
          range.topic(),
          range.partition(),
          again.daemon(),
          again.stamp(),
          range.from());
    }
    boolean isNew = range.fromTerm() == SourceRange.NO_TERM;
    return runner.bind(
        StoreStatements.Kind.SOURCE_MOVE,
        range.term(),
        range.next(),
        range.leaderEpoch(),
        range.topic(),
        range.partition(),
        isNew ? null : range.fromTerm(),
        isNew ? null : range.from());
  }
}
