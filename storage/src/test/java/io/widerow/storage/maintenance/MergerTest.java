package io.widerow.storage.maintenance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.EventBatch;
import io.widerow.faults.Appends;
import io.widerow.faults.Await;
import io.widerow.faults.DiskAround;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreOpener;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: late events of a merged bucket are merged once, together with events that arrived about
/// the same time, and do not stay as they were sealed. A merge waits while rows are sealed and does
/// not delay a store that closes. Method: a store on the simulated disk with a clock that the test
/// sets, tasks run at once or on threads that are held before they create a file, the bucket of a
/// day ago.
class MergerTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final Duration MERGE_AFTER = Duration.ofMinutes(5);
  private static final byte[] TYPE = "late".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NUMBER = "number".getBytes(StandardCharsets.UTF_8);
  private static final int MANY = (int) Merger.EVENTS_LATE;

  private final SimDisk disk = new SimDisk(1);
  private volatile Runnable beforeCreating = () -> {}; // of a file
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final TestClock clock = new TestClock(START_NANOS);
  private final StoreConfig config =
      StoreConfig.at(Path.of("/store"))
          .withBuckets(60, Map.of())
          .withMemory(64 << 20, Duration.ofMinutes(1))
          .withJournal(16 << 20, 64 << 20)
          .withDiskReserveBytes(0)
          .withAges(MERGE_AFTER, null);
  private EmbeddedStore store = open();
  private long written;

  private EmbeddedStore open() {
    var watched =
        new DiskAround(disk) {
          @Override
          public DiskFile create(Path file) {
            beforeCreating.run();
            return super.create(file);
          }
        };
    return new EmbeddedStore(
        new StoreOpener(config, watched, clock, Runnable::run)
            .open(_ -> new FileJournal.Factory(disk, config)));
  }

  @BeforeEach
  void mergeTheFirst() {
    seal(100);
    store.maintain();
    check(1, 1);
  }

  @AfterEach
  void close() {
    store.close();
  }

  /// Writes events of yesterday and seals them on their own.
  private void seal(int count) {
    long yesterday = START_NANOS - Duration.ofDays(1).toNanos();
    try (var batch = new EventBatch(1 << 16, 1 << 24)) {
      for (int i = 0; i < count; i++) {
        batch.begin(TYPE, 0, TYPE.length, yesterday + written);
        batch.putLong(NUMBER, 0, NUMBER.length, written++);
        assertEquals(null, batch.end());
      }
      Appends.all(store.lane(0), batch, 0);
    }
    store.lane(0).commit(Durability.DISK);
    store.sealAll();
  }

  private void later(Duration time) {
    clock.advance(time.toNanos());
    store.maintain();
  }

  private void check(int merges, int segments) {
    assertEquals(merges, store.statistics().merged());
    assertEquals(segments, store.statistics().segments());
    assertEquals(written, store.statistics().segmentEvents());
  }

  @Test
  void muchThatCameLateIsMergedWhenNoMoreCame() {
    seal(MANY);
    later(Duration.ZERO);
    check(1, 2);
    later(MERGE_AFTER.minusSeconds(1));
    seal(10); // as if more were to come
    later(Duration.ofSeconds(2));
    check(1, 3);
    later(MERGE_AFTER.minusSeconds(1));
    check(1, 3);
    later(Duration.ofSeconds(1));
    check(2, 2);
    long bytes = store.statistics().segmentBytesWritten();
    later(Duration.ofDays(1));
    check(2, 2);
    assertEquals(bytes, store.statistics().segmentBytesWritten(), "nothing is written again");
  }

  @Test
  void severalThatCameLateAreMergedAtOnce() {
    for (int i = 0; i < 4; i++) {
      seal(MANY / 4);
      check(1, 2 + i);
    }
    later(Duration.ZERO);
    check(2, 2);
  }

  @Test
  void littleThatCameLateWaitsForMore() {
    seal(MANY - 1);
    later(Duration.ZERO);
    later(Duration.ofDays(1));
    check(1, 2);
  }

  @Test
  void whatCameLateBeforeARestartIsMergedToo() {
    seal(MANY);
    later(Duration.ZERO);
    store.close();
    store = open();
    later(Duration.ZERO);
    assertEquals(2, store.statistics().segments());
    later(MERGE_AFTER);
    assertEquals(2, store.statistics().segments());
    check(1, 2); // the first of this process
  }

  @Test
  void aMergeIsGivenUpWhenTheStoreIsClosed() throws Exception {
    seal(MANY);
    later(Duration.ZERO);
    store.mergeOn(task -> Thread.ofPlatform().start(task));
    holdFiles();
    later(MERGE_AFTER);
    awaitAll(begun);
    Thread closing = Thread.ofPlatform().start(store::close);
    Await.until(() -> closing.getState() == Thread.State.WAITING, "the closing waits");
    goOn.countDown();
    closing.join();
    beforeCreating = () -> {};
    assertEquals(
        2, disk.files().stream().filter(file -> file.startsWith("/store/segments")).count());
    store = open();
    later(Duration.ZERO);
    later(MERGE_AFTER);
    check(1, 2); // the first of this process
  }

  @Test
  void aMergeWaitsWhileRowsAreSealed() throws Exception {
    seal(MANY);
    later(Duration.ZERO);
    holdFiles();
    Thread sealing = Thread.ofPlatform().start(() -> seal(10));
    awaitAll(begun);
    beforeCreating = () -> {};
    var merging = new AtomicReference<Thread>();
    store.mergeOn(task -> merging.set(Thread.ofPlatform().start(task)));
    later(MERGE_AFTER);
    Await.until(() -> merging.get().getState() == Thread.State.WAITING, "the merge waits");
    assertEquals(1, store.statistics().merged());
    goOn.countDown();
    sealing.join();
    store.awaitBackground();
    check(2, 3); // rows sealed during the merge are not in it
  }

  /// Makes each thread that creates a file wait for `goOn`.
  private void holdFiles() {
    beforeCreating =
        () -> {
          begun.countDown();
          awaitAll(goOn);
        };
  }

  private static void awaitAll(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException given) {
      throw new AssertionError(given);
    }
  }
}
