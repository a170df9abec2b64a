package io.widerow.query.result;

import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// A store on disk that a test seals, merges and restarts at random.
abstract class RestartedStore {
  @TempDir Path directory;

  @AutoClose EmbeddedStore store;

  @BeforeEach
  void open() {
    open(1);
  }

  private void open(int lanes) {
    StoreConfig config =
        StoreConfig.at(directory.resolve("store"))
            .withLanes(lanes, lanes)
            .withMemory(8L << 20, Duration.ofMinutes(10))
            .withJournal(1 << 20, 4 << 20)
            .withAges(Duration.ZERO, null);
    store = EmbeddedStore.open(config, Runnable::run);
  }

  final void keepUp(SplittableRandom random) {
    if (random.nextInt(12) == 0) {
      store.sealAll();
      store.maintain();
    }
    if (random.nextInt(40) == 0) {
      store.close();
      open(1 + random.nextInt(3));
    }
  }
}
