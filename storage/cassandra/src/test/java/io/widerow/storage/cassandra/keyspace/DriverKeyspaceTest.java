package io.widerow.storage.cassandra.keyspace;

import io.widerow.cluster.CassandraNode;
import io.widerow.event.PartitionKey;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/// Goal and method: [KeyspaceContract], on a node of Cassandra.
@Tag("process")
class DriverKeyspaceTest extends KeyspaceContract {
  private static @Nullable DriverKeyspace keyspace;

  @BeforeAll
  static void open() {
    CassandraNode.require();
    String uri = CassandraNode.shared().uri("contract");
    keyspace = DriverKeyspace.open(ClusterOptions.at(StoreUri.parse(uri)));
  }

  @AfterAll
  static void close() {
    if (keyspace != null) {
      keyspace.close();
    }
  }

  @Override
  Keyspace keyspace() {
    return java.util.Objects.requireNonNull(keyspace);
  }

  @Override
  long projected(PartitionKey partition) {
    return CassandraNode.shared()
        .execute(
            "SELECT count(*) AS n FROM contract.events WHERE bucket = '"
                + Rows.bucket(partition)
                + "' AND type = '"
                + partition.type()
                + "' AND shard = 0")
        .getFirst()
        .getLong("n");
  }
}
