package io.widerow.storage.cassandra.keyspace;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import io.widerow.event.PartitionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Binds and runs prepared statements; failures are as [Keyspace] has them.
///
/// - Threads: any.
final class StatementRunner {
  private final CqlSession session;
  private final StoreStatements statements;
  private final ClusterSchema schema;

  StatementRunner(CqlSession session, StoreStatements statements, ClusterSchema schema) {
    this.session = session;
    this.statements = statements;
    this.schema = schema;
  }

  BoundStatement bind(StoreStatements.Kind kind, @Nullable Object... values) {
    return statements.of(kind).bind(values);
  }

  BoundStatement bindPartition(
      StoreStatements.Kind kind, PartitionKey partition, @Nullable Object... more) {
    List<@Nullable Object> values = new ArrayList<>();
    values.add(Rows.bucket(partition));
    values.add(partition.type());
    values.add(partition.shard());
    for (Object one : more) {
      values.add(one);
    }
    return statements.of(kind).bind(values.toArray());
  }

  <T extends @Nullable Object> CompletableFuture<T> run(
      String what, Statement<?> statement, Function<AsyncResultSet, CompletionStage<T>> then) {
    CompletableFuture<T> answer =
        session.executeAsync(statement).thenCompose(then).toCompletableFuture();
    return answer.exceptionallyCompose(failure -> failed(what, failure));
  }

  /// The failure as the interface has it. A statement that was right at the start and is wrong now
  /// says what happened to the tables.
  <T extends @Nullable Object> CompletableFuture<T> failed(String what, Throwable failure) {
    RuntimeException known = KeyspaceErrors.of(what, failure);
    if (!(known.getCause() instanceof InvalidQueryException)) {
      return CompletableFuture.failedFuture(known);
    }
    return schema
        .trouble()
        .exceptionally(_ -> "") // the cluster is unreachable: the first failure is enough
        .<T>thenCompose(trouble ->
            CompletableFuture.failedFuture(
                trouble.isEmpty()
                    ? known
                    : new KeyspaceException(
                        KeyspaceException.Kind.REFUSED, what + ": " + trouble, known)))
        .toCompletableFuture();
  }

  static <T extends @Nullable Object> CompletionStage<T> now(T value) {
    return CompletableFuture.completedFuture(value);
  }

  CompletableFuture<Void> done(String what, Statement<?> statement) {
    return run(what, statement, _ -> CompletableFuture.allOf());
  }

  /// All rows of all pages, in order.
  <T> CompletableFuture<List<T>> rows(String what, Statement<?> statement, Function<Row, T> read) {
    List<T> rows = new ArrayList<>();
    return run(what, statement, page -> collect(page, read, rows));
  }

  static <T> CompletionStage<List<T>> collect(
      AsyncResultSet page, Function<Row, T> read, List<T> rows) {
    page.currentPage().forEach(row -> rows.add(read.apply(row)));
    return page.hasMorePages()
        ? page.fetchNextPage().thenCompose(next -> collect(next, read, rows))
        : now(rows);
  }

  /// One mutation: all statements have the same partition key.
  static BatchStatement together(BatchableStatement<?>... all) {
    return BatchStatement.newInstance(DefaultBatchType.UNLOGGED, all).setIdempotent(true);
  }
}
