package io.widerow.storage.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.event.PartitionKey;
import io.widerow.faults.AccessLogEvents;
import io.widerow.faults.Appends;
import io.widerow.faults.Await;
import io.widerow.faults.DiskAround;
import io.widerow.faults.FileJournal;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.live.StoreClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: rows that recovery seals in parallel enter the manifest in order, all of them or those
/// before a failure, and there is memory for more sets of rows than in a running store. Method: the
/// files of a crashed store, and a disk that holds the first segments back until others are being
/// written and then fails the first or does not.
@Timeout(300)
class RecoverySealerTest {
  private static final int EVENTS = 20_000;

  @TempDir private Path directory = Path.of(".");
  private final ExecutorService executor = Executors.newFixedThreadPool(3);
  private long memory = 2 << 20;
  private int lanes = 1;
  private String store = "store";

  /// A disk that holds the creation of each segment until enough are being created.
  private static final class Disordered extends DiskAround {
    private final boolean fails;
    private final AtomicBoolean first = new AtomicBoolean(true);
    private final CountDownLatch oldest = new CountDownLatch(1);
    private final CountDownLatch together;

    Disordered(int together, boolean fails) {
      super(new RealDisk());
      this.fails = fails;
      this.together = new CountDownLatch(together);
    }

    /// Lets other threads write the second and later sets of rows only while the oldest one is
    /// being written: a thread that takes the second set may be faster than the one that took the
    /// first.
    Executor behindTheOldest(Executor executor) {
      var tasks = new AtomicInteger();
      return task -> {
        boolean isOldest = tasks.getAndIncrement() == 0;
        executor.execute(() -> {
          if (!isOldest) {
            await(oldest, "the oldest rows are not written");
          }
          task.run();
        });
      };
    }

    @Override
    public DiskFile create(Path file) {
      if (file.toString().contains("/segments/")) {
        boolean fail = first.getAndSet(false) && fails;
        oldest.countDown();
        together.countDown();
        await(together, "too few segments are written side by side");
        if (fail) {
          throw new StorageException.Failed(file + ": no", new IOException("no"));
        }
      }
      return super.create(file);
    }

    private static void await(CountDownLatch latch, String otherwise) {
      try {
        assertTrue(latch.await(Await.SECONDS, TimeUnit.SECONDS), otherwise);
      } catch (InterruptedException stopped) {
        throw new IllegalStateException(stopped);
      }
    }
  }

  private StoreConfig config() {
    return StoreConfig.at(directory.resolve(store))
        .withDiskReserveBytes(0)
        .withLanes(lanes, lanes)
        .withMemory(memory, Duration.ofDays(1));
  }

  /// Fails the creation of one segment.
  private static final class Fails extends DiskAround {
    private final AtomicInteger left;
    private final boolean full;

    /// @param nth which one, counted from 1
    Fails(int nth, boolean full) {
      super(new RealDisk());
      this.left = new AtomicInteger(nth);
      this.full = full;
    }

    @Override
    public DiskFile create(Path file) {
      if (file.toString().contains("/segments/") && left.decrementAndGet() == 0) {
        throw full
            ? new StorageException.DiskFull(file, 0, 1)
            : new StorageException.Failed(file + ": no", new IOException("no"));
      }
      return super.create(file);
    }
  }

  @BeforeEach
  void crash() throws IOException {
    crash("store", 1_000);
  }

  /// Leaves a crashed store of which nothing is sealed.
  private void crash(String name, int group) throws IOException {
    Path crashed = directory.resolve("crashed-" + name);
    StoreConfig roomy =
        StoreConfig.at(crashed).withDiskReserveBytes(0).withMemory(1L << 30, Duration.ofDays(1));
    Disk disk = new RealDisk();
    try (EmbeddedStore store = FileJournal.openStore(roomy, disk, StoreClock.system());
        var batch = new EventBatch(1 << 20, 16 << 20)) {
      var source = AccessLogEvents.of(1);
      for (int left = EVENTS; left > 0; left -= 1_000) {
        batch.clear();
        source.fill(batch, 1_000);
        Appends.all(store.lane(0), batch, 0);
        if ((EVENTS - left + 1_000) % group == 0) {
          store.lane(0).commit(Durability.OS);
        }
      }
      copy(crashed, directory.resolve(name));
    }
  }

  @AfterEach
  void end() {
    executor.shutdownNow();
  }

