package io.widerow.storage.cassandra;

import io.widerow.event.EventId;
import io.widerow.storage.ClockReport;
import io.widerow.storage.EventStore;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreStatistics;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A store on a cluster that is only read, without a directory on this machine.
///
/// - Threads: any.
final class ClusterReadStore implements EventStore {
  private final Keyspace keyspace;
  private final ClusterReading reading;
  private final Runnable closed;

  /// @param closed called after everything else is closed
  ClusterReadStore(Keyspace keyspace, ClusterReading reading, Runnable closed) {
    this.keyspace = keyspace;
    this.reading = reading;
    this.closed = closed;
  }

  private static StorageException readOnly() {
    return new StorageException.ReadOnly("the store was opened for reading");
  }

  @Override
  public int lanes() {
    return 0;
  }

  @Override
  public LaneWriter lane(int lane) {
    throw readOnly();
  }

  @Override
  public int laneOf(EventId id, int lanesThen) {
    throw readOnly();
  }

  @Override
  public byte[] secret() {
    return HexFormat.of().parseHex(keyspace.identity().secret());
  }

  @Override
  public long arrivalNanos() {
    throw readOnly();
  }

  @Override
  public long nowNanos() {
    return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
  }

  @Override
  public ClockReport clock() {
    throw readOnly();
  }

  @Override
  public void acceptClock() {
    throw readOnly();
  }

  @Override
  public StoreView view() {
    return reading.view();
  }

  @Override
  public StoreView viewWithin(long nanos) {
    return reading.viewWithin(nanos);
  }

  @Override
  public void retain(@Nullable String type, @Nullable Duration age) {
    throw readOnly();
  }

  @Override
  public void maintain() {
    reading.maintain();
  }

  @Override
  public StoreStatistics statistics() {
    return new StoreStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "", "", List.of());
  }

  @Override
  public @Nullable String full() {
    return null;
  }

  @Override
  public void close() {
    reading.close();
    keyspace.close();
    closed.run();
  }
}
