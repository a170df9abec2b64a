package io.widerow.query;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// The threads that read ahead of the queries of this process. They wait for the disk, nearly all
/// of their time, and end when there is nothing to read.
public final class ReadAhead {
  private static final int THREADS = 8; // so many requests keep an SSD busy
  private static final int QUEUED_MAX = 1_024;
  private static final long IDLE_SECONDS = 10;

  private ReadAhead() {}

  /// New threads. What comes when all are busy and a thousand ranges wait is dropped: whoever wants
  /// it reads it later.
  public static Executor threads() {
    ThreadFactory factory = Thread.ofPlatform().daemon().name("widerow-read-ahead-", 0).factory();
    var pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(QUEUED_MAX),
            factory,
            new ThreadPoolExecutor.DiscardPolicy());
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
