package io.widerow.storage.cassandra.apply;

import io.widerow.event.PartitionKey;

/// The time to live of the rows of a partition in the cluster.
@FunctionalInterface
public interface TimeToLive {
  /// Seconds after which the cluster drops a partition's rows by itself; 0 for never.
  ///
  /// @param nodesMillis the time of the nodes, in milliseconds since the Unix epoch: they count the
  ///   seconds
  int seconds(PartitionKey partition, long nodesMillis);
}
