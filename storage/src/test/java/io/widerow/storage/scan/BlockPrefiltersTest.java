package io.widerow.storage.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.Text;
import io.widerow.faults.Await;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.ReadingThreads;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import io.widerow.storage.segment.SegmentProfile;
import io.widerow.storage.segment.SegmentSizes;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: blocks filtered by other threads give the same result as when the cursor filters them
/// itself, whenever the others run, and no thread reads after the cursor is closed. Method: the
/// access log in small blocks, a word that many lines have, token filters that rule no block out;
/// executors that run tasks at once, on another thread, later, or never.
@Timeout(300)
class BlockPrefiltersTest {
  private static final Path FILE = Path.of("prefilters.seg");
  private static final int EVENTS_PER_BLOCK = 100;

  private final MemoryDisk disk = new MemoryDisk();
  private final List<TestEvent> events = SegmentSizes.access().subList(0, 2_000);
  private final Scan scan =
      Scan.all().withFilter(new Filter.Contains(AttributeName.BODY, Text.of("Mozilla")));

  BlockPrefiltersTest() {
    SegmentSizes.write(disk, FILE, events, new SegmentProfile(1, EVENTS_PER_BLOCK, 1 << 20, 10));
  }

  /// Result of a scan, and its statistics.
  private record Shown(List<TestEvent> events, ScanStatistics statistics) {}

  private Segment open() {
    return Segment.open(disk, FILE, new UUID(1, 2), 1);
  }

  private EventCursor cursor(Segment segment, Scan wanted, @Nullable Executor threads) {
    BlockReaderPool shared = new BlockReaderPool();
    shared.helpWith(new ReadingThreads(null, threads));
    return SegmentCursor.open(
        segment, SegmentSizes.key(events), wanted, BlockReaders.of(shared), Prefetch.OFF);
  }

