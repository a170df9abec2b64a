package io.widerow.storage.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.PartitionKey;
import io.widerow.event.Text;
import io.widerow.faults.Await;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupFigure;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Grouping;
import io.widerow.storage.ReadingThreads;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import io.widerow.storage.segment.SegmentProfile;
import io.widerow.storage.segment.SegmentSizes;
import io.widerow.storage.sketch.GroupedEvents;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: groups do not depend on which threads aggregate the blocks, damage is reported and passed
/// over as by a reader of events, and no thread reads after the cursor is closed. Method: the
/// access log in small blocks; executors that run tasks at once, on another thread, later, or
/// never.
@Timeout(300)
class BlockScanTest {
  private static final Path FILE = Path.of("scan.seg");
  private static final int EVENTS_PER_BLOCK = 100;
  private static final AttributeName BODY = AttributeName.BODY;

  private final MemoryDisk disk = new MemoryDisk();
  private final List<TestEvent> events = SegmentSizes.access().subList(0, 2_000);
  private final PartitionKey key = SegmentSizes.key(events);
  private final Scan scan = Scan.all().withFold(new Grouping(List.of(BODY), 0));

  BlockScanTest() {
    SegmentSizes.write(disk, FILE, events, new SegmentProfile(1, EVENTS_PER_BLOCK, 1 << 20, 10));
  }

  private Segment open() {
    return Segment.open(disk, FILE, new UUID(1, 2), 1);
  }

  private EventCursor cursor(Segment segment, Scan wanted, @Nullable Executor threads) {
    BlockReaderPool shared = new BlockReaderPool();
    shared.helpWith(new ReadingThreads(null, threads));
    BlockScan.Part all = new BlockScan.Part(key, wanted, () -> segment);
    return new BlockScan(List.of(all), wanted, BlockReaders.of(shared), Prefetch.OFF);
  }

