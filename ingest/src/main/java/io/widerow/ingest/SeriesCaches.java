package io.widerow.ingest;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Caches of series, for as many decoders as decode at a time.
///
/// - Threads: any.
/// - Memory: caches are made when they are first needed, up to one for each processor, and a small
///   part of the heap.
final class SeriesCaches {
  private static final int HEAP_PART = 16;

  private final ConcurrentLinkedQueue<SeriesCache> idle = new ConcurrentLinkedQueue<>();
  private final AtomicInteger made = new AtomicInteger();
  private final int most;

  /// @param heapBytes the process may use
  /// @param processors that may decode at a time
  SeriesCaches(long heapBytes, int processors) {
    most = Math.clamp(heapBytes / HEAP_PART / SeriesCache.BYTES_MAX, 1, Math.max(1, processors));
  }

  /// A cache, to be handed to [#give] afterwards; null when all are in use.
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