  private Shown read(Scan wanted, @Nullable Executor threads) {
    List<TestEvent> found = new ArrayList<>();
    try (Segment segment = open();
        EventCursor cursor = cursor(segment, wanted, threads)) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        found.add(TestEvent.copyOf(cursor.event()));
      }
      return new Shown(found, cursor.statistics());
    }
  }

  private static void nobody(Runnable task) {
    throw new AssertionError("asked for " + task);
  }

  private static void onAnotherThread(Runnable task) {
    Thread thread = Thread.ofPlatform().start(task);
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsShownDoesNotDependOnTheThread(boolean descending) {
    Scan wanted = scan.withDescending(descending);
    Shown alone = read(wanted, null);
    assertTrue(alone.events().size() > 1_000, () -> alone.events().size() + " events");
    AtomicLong looks = new AtomicLong();
    Executor others =
        task -> {
          looks.incrementAndGet();
          onAnotherThread(task);
        };
    assertEquals(alone, read(wanted, others));
    assertTrue(looks.get() >= events.size() / EVENTS_PER_BLOCK - 2, looks + " blocks were asked");
    assertEquals(alone, read(wanted, Runnable::run));
    assertEquals(alone, read(wanted, _ -> {})); // nobody has time
  }

  @Test
  void blocksThatNeedNoFilteringGoToNoOtherThread() {
    read(Scan.all(), BlockPrefiltersTest::nobody);
    Filter any = new Filter.Exists(AttributeName.BODY);
    read(Scan.all().withFilter(any), BlockPrefiltersTest::nobody);
    Filter nowhere = new Filter.Contains(AttributeName.BODY, Text.of(" zyxwvu "));
    assertEquals(
        List.of(), read(Scan.all().withFilter(nowhere), BlockPrefiltersTest::nobody).events());
  }

  @Test
  void damageThatAnotherFoundIsToldWhereItIs() {
    int bad = 5;
    try (Segment segment = open()) {
      SegmentIndex index = Objects.requireNonNull(segment.index(SegmentSizes.key(events)));
      byte[] bytes = disk.bytes(FILE);
      bytes[(int) index.offset(bad) + 3] ^= 1; // its directory
      disk.set(FILE, bytes);
    }
    List<TestEvent> found = new ArrayList<>();
    try (Segment segment = open();
        EventCursor cursor = cursor(segment, scan, BlockPrefiltersTest::onAnotherThread)) {
      StorageException.Corrupt told =
          assertThrows(
              StorageException.Corrupt.class,
              () -> {
                while (cursor.next() == EventCursor.Step.EVENT) {
                  found.add(TestEvent.copyOf(cursor.event()));
                }
              });
      assertTrue(String.valueOf(told.getMessage()).contains("directory"), told::toString);
      assertEquals(EventCursor.Step.END, cursor.next());
    }
    assertTrue(
        found.getLast().id().compareTo(events.get(bad * EVENTS_PER_BLOCK).id()) < 0,
        "after the damage");
    assertTrue(
        found.getLast().id().compareTo(events.get((bad - 1) * EVENTS_PER_BLOCK).id()) >= 0,
        "all before it");
  }

  @Test
  void noThreadReadsAfterTheCursorIsClosed() throws InterruptedException {
    Queue<Runnable> late = new ArrayDeque<>();
    HeldDisk held = new HeldDisk(disk);
    Thread other;
    Thread closing;
    try (Segment segment = Segment.open(held, FILE, new UUID(1, 2), 1)) {
      EventCursor cursor = cursor(segment, scan, late::add);
      while (late.size() < 3) { // this block and the two after it
        assertEquals(EventCursor.Step.EVENT, cursor.next());
      }
      List<Runnable> asked = List.copyOf(late);
      held.holds = true;
      other = Thread.ofPlatform().name("other").start(asked.get(1));
      held.reading.await();
      closing = Thread.ofPlatform().start(cursor::close);
      Await.until(() -> closing.getState() == Thread.State.WAITING, "the closing waits");
      assertTrue(other.isAlive());
      held.goOn.countDown();
      closing.join();
      other.join();
      held.holds = false;
      long reads = held.reads.get();
      asked.getLast().run();
      assertEquals(reads, held.reads.get(), "it was begun after the end");
    }
    assertFalse(other.isAlive());
  }

  /// A helper that has begun and makes no progress, as if it had lost the processor.
  @Test
  void slowHelpersAreNotUsedForAWhile() {
    AtomicLong asked = new AtomicLong();
    CountDownLatch cursorWaits = new CountDownLatch(1);
    HeldDisk held = new HeldDisk(disk);
    Thread reader = Thread.currentThread();
    Executor slow =
        task -> {
          if (asked.incrementAndGet() == 1) {
            held.holds = true;
            Thread other = Thread.ofPlatform().name("other").start(task);
            awaitReading(held, other); // the reader's only other wait, over before it is watched
            Thread.ofPlatform()
                .start(() -> {
                  Await.until(() -> reader.getState() == Thread.State.WAITING, "the reader waits");
                  cursorWaits.countDown();
                  held.goOn.countDown();
                });
          }
        };
    List<TestEvent> found = new ArrayList<>();
    try (Segment segment = Segment.open(held, FILE, new UUID(1, 2), 1);
        EventCursor cursor = cursor(segment, scan, slow)) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        found.add(TestEvent.copyOf(cursor.event()));
      }
    }
    assertEquals(read(scan, null).events(), found);
    assertEquals(0, cursorWaits.getCount());
    assertTrue(asked.get() <= 3, asked + " blocks were asked of threads that are slow");
  }

  private static void awaitReading(HeldDisk held, Thread other) {
    try {
      held.reading.await();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(other.getName(), interrupted);
    }
  }

  @Test
  void memoryOfAllIsToldAndGivenBack() {
    long alone = mostHeld(null);
    long together = mostHeld(BlockPrefiltersTest::onAnotherThread);
    assertTrue(together > 2 * alone, together + " bytes, alone " + alone);
  }

  private long mostHeld(@Nullable Executor threads) {
    AtomicLong held = new AtomicLong();
    AtomicLong most = new AtomicLong();
    ScanWatch watch =
        new ScanWatch(() -> {}, bytes -> most.accumulateAndGet(held.addAndGet(bytes), Math::max));
    read(scan.withWatch(watch), threads);
    assertEquals(0, held.get());
    return most.get();
  }
}
