package io.widerow.ingest;

import io.widerow.event.EventBatch;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/// Batches that wait to be used again, so that taking one allocates nothing.
///
/// - Threads: any.
/// - Memory: at most [#KEPT_MAX] batches of [#KEPT_BYTES_MAX] each, until [#close].
final class BatchPool implements AutoCloseable {
  static final int KEPT_MAX = 64;
  static final long KEPT_BYTES_MAX = 2L << 20;

  private static final long BYTES_START = 64L << 10;

  private final ArrayBlockingQueue<EventBatch> idle = new ArrayBlockingQueue<>(KEPT_MAX);
  private final long batchBytesMax;
  private final int eventBytesMax;

  /// @param batchBytesMax records that one batch may hold
  /// @param eventBytesMax largest record
  BatchPool(long batchBytesMax, int eventBytesMax) {
    this.batchBytesMax = batchBytesMax;
    this.eventBytesMax = eventBytesMax;
  }

  /// An empty batch, to be handed to [#give] when it is no longer needed.
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
