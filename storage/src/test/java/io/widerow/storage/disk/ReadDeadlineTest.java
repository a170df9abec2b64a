package io.widerow.storage.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.Appends;
import io.widerow.faults.DiskAround;
import io.widerow.faults.DiskFileAround;
import io.widerow.faults.NumberedEvents;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.storage.Durability;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.WouldBlockException;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreOpener;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.live.StoreClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a view with a read deadline shows what any other view shows while the data is in memory.
/// It ends with [WouldBlockException] when the data is not in memory or reading takes too long, and
/// leaves everything usable. Method: the real disk, one that says at random that it would wait, and
/// a sparse file that was never read.
@Timeout(300)
class ReadDeadlineTest {
  private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int PAGE = 4 << 10;

  @TempDir private Path directory = Path.of(".");

  /// A disk that reports some parts as not in memory.
  private static final class ForgetfulDisk extends DiskAround {
    final AtomicBoolean forgets = new AtomicBoolean();
    private final SplittableRandom random = new SplittableRandom(11);

    ForgetfulDisk() {
      super(new RealDisk());
    }

    @Override
    public DiskFile open(Path file) {
      return new DiskFileAround(super.open(file)) {
        @Override
        public boolean isResident(long offset, long bytes) {
          return super.isResident(offset, bytes) && !(forgets.get() && random.nextInt(20) == 0);
        }
      };
    }
  }

  private EmbeddedStore open(Disk disk) {
    StoreConfig config =
        StoreConfig.at(directory.resolve("s"))
            .withLanes(1, 4)
            .withBuckets(60, Map.of())
            .withMemory(8 << 20, Duration.ofHours(1))
            .withDiskReserveBytes(0);
    return new EmbeddedStore(
        new StoreOpener(config, disk, StoreClock.system(), Runnable::run)
            .open(id ->
                ChronicleJournalFactory.of(
                    config.directory(), config.journalFileBytes(), disk, id, Runnable::run)));
  }

  /// Writes events: some sealed, in several segments and partitions, and some not.
  private static void fill(EmbeddedStore store) {
    for (int part = 0; part < 6; part++) {
      try (var batch = new EventBatch(1 << 16, 1 << 22)) {
        for (int i = 0; i < 500; i++) {
          NumberedEvents.add(batch, part * 500L + i);
        }
        Appends.all(store.lane(0), batch, part);
        store.lane(0).commit(Durability.OS);
      }
      if (part < 5) {
        store.sealAll();
      }
    }
  }

  private static List<StoreModel.Shown> read(StoreView view) {
    try (view) {
      return StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all());
    }
  }

  @Test
  void whatIsInMemoryIsShownAsUsual() {
    try (EmbeddedStore store = open(new RealDisk())) {
      fill(store);
      List<StoreModel.Shown> all = read(store.view());
      assertTrue(all.size() > 1_000, () -> all.size() + " events");
      assertEquals(all, read(store.viewWithin(LONG_NANOS)));
    }
  }

  @Test
  void aReadThatNeedsTheDiskEndsAndBreaksNothing() {
    ForgetfulDisk disk = new ForgetfulDisk();
    try (EmbeddedStore store = open(disk)) {
      fill(store);
      List<StoreModel.Shown> all = read(store.view());
      disk.forgets.set(true);
      int ended = 0;
      int whole = 0;
      for (int i = 0; i < 200; i++) {
        try {
          assertEquals(all, read(store.viewWithin(LONG_NANOS)));
          whole++;
        } catch (WouldBlockException _) {
          ended++;
          assertEquals(all, read(store.view()), "the readers that it gave back");
        }
      }
      assertTrue(ended > 0 && whole > 0, ended + " ended, " + whole + " whole");
    }
  }

  @Test
  void aViewWithoutTimeReadsNoFile() {
    try (EmbeddedStore store = open(new RealDisk())) {
      fill(store);
      assertThrows(WouldBlockException.class, () -> read(store.viewWithin(0)));
    }
  }

  /// The last reader of a replaced segment leaves closing and deleting the file to another thread.
  @Test
  void aDeadlineBoundViewDeletesNoFiles() throws IOException {
    List<Runnable> background = new ArrayList<>();
    AtomicBoolean later = new AtomicBoolean();
    StoreConfig config =
        StoreConfig.at(directory.resolve("s"))
            .withLanes(1, 4)
            .withBuckets(60, Map.of())
            .withMemory(8 << 20, Duration.ofHours(1))
            .withAges(Duration.ZERO, null)
            .withDiskReserveBytes(0);
    try (EmbeddedStore store =
        EmbeddedStore.open(
            config,
            task -> {
              if (later.get()) {
                background.add(task);
              } else {
                task.run();
              }
            })) {
      fill(store);
      store.sealAll();
      StoreView hasty = store.viewWithin(LONG_NANOS);
      List<StoreModel.Shown> all = read(store.view());
      store.maintain(); // merges
      assertTrue(store.statistics().merged() > 0);
      long files = files();
      later.set(true);
      assertEquals(all, read(hasty)); // and closes it
      assertEquals(files, files());
      assertFalse(background.isEmpty());
      later.set(false);
      background.forEach(Runnable::run);
      assertTrue(files() < files, "the merged ones are gone");
      assertEquals(all, read(store.view()));
    }
  }

  private long files() throws IOException {
    try (var files = Files.list(directory.resolve("s").resolve("segments"))) {
      return files.count();
    }
  }

  @Test
  void theKernelSaysWhichPagesItHas() throws IOException {
    Path file = directory.resolve("f");
    try (FileChannel holes =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      holes.write(ByteBuffer.allocate(1), 8 * PAGE - 1);
    }
    try (DiskFile read = new RealDisk().open(file);
        FileChannel one = FileChannel.open(file, StandardOpenOption.WRITE)) {
      assertFalse(read.isResident(0, 8 * PAGE));
      assertFalse(read.isResident(6 * PAGE + 10, 20));
      one.write(ByteBuffer.allocate(2 * PAGE), 2 * PAGE);
      assertTrue(read.isResident(2 * PAGE, 2 * PAGE));
      assertTrue(read.isResident(3 * PAGE - 1, 2));
      assertFalse(read.isResident(2 * PAGE - 1, 2));
      assertFalse(read.isResident(4 * PAGE - 1, 2));
      assertFalse(read.isResident(8 * PAGE - 1, 2), "after the end");
    }
  }
}
