package io.widerow.storage.cassandra.keyspace;

import static io.widerow.storage.cassandra.keyspace.StatementRunner.together;

import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import io.widerow.event.PartitionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// The rows of events for users of CQL, on a real cluster. As [Keyspace] has them.
///
/// - Threads: any.
final class EventsTable {
  /// A batch of projected events is about this large.
  private static final int PROJECTED_BYTES = 32 * 1024;

  private static final int PROJECTED_IN_FLIGHT = 4;

  private final StatementRunner runner;

  EventsTable(StatementRunner runner) {
    this.runner = runner;
  }

  CompletableFuture<Void> project(PartitionKey partition, List<EventRow> events, int ttlSeconds) {
    List<BatchStatement> batches = new ArrayList<>();
    List<BatchableStatement<?>> batch = new ArrayList<>();
    long bytes = 0;
    for (EventRow event : events) {
      batch.add(
          runner.bindPartition(
              StoreStatements.Kind.EVENT_INSERT,
              partition,
              event.id().toUuid(),
              event.body(),
              event.attributes(),
              event.numbers(),
              ttlSeconds));
      bytes += Rows.bytes(event);
      if (bytes >= PROJECTED_BYTES) {
        batches.add(together(batch.toArray(new BatchableStatement<?>[0])));
        batch.clear();
        bytes = 0;
      }
    }
    if (!batch.isEmpty()) {
      batches.add(together(batch.toArray(new BatchableStatement<?>[0])));
    }
    List<CompletableFuture<Void>> chains = new ArrayList<>();
    for (int chain = 0; chain < Math.min(PROJECTED_IN_FLIGHT, batches.size()); chain++) {
      chains.add(projectFrom(partition, batches, chain));
    }
    return CompletableFuture.allOf(chains.toArray(new CompletableFuture<?>[0]));
  }

  private CompletableFuture<Void> projectFrom(
      PartitionKey partition, List<BatchStatement> batches, int at) {
    CompletableFuture<Void> one = runner.done("writing rows of " + partition, batches.get(at));
    int next = at + PROJECTED_IN_FLIGHT;
    return next < batches.size()
        ? one.thenCompose(_ -> projectFrom(partition, batches, next))
        : one;
  }
}
