package io.widerow.loadgen.store;

import io.widerow.cli.cluster.ClusterProvider;
import io.widerow.loadgen.wire.PeerReader;
import io.widerow.loadgen.wire.StoreAccess;
import io.widerow.storage.StorageException;
import java.io.IOException;

/// Opens stores of Widerow in this process, as `query --store` does.
///
/// - Threads: any.
public final class OpenedStores implements StoreAccess {
  @Override
  public PeerReader reader(String uri) throws IOException {
    try {
      return new StoreRows(new ClusterProvider().open(uri, false));
    } catch (StorageException failure) {
      throw new IOException("opening " + uri + ": " + failure.getMessage(), failure);
    }
  }
}
