package io.widerow.ingest;

import java.util.HashMap;
import java.util.Map;

/// For tests: a daemon with a store in memory, and an HTTP client for it.
public class MemoryDaemon implements AutoCloseable {
  public final MemoryStore store;
  public final Daemon daemon;
  public final Http http;

  public MemoryDaemon(int lanes) {
    this(lanes, Map.of());
  }

  /// The same with other keys of the configuration, and limits.
  public MemoryDaemon(int lanes, Map<String, String> keys) {
    this(new MemoryStore(lanes), keys);
  }

  /// The same with a store that the test has prepared.
  public MemoryDaemon(MemoryStore store, Map<String, String> keys) {
    Map<String, String> all = new HashMap<>(keys);
    all.put("http", "127.0.0.1:0");
    all.put("lanes", Integer.toString(store.lanes()));
    this.store = store;
    daemon = Daemon.start(TunedConfig.of(all), store);
    http = new Http(daemon);
  }

  public final int port() {
    return daemon.httpAddress().getPort();
  }

  @Override
  public final void close() {
    http.close();
    daemon.close();
  }
}
