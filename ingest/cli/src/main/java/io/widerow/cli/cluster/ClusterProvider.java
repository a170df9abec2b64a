package io.widerow.cli.cluster;

import io.widerow.cli.StoreProvider;
import io.widerow.storage.EventStore;
import io.widerow.storage.cassandra.ClusterStores;
import io.widerow.storage.cassandra.keyspace.ClusterOptions;
import java.time.Duration;

/// Opens stores on Apache Cassandra for the commands that read, without a daemon.
public final class ClusterProvider implements StoreProvider {
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);

  @Override
  public boolean opens(String uri) {
    return uri.startsWith("cassandra:");
  }

  @Override
  public EventStore open(String uri, boolean insecure) {
    DriverLog.silence();
    return ClusterStores.openForReading(
        ClusterOptions.parse(uri, REQUEST_TIMEOUT, false, insecure));
  }
}
