package io.widerow.ingest;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Caches of series, for as many decoders as decode at a time.
///
/// - Threads: any.
/// - Memory: up to [#CACHES_MAX] caches, made when they are first needed.
final class SeriesCaches {
  private static final int CACHES_MAX = Math.min(8, Runtime.getRuntime().availableProcessors());

  private final ConcurrentLinkedQueue<SeriesCache> idle = new ConcurrentLinkedQueue<>();
  private final AtomicInteger made = new AtomicInteger();

  /// A cache, to be handed to [#give] afterwards; null when all are in use.
  @Nullable SeriesCache take() {
    SeriesCache cache = idle.poll();
    if (cache != null) {
      return cache;
    }
    return made.getAndUpdate(count -> Math.min(CACHES_MAX, count + 1)) < CACHES_MAX
        ? new SeriesCache()
        : null;
  }

  void give(@Nullable SeriesCache cache) {
    if (cache != null) {
      idle.add(cache);
    }
  }
}
