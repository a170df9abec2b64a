package io.widerow.loadgen.wire;

import java.io.IOException;

/// Opens stores of Widerow in this process, as an application that embeds Widerow does. Found as a
/// service by [StoreProgram].
///
/// - Threads: any.
public interface StoreAccess {
  /// Opens a store on Cassandra for reading.
  ///
  /// @param uri `cassandra://...`, as `query --store` takes it
  /// @return who owns the store and reads all its events
  /// @throws IOException when there is no such store, or it cannot be reached
  PeerReader reader(String uri) throws IOException;
}
