package io.widerow.storage.maintenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.AccessLogEvents;
import io.widerow.faults.Appends;
import io.widerow.faults.Await;
import io.widerow.faults.DiskAround;
import io.widerow.faults.FileJournal;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.live.StoreClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: two threads write successive segments in parallel, and these enter the manifest in the
/// order in which rows were filled, whatever fails. Method: an executor whose tasks the test runs
/// one by one, and a disk that holds the first segment back and then creates it or fails.
@Timeout(300)
class SealerTest {
  private static final int EVENTS = 1_000; // of a set of rows

  @TempDir private Path directory = Path.of(".");
  private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final ExecutorService beside = Executors.newSingleThreadExecutor();
  private final EventBatch batch = new EventBatch(EVENTS, 16 << 20);
  private final AccessLogEvents source = AccessLogEvents.of(1);

  /// A disk that holds back the creation of the first segment.
  private static final class Held extends DiskAround {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile boolean fails;

    Held() {
      super(new RealDisk());
    }

    @Override
    public DiskFile create(Path file) {
      if (file.toString().contains("/segments/") && begun.getCount() > 0) {
        begun.countDown();
        await(released);
        if (fails) {
          throw new StorageException.Failed(file + ": no", new IOException("no"));
        }
      }
      return super.create(file);
    }

    static void await(CountDownLatch latch) {
      try {
        assertTrue(latch.await(Await.SECONDS, TimeUnit.SECONDS));
      } catch (InterruptedException stopped) {
        throw new IllegalStateException(stopped);
      }
    }
  }

  @AfterEach
  void end() {
    batch.close();
    beside.shutdownNow();
  }

  private EmbeddedStore open(Path at, Disk disk) {
    StoreConfig config =
        StoreConfig.at(at)
            .withDiskReserveBytes(0)
            .withBuckets(24 * 60, Map.of()) // a set of rows becomes one segment
            .withMemory(256 << 20, Duration.ofNanos(1));
    return FileJournal.openStore(config, disk, StoreClock.system(), tasks::add);
  }

  /// Commits events and requests their sealing.
  private void fillRows(EmbeddedStore store) {
    batch.clear();
    source.fill(batch, EVENTS);
    LaneWriter lane = store.lane(0);
    Appends.all(lane, batch, 0);
    lane.commit(Durability.OS);
    store.maintain(); // all rows are old enough
    lane.commit(Durability.OS);
  }

  private void runTask() {
    Runnable task = tasks.poll();
    assertNotNull(task, "no seal was requested");
    task.run();
  }

  private void runAll() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  /// Starts writing the first rows on another thread and then writes the second rows.
  private Future<?> secondBeforeFirst(EmbeddedStore store, Held disk) {
    fillRows(store);
    Future<?> first = beside.submit(this::runTask);
    Held.await(disk.begun);
    fillRows(store);
    runTask();
    return first;
  }

  private static List<StoreModel.Shown> read(EmbeddedStore store) {
    return StoreReading.read(store.view(), _ -> true, 0, Long.MAX_VALUE / 2, Scan.all());
  }

  private static List<String> segmentFiles(Path store) throws IOException {
    try (Stream<Path> files = Files.list(store.resolve("segments"))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /// Files of the directory that this process has open.
  private List<String> openSegments() throws IOException {
    List<String> open = new ArrayList<>();
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      for (Path descriptor : (Iterable<Path>) descriptors::iterator) {
        String target = Files.isSymbolicLink(descriptor) ? linkOf(descriptor) : "";
        if (target.startsWith(directory.toRealPath() + "/") && target.contains("/segments/")) {
          open.add(target);
        }
      }
    }
    return open;
  }

  private static String linkOf(Path descriptor) throws IOException {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (NoSuchFileException closed) {
      return ""; // that of the listing itself
    }
  }

  private static void copy(Path source, Path target) throws IOException {
    try (Stream<Path> files = Files.walk(source)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, target.resolve(source.relativize(file)));
      }
    }
  }

  @Test
  void theSecondRowsAreWrittenInParallelAndCommittedAfterTheFirst() throws Exception {
    var disk = new Held();
    Path at = directory.resolve("store");
    List<StoreModel.Shown> events;
    try (EmbeddedStore store = open(at, disk)) {
      Future<?> first = secondBeforeFirst(store, disk);
      assertEquals(1, segmentFiles(at).size(), "the second one is written");
      assertEquals(0, store.statistics().segments(), "and not committed");
      events = read(store);
      assertEquals(2 * EVENTS, events.size());
      copy(at, directory.resolve("crashed"));
      disk.released.countDown();
      first.get();
      assertEquals(2, store.statistics().segments());
      assertEquals(0, store.statistics().openEvents());
      assertEquals(events, read(store));
      runAll();
    }
    try (EmbeddedStore crashed = open(directory.resolve("crashed"), new RealDisk())) {
      assertEquals(2 * EVENTS, crashed.recovery().eventsReplayed(), "nothing was sealed");
      assertEquals(events, read(crashed));
      runAll(); // seals what was replayed
    }
    try (EmbeddedStore again = open(at, new RealDisk())) {
      assertEquals(0, again.recovery().eventsReplayed());
      assertEquals(events, read(again));
    }
  }

  @Test
  void whatWasWrittenWaitsForWhatFailed() throws Exception {
    var disk = new Held();
    disk.fails = true;
    Path at = directory.resolve("store");
    try (EmbeddedStore store = open(at, disk)) {
      Future<?> first = secondBeforeFirst(store, disk);
      disk.released.countDown();
      first.get();
      assertEquals(0, store.statistics().segments());
      assertTrue(store.statistics().backgroundFailure().endsWith(": no"));
      List<String> second = segmentFiles(at);
      List<StoreModel.Shown> events = read(store);
      store.maintain();
      runAll();
      assertEquals(2, store.statistics().segments());
      assertTrue(segmentFiles(at).containsAll(second), "the second one is not written again");
      assertEquals(events, read(store));
    }
  }

  @Test
  void aStoreThatClosesLetsGoOfWhatCouldNotBeCommitted() throws Exception {
    var disk = new Held();
    disk.fails = true;
    Path at = directory.resolve("store");
    List<StoreModel.Shown> events;
    try (EmbeddedStore store = open(at, disk)) {
      Future<?> first = secondBeforeFirst(store, disk);
      disk.released.countDown();
      first.get();
      events = read(store);
      assertEquals(1, segmentFiles(at).size());
    }
    assertEquals(List.of(), openSegments());
    try (EmbeddedStore again = open(at, new RealDisk())) {
      assertEquals(2 * EVENTS, again.recovery().eventsReplayed());
      assertEquals(events, read(again));
      runAll(); // seals what was replayed
    }
  }

  /// Each thread needs the memory of a segment under construction.
  @Test
  void noMoreThreadsAreAskedForThanSets() {
    try (EmbeddedStore store = open(directory.resolve("store"), new RealDisk())) {
      fillRows(store);
      fillRows(store);
      store.maintain();
      store.maintain();
      assertEquals(SealQueue.THREADS_MAX, tasks.size());
      runTask();
      assertEquals(2, store.statistics().segments(), "one thread goes on with the next");
      runAll();
    }
  }
}
