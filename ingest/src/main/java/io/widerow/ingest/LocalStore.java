package io.widerow.ingest;

import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.LayoutOptions;
import io.widerow.ingest.serve.reply.LowPriorityThread;
import io.widerow.query.QueryThreads;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/// Opens the store of a daemon in a directory of this machine, with its threads.
public final class LocalStore {
  private LocalStore() {}

  /// Opens the store that is configured. One background thread for two lanes, and two more, seal
  /// rows and create journal files, so that two can seal for one lane and files need not wait for
  /// them. Merging has its own thread. That one and the threads that search blocks for queries run
  /// at low priority.
  ///
  /// @throws io.widerow.storage.StorageException when the store cannot be opened
  public static EmbeddedStore open(DaemonConfig config) {
    Executor background =
        Executors.newFixedThreadPool(
            2 + (config.lanes() + 1) / 2,
            Thread.ofPlatform().name("widerow-background-", 0).daemon().factory());
    StoreConfig storeConfig = config.store().storeConfig(config.data(), config.lanes());
    EmbeddedStore store = EmbeddedStore.open(storeConfig, background);
    store.mergeOn(Executors.newSingleThreadExecutor(LowPriorityThread.factory("widerow-merge")));
    store.readWith(
        QueryThreads.start(
            LowPriorityThread.factory("widerow-search"), config.limits().searchThreads()));
    LayoutOptions layout = config.store().layout();
    store.layout().configure(layout.rules(), layout.weights(), layout.fit());
    store.retention().configure(config.store().policies(), config.store().retentionGrace());
    return store;
  }
}
