package io.widerow.ingest.receive.influx;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A pool of series caches, one for each decoder at work.
///
/// - Threads: any.
/// - Memory: caches are created on demand, up to one per processor and a sixteenth of the heap.
final class SeriesCaches {
  private static final int HEAP_PART = 16;

  private final ConcurrentLinkedQueue<SeriesCache> idle = new ConcurrentLinkedQueue<>();
  private final AtomicInteger made = new AtomicInteger();
  private final int most;

  /// @param heapBytes largest heap of the process
  /// @param processors that may decode at a time
  SeriesCaches(long heapBytes, int processors) {
    most = Math.clamp(heapBytes / HEAP_PART / SeriesCache.BYTES_MAX, 1, Math.max(1, processors));
  }

  /// A cache, or null when all are in use. Give it back with [#give].
  @Nullable SeriesCache take() {
    SeriesCache cache = idle.poll();
    if (cache != null) {
      return cache;
    }
    boolean mayBeMade = made.getAndUpdate(count -> Math.min(most, count + 1)) < most;
    return mayBeMade ? new SeriesCache() : null;
  }

  void give(@Nullable SeriesCache cache) {
    if (cache != null) {
      idle.add(cache);
    }
  }
}
