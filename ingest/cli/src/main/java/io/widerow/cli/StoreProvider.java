package io.widerow.cli;

import io.widerow.storage.EventStore;

/// Opens a store on other machines for reading, for `--store` of [QueryCommand] and [TypesCommand].
/// Implementations are found by [java.util.ServiceLoader], so that the command line does not depend
/// on the driver of a database, and starts without it.
///
/// - Threads: the calling thread, once per process.
public interface StoreProvider {
  /// True when the URI is of the kind of store that this provider opens; decided by its text alone,
  /// such as by the scheme `cassandra`.
  ///
  /// @param uri the value of `--store`, unchecked
  boolean opens(String uri);

  /// Opens the store for reading. Connects, and changes nothing there. The store starts the threads
  /// that it reads with itself, and [EventStore#close] ends them.
  ///
  /// @param uri the value of `--store`
  /// @param insecure whether another machine may be asked without TLS or without a user
  /// @throws IllegalArgumentException when the URI is malformed; its message names the value (exit
  ///   code 64)
  /// @throws io.widerow.storage.StorageException when the store cannot be reached, refuses the
  ///   credentials, or is not there (exit code by [ExitCode])
  EventStore open(String uri, boolean insecure);
}
