package io.widerow.storage.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.EventBatch;
import io.widerow.event.Text;
import io.widerow.faults.Appends;
import io.widerow.faults.Await;
import io.widerow.faults.DiskAround;
import io.widerow.faults.DiskFileAround;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.ReadingThreads;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreOpener;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.live.StoreClock;
import io.widerow.storage.segment.PieceReader;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a merge that waits for the disk once prefetches the starts of all its partitions at the
/// same time, nothing that it will not read, and shows the same. Method: a disk whose reads take a
/// millisecond; prefetching threads are held until several are there together.
@Timeout(300)
class PrefetchTest {
  private static final long NANOS = 1_700_000_000_000_000_000L;
  private static final int TOGETHER = 4;
  private static final long READ_NANOS = 5 * PieceReader.WAITED_NANOS;
  private static final int BATCHES = 40;
  private static final String PLAIN = "plain";
  private static final String WORDS = "words";
  private static final Predicate<String> OTHERS = Predicate.not(PLAIN::equals);
  private static final String READER = "reads-ahead-";

  @TempDir private Path directory = Path.of(".");
  private final SlowDisk disk = new SlowDisk();
  private final StoreDriver driver = new StoreDriver(new SplittableRandom(5));
  private final ThreadPoolExecutor readers =
      new ThreadPoolExecutor(
          TOGETHER,
          TOGETHER,
          0,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          Thread.ofPlatform().name(READER, 0).factory());
  private EmbeddedStore store;

  /// A disk that waits for a device, once `waits` is set.
  private static final class SlowDisk extends DiskAround {
    final CountDownLatch together = new CountDownLatch(TOGETHER);
    final AtomicInteger ahead = new AtomicInteger();
    final AtomicLong bytesAhead = new AtomicLong();
    volatile boolean waits;
    volatile boolean holds; // prefetching threads, until there are several
    volatile boolean follows; // the merge's second read waits until a prefetch begins
    final AtomicInteger own = new AtomicInteger();
    final CountDownLatch begun = new CountDownLatch(1);

    SlowDisk() {
      super(new RealDisk());
    }

    @Override
    public DiskFile open(Path file) {
      return new SlowFile(super.open(file));
    }

    private final class SlowFile extends DiskFileAround {
      SlowFile(DiskFile file) {
        super(file);
      }

      @Override
      public boolean mayWait() {
        return waits;
      }

      @Override
      public long read(MemorySegment target, long offset) {
        if (waits) {
          if (Thread.currentThread().getName().startsWith(READER)) {
            ahead.incrementAndGet();
            bytesAhead.addAndGet(target.byteSize());
            begun.countDown();
            if (holds) {
              together.countDown();
              await(together, "read ahead one at a time");
            }
          } else if (follows && own.incrementAndGet() == 2) {
            await(begun, "nothing is read ahead");
          }
          takeTime();
        }
        return super.read(target, offset);
      }

      private static void takeTime() {
        Await.pauseNanos(READ_NANOS);
      }

      private static void await(CountDownLatch latch, String otherwise) {
        try {
          assertTrue(latch.await(Await.SECONDS, TimeUnit.SECONDS), otherwise);
        } catch (InterruptedException interrupted) {
          throw new IllegalStateException(interrupted);
        }
      }
    }
  }

  @BeforeEach
  void open() throws InterruptedException {
    StoreConfig config =
        StoreConfig.at(directory.resolve("s"))
            .withLanes(2, 4)
            .withBuckets(60, Map.of())
            .withDiskReserveBytes(0)
            .withAges(Duration.ZERO, null);
    store =
        new EmbeddedStore(
            new StoreOpener(config, disk, StoreClock.system(), Runnable::run)
                .open(id ->
                    ChronicleJournalFactory.of(
                        config.directory(), config.journalFileBytes(), disk, id, Runnable::run)));
    store.readWith(new ReadingThreads(readers, null));
    for (int i = 0; i < BATCHES; i++) {
      driver.append(store, NANOS, 100);
    }
    appendPlain();
    driver.commit(store, Durability.OS);
    store.sealAll();
    store.awaitBackground();
  }

  /// Appends events that no other one replaces, so that filters run below the merge.
  private void appendPlain() {
    try (var batch = new EventBatch(1 << 12, 1 << 22)) {
      byte[] type = PLAIN.getBytes(StandardCharsets.UTF_8);
      byte[] n = "n".getBytes(StandardCharsets.UTF_8);
      for (long shard = 0; shard < 4; shard++) {
        batch.clear();
        for (int i = 0; i < 1_000; i++) {
          batch.begin(type, 0, type.length, NANOS + 1_000_000L * i);
          batch.putLong(n, 0, n.length, i * i % 977);
          assertNull(batch.end());
        }
        Appends.all(store.lane((int) shard % 2), batch, shard);
      }
    }
  }

