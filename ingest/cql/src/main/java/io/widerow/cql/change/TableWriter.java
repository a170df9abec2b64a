package io.widerow.cql.change;

import io.widerow.cql.store.TableStore;
import io.widerow.cql.store.TableWrite;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/// Sends all writes to the store of tables.
///
/// - Threads: any; the clocks only within a write, which the store runs one at a time.
public final class TableWriter {
  private final TableStore store;
  private final InstantSource clock;
  private volatile long last; // microseconds of the last write

  /// @param clock of writes and of expiry
  public TableWriter(TableStore store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
  }

  public InstantSource clock() {
    return clock;
  }

  public TableStore store() {
    return store;
  }

  /// Writes one group and waits until it is durable.
  public <T> T write(TableWrite<T> write) {
    try {
      return store.write(write).join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw failed;
    }
  }

  /// Times of writes are later than one that was written before a restart, whatever the clock
  /// reads.
  public void startAfter(long micros) {
    last = micros + 1;
  }

  /// The time of a write in microseconds: the clock's, and always later than the one before.
  public long timestamp() {
    Instant now = clock.instant();
    long micros =
        TimeUnit.SECONDS.toMicros(now.getEpochSecond())
            + TimeUnit.NANOSECONDS.toMicros(now.getNano());
    long next = Math.max(last + 2, micros); // replaced cells are deleted one microsecond earlier
    last = next;
    return next;
  }
}
