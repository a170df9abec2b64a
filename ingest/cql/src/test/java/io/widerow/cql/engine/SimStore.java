package io.widerow.cql.engine;

import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreOpener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;

/// For tests of tables: a store of small files on a simulated disk.
public final class SimStore {
  private SimStore() {}

  /// Opens it. Writes to its tables run on the caller's thread.
  public static EmbeddedStore open(
      SimDisk disk, TestClock clock, SplittableRandom random, Executor background) {
    StoreConfig config =
        StoreConfig.at(Path.of("/store"))
            .withMemory(2 << 20, Duration.ofMinutes(1))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0);
    int fileBytes = 1 << random.nextInt(8, 13);
    EmbeddedStore store =
        new EmbeddedStore(
            new StoreOpener(config, disk, clock, background)
                .open(_ -> new FileJournal.Factory(disk, config, fileBytes)));
    store.extension(TableEngine.class).writeOn(Runnable::run);
    return store;
  }
}