  private static void copy(Path source, Path target) throws IOException {
    try (var files = Files.walk(source)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, target.resolve(source.relativize(file)));
      }
    }
  }

  private EmbeddedStore open(Disk disk) {
    return open(disk, executor);
  }

  private EmbeddedStore open(Disk disk, Executor background) {
    return FileJournal.openStore(config(), disk, StoreClock.system(), background);
  }

  private static List<StoreModel.Shown> read(EmbeddedStore store) {
    return StoreReading.read(store.view(), _ -> true, 0, Long.MAX_VALUE / 2, Scan.all());
  }

  @Test
  void laterRowsWaitForEarlierOnes() {
    List<StoreModel.Shown> events;
    try (EmbeddedStore store = open(new Disordered(2, false))) {
      assertEquals(EVENTS, store.recovery().eventsReplayed());
      events = read(store);
      assertEquals(EVENTS, events.size());
    }
    try (EmbeddedStore store = open(new RealDisk())) {
      assertEquals(0, store.recovery().eventsReplayed());
      assertEquals(events, read(store));
    }
  }

  /// A running store of two lanes has four sets. With another number of lanes than before, it keeps
  /// no replayed rows open.
  @Test
  void oneIsFilledWhileSeveralAreWritten() {
    memory = 8 << 20;
    lanes = 2;
    try (EmbeddedStore store = open(new Disordered(3, false))) {
      assertEquals(EVENTS, store.recovery().eventsReplayed());
      assertEquals(EVENTS, read(store).size());
    }
  }

  /// The opening thread may be the only one that could seal.
  @Test
  void rowsThatNoThreadBeginsWithAreSealedByTheOpeningOne() {
    List<Runnable> late = new ArrayList<>();
    try (EmbeddedStore store = open(new RealDisk(), late::add)) {
      assertEquals(EVENTS, store.recovery().eventsReplayed());
      List<StoreModel.Shown> events = read(store);
      assertEquals(EVENTS, events.size());
      assertFalse(late.isEmpty());
      late.forEach(Runnable::run); // too late, and harmless
      assertEquals(events, read(store));
    }
  }

  @Test
  void laterRowsAreNotKeptWithoutEarlierOnes() {
    var fails = new Disordered(2, true);
    assertThrows(StorageException.class, () -> open(fails, fails.behindTheOldest(executor)));
    try (EmbeddedStore store = open(new RealDisk())) {
      assertEquals(EVENTS, store.recovery().eventsReplayed(), "all of the journal is still needed");
      assertEquals(EVENTS, read(store).size());
    }
  }

  /// Each start but the last ends at a segment, which is written later each time.
  @Test
  void whatAnEndedOpeningHasSealedIsNotReplayedAgain() {
    boolean went = false; // one of them sealed a part of the journal
    for (int nth = 2; ; nth++) {
      try (EmbeddedStore now = open(new Fails(nth, false), Runnable::run)) {
        went |= now.recovery().eventsReplayed() < EVENTS;
        assertEachEventOnce(now);
        break;
      } catch (StorageException.Failed noSegment) {
        assertTrue(nth < 100, noSegment.toString());
      }
    }
    assertTrue(went, "no start sealed a part of the journal");
  }

  @Test
  void aGroupThatIsLargerThanRowsIsSealedAsAWhole() throws IOException {
    store = "one";
    crash(store, EVENTS);
    assertThrows(StorageException.Failed.class, () -> open(new Fails(3, false), Runnable::run));
    var counts = new Fails(100, false);
    try (EmbeddedStore now = open(counts)) {
      assertEquals(EVENTS, now.recovery().eventsReplayed());
      assertTrue(counts.left.get() < 97, "it takes several");
      assertEachEventOnce(now);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1_000, EVENTS})
  void aStartOnAFullDiskReplaysNothingTwice(int group) throws IOException {
    store = "full";
    crash(store, group);
    try (EmbeddedStore now = open(new Fails(5, true), Runnable::run)) {
      assertEachEventOnce(now); // it went on in memory, and then sealed
    }
    try (EmbeddedStore now = open(new RealDisk())) {
      assertEachEventOnce(now);
    }
  }

  /// Also for those who count the events of partitions and do not merge them.
  private static void assertEachEventOnce(EmbeddedStore store) {
    StoreView view = store.view();
    List<PartitionInfo> partitions = view.partitions(_ -> true, 0, Long.MAX_VALUE / 2);
    assertEquals(EVENTS, partitions.stream().mapToLong(PartitionInfo::events).sum());
    List<PartitionKey> keys = partitions.stream().map(PartitionInfo::key).toList();
    int shown = 0;
    try (EventCursor events = view.openUnordered(keys, Scan.all())) {
      while (events.nextWhenReady() == EventCursor.Step.EVENT) {
        shown++;
      }
    }
    assertEquals(EVENTS, shown);
    assertEquals(EVENTS, read(store).size());
  }
}
