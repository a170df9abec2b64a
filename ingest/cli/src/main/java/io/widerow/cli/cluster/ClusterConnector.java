package io.widerow.cli.cluster;

/// Opens the cluster that a command names.
@FunctionalInterface
public interface ClusterConnector {
  /// @param uri `cassandra://host[:port][,...]/keyspace?dc=...`
  /// @param insecure whether another machine may be without TLS or without a user
  /// @param make whether to make the keyspace and its tables where they are missing
  /// @throws IllegalArgumentException when the URI or a flag cannot be used
  /// @throws io.widerow.storage.StorageException when the cluster cannot be asked or is no store
  OpenCluster open(String uri, boolean insecure, boolean make);
}
