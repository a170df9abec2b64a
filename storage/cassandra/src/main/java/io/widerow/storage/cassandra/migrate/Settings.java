package io.widerow.storage.cassandra.migrate;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/// The settings of a migration.
///
/// @param executor runs `threads` tasks at once
/// @param threads partitions or buckets copied at once, at least 1
/// @param patience how long a cluster that is away is waited for
/// @param pause waits for so many nanoseconds
public record Settings(Executor executor, int threads, Duration patience, LongConsumer pause) {
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  public Settings {
    if (threads < 1) {
      throw new IllegalArgumentException("threads must be at least 1, got " + threads);
    }
  }

  public static Settings of(Executor executor, int threads) {
    return new Settings(executor, threads, PATIENCE, LockSupport::parkNanos);
  }
}
