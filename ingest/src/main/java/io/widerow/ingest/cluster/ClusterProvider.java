package io.widerow.ingest.cluster;

import io.widerow.query.cli.StoreProvider;
import io.widerow.storage.EventStore;
import io.widerow.storage.cassandra.ClusterStores;
import io.widerow.storage.cassandra.keyspace.ClusterOptions;
import io.widerow.storage.cassandra.keyspace.StoreUri;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Opens stores on Apache Cassandra for the commands that read, without a daemon.
public final class ClusterProvider implements StoreProvider {
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);

  @Override
  public boolean opens(String uri) {
    return uri.startsWith("cassandra:");
  }

  @Override
  public EventStore open(String uri, Map<String, String> settings) {
    DriverLog.silence();
    return ClusterStores.openForReading(
        new ClusterOptions(
            StoreUri.parse(uri),
            settings.get("cluster-user"),
            path(settings, "cluster-password-file"),
            path(settings, "cluster-ca"),
            path(settings, "cluster-cert"),
            path(settings, "cluster-key"),
            ClusterOptions.Consistency.parse(
                settings.getOrDefault("cluster-consistency", "LOCAL_QUORUM")),
            REQUEST_TIMEOUT,
            false,
            Boolean.parseBoolean(settings.getOrDefault("insecure", "false"))));
  }

  private static @Nullable Path path(Map<String, String> settings, String key) {
    String value = settings.get(key);
    return value == null ? null : Path.of(value);
  }
}
