package io.widerow.storage.cassandra.keyspace;

import io.widerow.cluster.MemoryKeyspace;
import io.widerow.event.PartitionKey;

/// Goal and method: [KeyspaceContract], in memory.
class MemoryKeyspaceTest extends KeyspaceContract {
  private final MemoryKeyspace keyspace = new MemoryKeyspace();

  @Override
  Keyspace keyspace() {
    return keyspace;
  }

  @Override
  long projected(PartitionKey partition) {
    return keyspace.projected(partition).size();
  }
}
