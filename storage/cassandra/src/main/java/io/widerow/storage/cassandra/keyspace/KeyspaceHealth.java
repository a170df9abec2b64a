package io.widerow.storage.cassandra.keyspace;

import java.util.Map;

/// The health of the cluster, as the connections see it.
///
/// @param nodesUp nodes of the local datacenter that respond
/// @param nodesDown nodes of the local datacenter that do not
/// @param replication replicas of the keyspace in the local datacenter
/// @param requests by node address: requests sent since the start
public record KeyspaceHealth(
    int nodesUp, int nodesDown, int replication, Map<String, Long> requests) {
  public KeyspaceHealth {
    requests = Map.copyOf(requests);
  }

  /// True when as many replicas can answer as a quorum needs, as far as the connections know.
  public boolean hasQuorum() {
    int missing = Math.max(0, nodesDown);
    return nodesUp > 0 && missing <= (replication - 1) / 2;
  }
}
