package io.widerow.storage.cassandra.read;

import io.widerow.event.EventView;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.ScanStatistics;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Shows the events of a merged segment that are in a view and arrived since a position.
///
/// - Threads: one.
/// - Memory: owns its input.
final class ArrivalCursor implements EventCursor {
  private final EventCursor input;
  private final @Nullable ClusterArrivals position;
  private final @Nullable ClusterArrivals since;
  private final int shard;
  private long dropped;

  /// @param position of the view; null when it shows all events of the segment
  /// @param since null when all of them are wanted
  ArrivalCursor(
      EventCursor input,
      @Nullable ClusterArrivals position,
      @Nullable ClusterArrivals since,
      int shard) {
    this.input = input;
    this.position = position;
    this.since = since;
    this.shard = shard;
  }

  @Override
  public Step next() {
    while (true) {
      Step step = input.next();
      if (step != Step.EVENT || isShown(input.event())) {
        return step;
      }
      dropped++;
    }
  }

  private boolean isShown(EventView event) {
    return (position == null || !position.isNew(event, shard))
        && (since == null || since.isNew(event, shard));
  }

  @Override
  public CompletableFuture<Void> ready() {
    return input.ready();
  }

  @Override
  public EventView event() {
    return input.event();
  }

  @Override
  public ScanStatistics statistics() {
    ScanStatistics all = input.statistics();
    return new ScanStatistics(
        all.blocksRead(),
        all.blocksSkipped(),
        all.bytesRead(),
        all.eventsScanned(),
        all.eventsKept() - dropped);
  }

  @Override
  public void close() {
    input.close();
  }
}
