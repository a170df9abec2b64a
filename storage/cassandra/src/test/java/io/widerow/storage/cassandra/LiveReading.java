package io.widerow.storage.cassandra;

import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.read.ClusterReader;
import io.widerow.storage.cassandra.read.ReadOptions;
import io.widerow.storage.cassandra.upkeep.Policies;
import io.widerow.storage.cassandra.upkeep.Upkeep;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// How a store of a test with real nodes reads, merges and drops: as a daemon does.
final class LiveReading implements CassandraStore.Reading {
  private final Keyspace keyspace;
  private final Executor background;
  private final Policies policies;
  private final ClusterReader reader;
  private volatile @Nullable Upkeep upkeep;

  LiveReading(Keyspace keyspace, Executor background) {
    this.keyspace = keyspace;
    this.background = background;
    this.policies = new Policies(keyspace, 0, System::currentTimeMillis);
    this.reader = new ClusterReader(keyspace, policies, ReadOptions.DEFAULT, background);
  }

  /// Merges from now on, as this daemon.
  void merge(int daemon) {
    upkeep = new Upkeep(keyspace, daemon, policies, Duration.ZERO, System::currentTimeMillis);
  }

  @Override
  public StoreView view() {
    return reader.view();
  }

  @Override
  public StoreView viewWithin(long nanos) {
    return reader.view();
  }

  @Override
  public void retain(@Nullable String type, @Nullable Duration age) {
    policies.set(type, age);
  }

  @Override
  public void maintain() {
    Upkeep now = upkeep;
    if (now != null) {
      now.maintain(background);
    }
  }

  @Override
  public void close() {
    Upkeep now = upkeep;
    if (now != null) {
      now.close();
    }
    reader.close();
  }
}
