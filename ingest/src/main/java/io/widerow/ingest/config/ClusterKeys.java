package io.widerow.ingest.config;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The store on a cluster.
///
/// @param acceptsRepeats whether batches that have waited for longer than [#claimKeep] are applied
public record ClusterKeys(ConfigValues values, boolean acceptsRepeats) {
  /// True with a store on a cluster.
  public boolean isOn() {
    return values.get(ConfigKeys.STORE).isPresent();
  }

  /// The URI of the cluster, with its keyspace, the local datacenter, and how to connect; null for
  /// a store on this machine.
  public @Nullable String store() {
    return values.get(ConfigKeys.STORE).orElse(null);
  }

  /// The longest wait of a request for the cluster.
  public Duration quorumWait() {
    return values.get(ConfigKeys.QUORUM_WAIT);
  }

  /// The time for which retries at another daemon are recognized.
  public Duration claimKeep() {
    return values.get(ConfigKeys.CLAIM_KEEP);
  }

  /// The limit of waiting bytes on this machine; null for the room of the disk.
  public @Nullable Long journalBytes() {
    return values.get(ConfigKeys.CLUSTER_JOURNAL_BYTES).orElse(null);
  }

  /// Whether rows get a time to live from the retention.
  public boolean ttl() {
    return values.get(ConfigKeys.CLUSTER_TTL);
  }

  /// Globs of the types that are also written as a row for each event.
  public List<String> rows() {
    return values.get(ConfigKeys.CLUSTER_ROWS);
  }

  /// Number of this daemon; null for the least that is free.
  public @Nullable Integer daemonNumber() {
    return values.get(ConfigKeys.DAEMON_NUMBER).orElse(null);
  }
}
