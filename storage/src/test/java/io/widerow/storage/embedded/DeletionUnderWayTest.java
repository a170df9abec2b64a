package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.EventBatch;
import io.widerow.event.Text;
import io.widerow.faults.DiskAround;
import io.widerow.faults.NumberedEvents;
import io.widerow.storage.Durability;
import io.widerow.storage.Filter;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.embedded.DeletionControl.Asked;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.live.StoreClock;
import io.widerow.storage.manifest.Deletion.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a deletion's journals are discarded although groups were in progress when it began, and a
/// store whose disk fails as it is closed can be opened again. Method: stores with the real
/// journal, whose files are larger than all written data.
class DeletionUnderWayTest {
  @TempDir private Path directory;

  private EmbeddedStore open(Disk disk) {
    StoreConfig config =
        StoreConfig.at(directory)
            .withMemory(4 << 20, Duration.ofHours(1))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0);
    return new EmbeddedStore(
        new StoreOpener(config, disk, StoreClock.system(), Runnable::run)
            .open(id -> ChronicleJournalFactory.of(config, disk, id, Runnable::run)));
  }

  private static void append(EmbeddedStore store, long first, long count) {
    try (var batch = new EventBatch(1 << 16, 1 << 22)) {
      for (long number = first; number < first + count; number++) {
        NumberedEvents.add(batch, number);
      }
      store.lane(0).append(batch, 0, (_, _) -> {});
    }
  }

  private static void commit(EmbeddedStore store) {
    store.lane(0).commit(Durability.DISK);
  }

  @Test
  void journalsGoWithTheNextEvents() {
    try (EmbeddedStore store = open(new RealDisk())) {
      append(store, 0, 100);
      commit(store);
      append(store, 100, 100); // in a frame that is written after the deletion has begun
      var filter = new Filter.Has(AttributeName.BODY, Text.of("killed"));
      var asked = new Asked(List.of(), Long.MIN_VALUE, Long.MAX_VALUE, "body has killed", filter);
      int id;
      try (StoreView view = store.view()) {
        id = store.deletions().plan(asked, view).id();
      }
      var _ = store.deletions().run(id);
      commit(store);
      store.sealAll();
      while (store.deletions().get(id).state() != State.DONE) {
        store.maintain();
      }
      assertFalse(store.deletions().standing(id).journals().isEmpty(), "nothing has come since");
      for (int group = 0; group < 3; group++) {
        store.maintain();
        append(store, 200 + group, 1);
        commit(store);
      }
      assertEquals(List.of(), store.deletions().standing(id).journals());
    }
  }

  /// A file that waits to be used again is what such a disk has room for.
  @Test
  void aFullDiskGetsBackWhatWaits() throws IOException {
    Path waits = directory.resolve("journal").resolve("0-used");
    var isFull = new AtomicBoolean();
    Disk disk =
        new DiskAround(new RealDisk()) {
          @Override
          public long usableBytes(Path path) {
            return isFull.get() ? -1 : super.usableBytes(path);
          }
        };
    try (EmbeddedStore store = open(disk)) {
      for (int group = 0; !Files.exists(waits); group++) {
        assertTrue(group < 1_000, "no file waits");
        append(store, 1_000L * group, 1_000);
        commit(store);
        store.sealAll();
      }
      store.maintain();
      assertTrue(Files.exists(waits));
      isFull.set(true);
      store.maintain();
      assertFalse(Files.exists(waits));
    }
  }

  @Test
  void aStoreThatCannotDeleteItsSpareFileIsClosed() {
    var isSick = new AtomicBoolean();
    Disk disk =
        new DiskAround(new RealDisk()) {
          @Override
          public void delete(Path path) {
            if (isSick.get()) {
              throw new StorageException.Failed(path, "delete", new IOException("read-only"));
            }
            super.delete(path);
          }
        };
    EmbeddedStore store = open(disk);
    for (int group = 0; !Files.exists(directory.resolve("journal").resolve("0-spare")); group++) {
      assertTrue(group < 1_000, "no spare file");
      append(store, 1_000L * group, 1_000);
      commit(store);
    }
    isSick.set(true);
    assertThrows(StorageException.Failed.class, store::close);
    isSick.set(false);
    open(disk).close();
  }
}