  @AfterEach
  void close() {
    store.close();
    driver.close();
    readers.close();
  }

  private void awaitThreads() {
    Await.until(
        () -> readers.getActiveCount() == 0 && readers.getQueue().isEmpty(),
        "no reader is at work");
  }

  @Test
  void theStartsOfAllPartitionsAreReadTogether() {
    disk.holds = true;
    disk.waits = true;
    try (StoreView view = store.view()) {
      StoreReading.check(view, driver.acknowledged, OTHERS, 0, Long.MAX_VALUE / 2);
    }
    assertEquals(0, disk.together.getCount(), "read ahead together");
  }

  @Test
  void aFilterHasOnlyDirectoriesReadAhead() {
    var nothing =
        new Filter.Compare(
            AttributeName.of("n"), Filter.Comparison.EQUAL, new Filter.Literal.Whole(-1));
    disk.follows = true;
    disk.waits = true;
    try (StoreView view = store.view()) {
      List<StoreModel.Shown> kept =
          StoreReading.read(
              view, PLAIN::equals, 0, Long.MAX_VALUE / 2, Scan.all().withFilter(nothing));
      assertEquals(List.of(), kept);
    }
    awaitThreads();
    long directories = disk.bytesAhead.getAndSet(0);
    try (StoreView view = store.view()) {
      assertTrue(
          !StoreReading.read(view, PLAIN::equals, 0, Long.MAX_VALUE / 2, Scan.all()).isEmpty());
    }
    awaitThreads();
    assertTrue(
        directories > 0 && directories < disk.bytesAhead.get(),
        directories + " bytes of directories, " + disk.bytesAhead + " of blocks");
  }

  /// Blocks that the filters of their groups rule out are not read, ahead or otherwise.
  @Test
  void aWordThatIsNowhereHasNoBlocksReadAhead() throws InterruptedException {
    appendWords();
    long directories = bytesAhead(Scan.all().withFilter(new Filter.Exists(AttributeName.of("n"))));
    Filter word = new Filter.Has(AttributeName.BODY, Text.of("absent"));
    long ruledOut = bytesAhead(Scan.all().withFilter(word));
    long blocks = bytesAhead(Scan.all());
    assertTrue(
        directories > 0 && ruledOut < directories && 100 * directories < blocks,
        "directories %d, ruled out %d, blocks %d".formatted(directories, ruledOut, blocks));
  }

  private long bytesAhead(Scan scan) {
    disk.waits = true;
    disk.bytesAhead.set(0);
    try (StoreView view = store.view()) {
      StoreReading.read(view, WORDS::equals, 0, Long.MAX_VALUE / 2, scan);
      awaitThreads();
    }
    disk.waits = false;
    return disk.bytesAhead.get();
  }

  private void appendWords() throws InterruptedException {
    var random = new SplittableRandom(3);
    byte[] type = WORDS.getBytes(StandardCharsets.UTF_8);
    byte[] body = "body".getBytes(StandardCharsets.UTF_8);
    try (var batch = new EventBatch(1 << 12, 1 << 22)) {
      for (int round = 0; round < 40; round++) {
        batch.clear();
        for (int i = 0; i < 1_000; i++) {
          StringBuilder text = new StringBuilder();
          for (int word = 0; word < 20; word++) {
            text.append(Integer.toString(random.nextInt(100_000), 36)).append(' ');
          }
          batch.begin(type, 0, type.length, NANOS + 1_000_000L * (1_000 * round + i));
          batch.putString(body, 0, body.length, text.toString().getBytes(StandardCharsets.UTF_8));
          assertNull(batch.end());
        }
        Appends.all(store.lane(0), batch, 0);
      }
    }
    driver.commit(store, Durability.OS);
    store.sealAll();
    store.awaitBackground();
  }

  @Test
  void nothingIsReadAheadOfADiskThatDoesNotWait() {
    try (StoreView view = store.view()) {
      StoreReading.check(view, driver.acknowledged, OTHERS, 0, Long.MAX_VALUE / 2);
    }
    assertEquals(0, readers.getTaskCount());
  }

  /// A closed view holds no lease, so the segments are deleted when they are merged.
  @Test
  void aViewThatIsClosedEarlyHoldsNothing() throws InterruptedException {
    disk.waits = true;
    try (StoreView view = store.view()) {
      var keys =
          view.partitions(_ -> true, 0, Long.MAX_VALUE / 2).stream()
              .map(PartitionInfo::key)
              .toList();
      try (EventCursor cursor = view.open(keys, Scan.all())) {
        assertEquals(EventCursor.Step.EVENT, cursor.next());
      }
    }
    disk.waits = false;
    store.maintain();
    store.awaitBackground();
    try (StoreView view = store.view()) {
      StoreReading.check(view, driver.acknowledged, OTHERS, 0, Long.MAX_VALUE / 2);
    }
  }
}
