package io.widerow.query;

import io.widerow.storage.EventStore;
import java.nio.file.Path;

/// Opens the directory of a stopped store for reading. Keeps the command line apart from the kind
/// of store.
@FunctionalInterface
public interface StoreOpener {
  /// @throws io.widerow.storage.StorageException when it is in use, damaged or no store
  EventStore openReadOnly(Path directory);
}
