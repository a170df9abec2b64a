package io.widerow.storage.cassandra.read;

import io.widerow.event.EventView;
import io.widerow.storage.EventCursor;
import io.widerow.storage.ScanStatistics;
import java.util.concurrent.CompletableFuture;

/// The cursor of an open query on a cluster: the merge of its segments, and their multi-get.
///
/// - Threads: one.
/// - Memory: owns both; [#close] cancels requests in flight.
final class ClusterCursor implements EventCursor {
  private final EventCursor merge;
  private final ReadAhead ahead;
  private long waitsSince; // when the merge began to wait; 0 while it does not
  private boolean closed;

  ClusterCursor(EventCursor merge, ReadAhead ahead) {
    this.merge = merge;
    this.ahead = ahead;
  }

  @Override
  public Step next() {
    Step step = merge.next();
    if (step == Step.PENDING) {
      waitsSince = waitsSince == 0 ? System.nanoTime() | 1 : waitsSince;
    } else if (waitsSince != 0) {
      ahead.counts().waited(System.nanoTime() - waitsSince);
      waitsSince = 0;
    }
    return step;
  }

  @Override
  public CompletableFuture<Void> ready() {
    return ahead.ready();
  }

  @Override
  public EventView event() {
    return merge.event();
  }

  @Override
  public ScanStatistics statistics() {
    return merge.statistics();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      merge.close();
      ahead.close();
    }
  }
}
