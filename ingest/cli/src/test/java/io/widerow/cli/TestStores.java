package io.widerow.cli;

import io.widerow.storage.EventStore;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;

/// Opens `test:DIRECTORY`, a store on this machine, as if it were one on a cluster.
public final class TestStores implements StoreProvider {
  private static final String SCHEME = "test:";

  /// What it was given last.
  static volatile boolean insecure;

  @Override
  public boolean opens(String uri) {
    return uri.startsWith(SCHEME);
  }

  @Override
  public EventStore open(String uri, boolean given) {
    insecure = given;
    if (uri.equals(SCHEME)) {
      throw new IllegalArgumentException("no directory in " + uri);
    }
    return EmbeddedStore.openForReading(Path.of(uri.substring(SCHEME.length())));
  }
}
