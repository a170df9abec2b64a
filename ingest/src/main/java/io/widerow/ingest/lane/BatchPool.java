package io.widerow.ingest.lane;

import io.widerow.event.EventBatch;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/// A pool of empty batches, so that taking one usually allocates nothing.
///
/// - Threads: any.
/// - Memory: keeps at most `kept` batches of [#KEPT_BYTES_MAX] each, until [#close].
public final class BatchPool implements AutoCloseable {
  static final long KEPT_BYTES_MAX = 2L << 20;

  private static final long BYTES_START = 64L << 10;

  private final ArrayBlockingQueue<EventBatch> idle;
  private final long batchBytesMax;
  private final int eventBytesMax;

  /// @param batchBytesMax most bytes of records in one batch
  /// @param eventBytesMax most bytes of one record
  /// @param kept idle batches at most
  public BatchPool(long batchBytesMax, int eventBytesMax, int kept) {
    this.batchBytesMax = batchBytesMax;
    this.eventBytesMax = eventBytesMax;
    idle = new ArrayBlockingQueue<>(kept);
  }

  /// An empty batch. Give it back with [#give].
  EventBatch take() {
    @Nullable EventBatch batch = idle.poll();
    return batch != null ? batch : new EventBatch(BYTES_START, batchBytesMax, eventBytesMax);
  }

  void give(EventBatch batch) {
    batch.clear();
    if (batch.memory().byteSize() > KEPT_BYTES_MAX || !idle.offer(batch)) {
      batch.close();
    }
  }

  @Override
  public void close() {
    EventBatch batch = idle.poll();
    while (batch != null) {
      batch.close();
      batch = idle.poll();
    }
  }
}
