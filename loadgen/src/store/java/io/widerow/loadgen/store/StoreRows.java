package io.widerow.loadgen.store;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.loadgen.wire.PeerReader;
import io.widerow.query.QueryBudget;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.storage.EventCursor;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import java.io.IOException;
import java.util.List;

/// The events of a store through its reader of ranges. Each read has a view of its own, so it reads
/// the cluster's catalog and directories again, as each query to a daemon does.
///
/// - Threads: one.
/// - Memory: owns the store.
final class StoreRows implements PeerReader {
  private static final long NANOS_A_MICRO = 1_000;

  private final EventStore store;
  private final AttributeValue body = new AttributeValue();

  StoreRows(EventStore store) {
    this.store = store;
  }

  @Override
  public long read(long limit, boolean descending, RowSink sink) throws IOException {
    RangeQuery query =
        RangeQuery.ALL
            .withFields(List.of(AttributeName.BODY))
            .withDescending(descending)
            .withLimit(limit);
    long rows = 0;
    try (StoreView view = store.view();
        RangeReader reader = RangeReader.open(view, query, QueryBudget.DEFAULT)) {
      while (reader.nextWhenReady() == EventCursor.Step.EVENT) {
        EventView event = reader.event();
        String text = event.find(AttributeName.BODY, body) ? body.toString() : "";
        sink.row(Math.floorDiv(event.timeNanos(), NANOS_A_MICRO), event.type(), text);
        rows++;
      }
    } catch (StorageException failure) {
      throw new IOException("reading the store: " + failure.getMessage(), failure);
    }
    return rows;
  }

  @Override
  public void close() {
    store.close();
  }
}
