package io.widerow.cli.cluster;

import io.widerow.storage.RetentionSettings;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.keyspace.Keyspace;

/// A cluster that a command has open.
public interface OpenCluster extends AutoCloseable {
  Keyspace keyspace();

  /// A view of the cluster now. The caller closes it.
  ///
  /// @throws io.widerow.storage.StorageException when the cluster cannot be asked
  StoreView view();

  /// The retention of the store; its calls throw a [io.widerow.storage.StorageException] when the
  /// cluster cannot be asked.
  RetentionSettings retention();

  @Override
  void close();
}
