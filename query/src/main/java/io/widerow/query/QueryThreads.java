package io.widerow.query;

import io.widerow.storage.ReadingThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// The helper threads that all queries of a process share. Each query also has a thread of its own.
///
/// - Read-ahead threads wait for the disk nearly all of their time.
/// - Search threads search blocks. There is at most one for each processor but one, so writers keep
///   a processor however many queries run.
///
/// Idle threads end. When all are busy and the queue is full, a task is dropped; the query then
/// does that work itself, later.
public final class QueryThreads {
  private static final int READERS = 8; // enough requests to keep an SSD busy
  private static final int RANGES_QUEUED_MAX = 1_024;
  private static final int BLOCKS_QUEUED_MAX = 64;
  private static final long IDLE_SECONDS = 10;

  private QueryThreads() {}

  /// Threads for the views of one store.
  public static ReadingThreads start() {
    return start(named("widerow-search-"), Runtime.getRuntime().availableProcessors() - 1);
  }

  /// @param searchers makes the threads that search blocks
  /// @param further number of these threads; 0 for none
  public static ReadingThreads start(ThreadFactory searchers, int further) {
    return new ReadingThreads(
        threads(named("widerow-read-ahead-"), READERS, RANGES_QUEUED_MAX),
        further > 0 ? threads(searchers, further, BLOCKS_QUEUED_MAX) : null);
  }

  private static ThreadFactory named(String prefix) {
    return Thread.ofPlatform().daemon().name(prefix, 0).factory();
  }

  private static Executor threads(ThreadFactory factory, int count, int queuedMax) {
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
