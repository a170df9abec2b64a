package io.widerow.query.cli;

import io.widerow.storage.EventStore;
import java.nio.file.Path;

/// Opens the directory of a stopped store for reading, so that the command line does not depend on
/// the kind of store.
@FunctionalInterface
public interface StoppedStore {
  /// @throws io.widerow.storage.StorageException when the store is in use or damaged, or the
  ///   directory holds none
  EventStore openReadOnly(Path directory);
}
