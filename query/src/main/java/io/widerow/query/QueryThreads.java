package io.widerow.query;

import io.widerow.storage.EmbeddedStore;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// The threads that help the queries of this process; each query has one of its own besides.
///
/// - Some read ahead: they wait for the disk, nearly all of their time.
/// - One for each further processor looks through blocks, all queries together: however many there
///   are, they take no more threads from those who write.
///
/// They end when there is nothing to do. What comes when all are busy and many wait is dropped:
/// whoever wants it does it later.
public final class QueryThreads {
  private static final int READERS = 8; // so many requests keep an SSD busy
  private static final int RANGES_QUEUED_MAX = 1_024;
  private static final int BLOCKS_QUEUED_MAX = 64;
  private static final long IDLE_SECONDS = 10;

  private QueryThreads() {}

  /// Gives a store's views threads of their own.
  public static void help(EmbeddedStore store) {
    store.readAheadOn(threads("widerow-read-ahead-", READERS, RANGES_QUEUED_MAX));
    int further = Runtime.getRuntime().availableProcessors() - 1;
    if (further > 0) {
      store.searchOn(threads("widerow-search-", further, BLOCKS_QUEUED_MAX));
    }
  }

  private static Executor threads(String name, int count, int queuedMax) {
    ThreadFactory factory = Thread.ofPlatform().daemon().name(name, 0).factory();
    var pool =
        new ThreadPoolExecutor(
            count,
            count,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(queuedMax),
            factory,
            new ThreadPoolExecutor.DiscardPolicy());
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
