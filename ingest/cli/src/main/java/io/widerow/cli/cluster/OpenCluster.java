package io.widerow.cli.cluster;

import io.widerow.event.PartitionKey;
import io.widerow.storage.FilteredRetention;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import java.util.SortedMap;

/// A cluster that a command has open.
public interface OpenCluster extends AutoCloseable {
  Keyspace keyspace();

  /// A view of the cluster now. The caller closes it.
  ///
  /// @throws io.widerow.storage.StorageException when the cluster cannot be asked
  StoreView view();

  /// The events that a policy hides, or would if it were set, by partition.
  ///
  /// @throws io.widerow.storage.StorageException when the cluster cannot be asked
  SortedMap<PartitionKey, Long> hiddenBy(FilteredRetention policy);

  @Override
  void close();
}