  private static void onAnotherThread(Runnable task) {
    Thread thread = Thread.ofPlatform().name("other").start(task);
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  /// Events by step and body, with the distinct bodies that the group reports.
  private Map<String, Long> groups(Scan wanted, @Nullable Executor threads) {
    Map<String, Long> groups = new TreeMap<>();
    AttributeValue value = new AttributeValue();
    try (Segment segment = open();
        EventCursor cursor = cursor(segment, wanted, threads)) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        GroupedEvents group = (GroupedEvents) cursor.event();
        long step = Objects.requireNonNull(wanted.fold()).stepLimit(group.timeNanos());
        String body = group.find(BODY, value) ? value.toString() : "none";
        groups.merge(step + " " + body, group.weight(), Long::sum);
      }
    }
    return groups;
  }

  private Map<String, Long> ofEvents(Scan wanted) {
    Map<String, Long> groups = new TreeMap<>();
    AttributeValue value = new AttributeValue();
    try (Segment segment = open();
        EventCursor cursor = SegmentCursor.open(segment, key, wanted)) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        long step = Objects.requireNonNull(wanted.fold()).stepLimit(cursor.event().timeNanos());
        assertTrue(cursor.event().find(BODY, value));
        groups.merge(step + " " + value, 1L, Long::sum);
      }
    }
    return groups;
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 60, 3_600})
  void groupsDoNotDependOnTheThread(long stepSeconds) {
    Filter some = new Filter.Contains(BODY, Text.of("Mozilla"));
    Scan wanted =
        scan.withFold(new Grouping(List.of(BODY), stepSeconds * 1_000_000_000L)).withFilter(some);
    Map<String, Long> each = ofEvents(wanted);
    assertTrue(each.size() > 500, each.size() + " groups");
    AtomicLong tasks = new AtomicLong();
    assertEquals(each, groups(wanted, null));
    assertEquals(
        each,
        groups(
            wanted,
            task -> {
              tasks.incrementAndGet();
              onAnotherThread(task);
            }));
    assertTrue(tasks.get() > 0, "nobody was asked");
    assertEquals(each, groups(wanted, Runnable::run));
    assertEquals(each, groups(wanted, task -> Thread.ofPlatform().start(task)));
    assertEquals(each, groups(wanted, _ -> {})); // nobody has time
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void eventsThatAreInNoGroupAreShownOneByOne(boolean another) {
    Filter some = new Filter.Contains(BODY, Text.of("Mozilla"));
    Filter apart = new Filter.Contains(BODY, Text.of(" 404 "));
    Grouping grouping = new Grouping(List.of(BODY), 0);
    Scan wanted = scan.withFilter(some).withFold(grouping.without(apart));
    Map<String, Long> groups = new TreeMap<>();
    Map<String, Long> single = new TreeMap<>();
    AttributeValue value = new AttributeValue();
    try (Segment segment = open();
        EventCursor cursor =
            cursor(segment, wanted, another ? BlockScanTest::onAnotherThread : null)) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        assertTrue(cursor.event().find(BODY, value));
        boolean isGroup = cursor.event() instanceof GroupedEvents;
        long weight = cursor.event().weight();
        (isGroup ? groups : single).merge(Long.MAX_VALUE + " " + value, weight, Long::sum);
      }
    }
    assertFalse(single.isEmpty(), "none");
    Scan all = wanted.withFold(grouping);
    assertEquals(ofEvents(all.withFilter(new Filter.And(List.of(some, apart)))), single);
    Filter not = new Filter.Not(apart);
    assertEquals(ofEvents(all.withFilter(new Filter.And(List.of(some, not)))), groups);
  }

  @Test
  void distinctValuesAreThoseOfAllThreads() {
    int figures = RollupFigure.DISTINCT.bit | RollupFigure.COUNT.bit;
    Grouping distinct =
        new Grouping(List.of(), 0).withFields(List.of(new RollupField(BODY, figures)));
    List<String> found = new ArrayList<>();
    long count = 0;
    try (Segment segment = open();
        EventCursor cursor =
            cursor(segment, scan.withFold(distinct), BlockScanTest::onAnotherThread)) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        var its = Objects.requireNonNull(((GroupedEvents) cursor.event()).figures(BODY));
        count += its.count();
        var values = Objects.requireNonNull(its.values());
        for (int number = 0; number < values.size(); number++) {
          found.add(new String(values.text(number), java.nio.charset.StandardCharsets.UTF_8));
        }
      }
    }
    assertEquals(events.size(), count);
    List<String> right = ofEvents(scan).keySet().stream().map(text -> text.substring(20)).toList();
    assertEquals(right, found.stream().distinct().sorted().toList());
  }

  private void damage(int block) {
    try (Segment segment = open()) {
      SegmentIndex index = Objects.requireNonNull(segment.index(key));
      byte[] bytes = disk.bytes(FILE);
      bytes[(int) index.offset(block) + 3] ^= 1; // its directory
      disk.set(FILE, bytes);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void damageEndsTheScanWhoeverMeetsIt(boolean another) {
    damage(5);
    try (Segment segment = open();
        EventCursor cursor =
            cursor(segment, scan, another ? BlockScanTest::onAnotherThread : null)) {
      StorageException.Corrupt told =
          assertThrows(
              StorageException.Corrupt.class,
              () -> {
                while (cursor.next() == EventCursor.Step.EVENT) {}
              });
      assertTrue(String.valueOf(told.getMessage()).contains("directory"), told::toString);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void damageIsPassedOverAndReported(boolean another) {
    damage(5);
    ScanWatch watch = new ScanWatch(() -> {});
    watch.passOverDamage();
    Map<String, Long> groups =
        groups(scan.withWatch(watch), another ? BlockScanTest::onAnotherThread : null);
    long left = groups.values().stream().mapToLong(Long::longValue).sum();
    assertEquals(events.size() - EVENTS_PER_BLOCK, left);
    assertEquals(1, watch.unread().size());
    assertEquals(EVENTS_PER_BLOCK, watch.unread().getFirst().events());
  }

  @Test
  void failureOfAnotherThreadEndsTheScan() {
    IllegalStateException broken = new IllegalStateException("a test that fails");
    Filter fails =
        new Filter.Matches(
            BODY,
            (_, _, _) -> {
              if (Thread.currentThread().getName().equals("other")) {
                throw broken;
              }
              return true;
            });
    try (Segment segment = open();
        EventCursor cursor =
            cursor(segment, scan.withFilter(fails), BlockScanTest::onAnotherThread)) {
      assertSame(broken, assertThrows(IllegalStateException.class, cursor::next));
    }
  }

  @Test
  void noThreadReadsAfterTheCursorIsClosed() throws InterruptedException {
    Queue<Runnable> late = new ArrayDeque<>();
    HeldDisk held = new HeldDisk(disk);
    Thread other;
    Thread closing;
    try (Segment segment = Segment.open(held, FILE, new UUID(1, 2), 1)) {
      EventCursor cursor = cursor(segment, scan, late::add);
      assertEquals(null, cursor.search()); // a block, and others are asked
      assertFalse(late.isEmpty(), "nobody was asked");
      held.holds = true;
      other = Thread.ofPlatform().name("other").start(late.peek());
      held.reading.await();
      closing = Thread.ofPlatform().start(cursor::close);
      Await.until(() -> closing.getState() == Thread.State.WAITING, "the closing waits");
      assertTrue(other.isAlive());
      held.goOn.countDown();
      closing.join();
      other.join();
      held.holds = false;
      long reads = held.reads.get();
      late.forEach(Runnable::run);
      assertEquals(reads, held.reads.get(), "it was begun after the end");
    }
    assertFalse(other.isAlive());
  }

  @Test
  void memoryOfAllIsReportedAndGivenBack() {
    long alone = mostHeld(null);
    long together = mostHeld(BlockScanTest::onAnotherThread);
    assertTrue(together > alone, together + " bytes, alone " + alone);
  }

  private long mostHeld(@Nullable Executor threads) {
    AtomicLong held = new AtomicLong();
    AtomicLong most = new AtomicLong();
    ScanWatch watch =
        new ScanWatch(() -> {}, bytes -> most.accumulateAndGet(held.addAndGet(bytes), Math::max));
    groups(scan.withWatch(watch), threads);
    assertEquals(0, held.get());
    return most.get();
  }

  @Test
  void theOwnerIsAskedWhileBlocksAreAggregated() {
    AtomicLong calls = new AtomicLong();
    groups(scan.withWatch(new ScanWatch(calls::incrementAndGet)), null);
    assertTrue(calls.get() > 0, "never");
    ScanWatch ends =
        new ScanWatch(() -> {
          throw new IllegalStateException("cancelled");
        });
    assertThrows(IllegalStateException.class, () -> groups(scan.withWatch(ends), null));
  }
}
