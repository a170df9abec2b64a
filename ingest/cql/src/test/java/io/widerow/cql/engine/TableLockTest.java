package io.widerow.cql.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.widerow.faults.DiskAround;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreOpener;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.live.StoreClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a process that lost the store's lock gives no file of a table its name, and deletes none:
/// they may be those of another process. Method: a lock that is lost while such a file is written.
class TableLockTest {
  private static final int PARTITION = 13;
  private static final String FILES = "tables/segments";

  @TempDir private Path directory;

  /// A disk that loses the lock when a file of a table is begun.
  private static final class LosingDisk extends DiskAround {
    private final List<Path> changed = new CopyOnWriteArrayList<>();
    private volatile @Nullable String lost;

    LosingDisk() {
      super(new RealDisk());
    }

    @Override
    public DiskFile create(Path file) {
      if (String.valueOf(file.getParent()).endsWith(FILES)) {
        lost = "LOCK: it is gone";
      }
      return super.create(file);
    }

    @Override
    public void rename(Path source, Path target) {
      note(target);
      super.rename(source, target);
    }

    @Override
    public void delete(Path path) {
      note(path);
      super.delete(path);
    }

    private void note(Path path) {
      if (lost != null && String.valueOf(path.getParent()).endsWith(FILES)) {
        changed.add(path);
      }
    }

    @Override
    public Lock lock(Path file, String owner) {
      Lock held = super.lock(file, owner);
      return new Lock() {
        @Override
        public @Nullable String lost() {
          return lost;
        }

        @Override
        public void close() throws IOException {
          held.close();
        }
      };
    }
  }

  @Test
  void aFileGetsNoNameWithoutTheLock() {
    var disk = new LosingDisk();
    StoreConfig config =
        StoreConfig.at(directory.resolve("store"))
            .withMemory(4 << 20, Duration.ofMinutes(1))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0);
    try (var store =
        new EmbeddedStore(
            new StoreOpener(config, disk, StoreClock.system(), Runnable::run)
                .open(id -> ChronicleJournalFactory.of(config, disk, id, Runnable::run)))) {
      byte[] key = new byte[PARTITION + 1];
      key[0] = 1;
      store
          .extension(TableEngine.class)
          .write((_, out) -> {
            out.row(key, PARTITION).live(10, 0, 0).cell(1, null, new byte[10], 10, 0, 0);
            return true;
          })
          .join();
      assertThrows(StorageException.Failed.class, store::sealAll);
      assertEquals(List.of(), disk.changed);
    }
  }
}
