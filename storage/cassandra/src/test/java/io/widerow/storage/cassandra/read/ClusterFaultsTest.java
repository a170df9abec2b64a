package io.widerow.storage.cassandra.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Crowded;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.Grouping;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.RetentionLookup;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.keyspace.SegmentKey;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: whatever the cluster does while it is read, a result is complete or ends with an error
/// that names the missing data; and a query stays within its bounds. Method: a keyspace whose
/// responses come late, are wrong, or do not come, under a store of a fixed seed.
class ClusterFaultsTest {
  private static final int ROUNDS = 30;
  private static final ReadOptions OPTIONS =
      ReadOptions.DEFAULT.withPatience(Duration.ofSeconds(2));

  private ClusterWorld world = filled(OPTIONS);

  private static ClusterWorld filled(ReadOptions options) {
    ClusterWorld filled = new ClusterWorld(42, options);
    for (int i = 0; i < ROUNDS; i++) {
      filled.round();
    }
    return filled;
  }

  @AfterEach
  void close() {
    world.keyspace.release();
    world.close();
  }

  private static List<PartitionKey> keys(StoreView view) {
    return view.partitions(_ -> true, 0, Long.MAX_VALUE).stream().map(PartitionInfo::key).toList();
  }

  private static List<TestEvent> all(StoreView view, Scan scan) {
    List<TestEvent> shown = new ArrayList<>();
    try (EventCursor cursor = view.open(keys(view), scan)) {
      Answers.drain(cursor, Integer.MAX_VALUE, event -> shown.add(Answers.copyOf(event)));
    }
    return shown;
  }

  private static String message(Throwable failure) {
    return Objects.requireNonNull(failure.getMessage());
  }

  private List<TestEvent> expected(Scan scan) {
    try (StoreView view = world.reference.view()) {
      return all(view, scan);
    }
  }

  private static long counted(StoreView view) {
    return counted(view, new ScanWatch(() -> {}));
  }

  private static long counted(StoreView view, ScanWatch watch) {
    AtomicLong count = new AtomicLong();
    Scan folding =
        Scan.all().withFold(new Grouping(List.of(ClusterWorld.STATUS), 0)).withWatch(watch);
    List<PartitionKey> keys =
        keys(view).stream().filter(key -> !key.type().startsWith("own")).toList();
    try (EventCursor cursor = view.openUnordered(keys, folding)) {
      Answers.drain(cursor, Integer.MAX_VALUE, event -> count.addAndGet(event.weight()));
    }
    return count.get();
  }

  @Test
  void aValueThatOneReplicaDoesNotHaveIsReadFromAQuorum() {
    world.keyspace.missing = (key, quorum) -> !quorum && key.part() % 2 == 0;
    StoreView view = world.reader.view();
    assertEquals(expected(Scan.all()), all(view, Scan.all()));
    assertTrue(view.explain().getFirst().matches(".* [1-9]\\d* of them at quorum.*"));
  }

  @Test
  void aDamagedValueIsReadFromAQuorum() {
    world.keyspace.damaged = (_, quorum) -> !quorum;
    Scan scan = Scan.all().withDescending(true);
    assertEquals(expected(scan), all(world.reader.view(), scan));
  }

  @Test
  void aValueThatIsDamagedEverywhereEndsTheQueryWithItsKey() {
    world.keyspace.damaged = (key, _) -> key.partition().type().equals("a");
    var told =
        assertThrows(StorageException.Corrupt.class, () -> all(world.reader.view(), Scan.all()));
    assertTrue(message(told).contains("|a|"), () -> message(told));
    assertTrue(message(told).contains("CRC32C"), () -> message(told));
    assertTrue(told.partition != null && told.partition.type().equals("a"), () -> message(told));
  }

  @Test
  void aValueThatTheDirectoryNamesAndNobodyHasEndsTheQueryWithItsKey() {
    world.keyspace.missing = (key, _) -> key.partition().type().equals("c");
    for (boolean ordered : List.of(true, false)) {
      StoreView view = world.reader.view();
      var told =
          assertThrows(
              StorageException.Corrupt.class,
              () -> {
                if (ordered) {
                  all(view, Scan.all());
                } else {
                  counted(view);
                }
              });
      assertTrue(message(told).contains("|c|"), () -> message(told));
      assertTrue(message(told).contains("no replica of a quorum has it"), () -> message(told));
    }
  }

  @Test
  void aScanThatPassesOverDamageShowsTheRestAndNamesIt() {
    long whole = counted(world.reader.view());
    for (boolean gone : List.of(false, true)) {
      for (boolean all : List.of(false, true)) {
        world.close();
        world = filled(OPTIONS);
        Predicate<SegmentKey> hurt =
            key -> all || (key.partition().type().equals("c") && key.seq() % 2 == 0);
        if (gone) {
          world.keyspace.missing = (key, _) -> hurt.test(key);
        } else {
          world.keyspace.damaged = (key, _) -> hurt.test(key);
        }
        StoreView view = world.reader.view();
        ScanWatch watch = passingOver();
        long left = counted(view, watch);
        assertTrue(left < whole && !watch.unread().isEmpty(), left + " of " + whole);
        assertEquals(whole - left, lost(watch), "uncounted events are reported");
        if (all) {
          assertEquals(0, left);
        }
        ScanWatch ordered = passingOver();
        List<TestEvent> shown = all(view, Scan.all().withWatch(ordered));
        List<TestEvent> outside =
            expected(Scan.all()).stream().filter(event -> !isIn(event, ordered)).toList();
        assertEquals(outside, shown.stream().filter(event -> !isIn(event, ordered)).toList());
      }
    }
  }

  private static ScanWatch passingOver() {
    ScanWatch watch = new ScanWatch(() -> {});
    watch.passOverDamage();
    return watch;
  }

  private static long lost(ScanWatch watch) {
    return watch.unread().stream().mapToLong(ScanWatch.Unread::events).sum();
  }

  private static boolean isIn(TestEvent event, ScanWatch watch) {
    long time = TimeUuid.nanosOf(event.id().time(), event.id().tail());
    return watch.unread().stream()
        .anyMatch(part -> time >= part.firstNanos() && time <= part.lastNanos());
  }

  @Test
  void aClusterThatIsAwayForAWhileOnlyDelays() {
    Set<Object> failed = ConcurrentHashMap.newKeySet();
    world.keyspace.failing = failed::add; // each statement once
    StoreView view = world.reader.view();
    assertEquals(expected(Scan.all()), all(view, Scan.all()));
    assertTrue(
        view.explain().getFirst().matches(".* [1-9]\\d* repeated"), view.explain()::toString);
  }

  @Test
  void aClusterThatStaysAwayInTheMiddleEndsTheQueryWithTheSegment() {
    StoreView view = world.reader.view();
    try (EventCursor cursor = view.open(keys(view), Scan.all())) {
      assertTrue(Answers.drain(cursor, 100, _ -> {}));
      world.keyspace.failing = SegmentKey.class::isInstance;
      var told =
          assertThrows(
              StorageException.Unreachable.class,
              () -> Answers.drain(cursor, Integer.MAX_VALUE, _ -> {}));
      assertTrue(
          message(told)
              .matches(
                  "cannot read (segment|\\d+ segments from) 20.*\\|.*\\|\\d tier 0 daemon .*"
                      + " from the cluster: one replica of two is alive"),
          () -> message(told));
    }
    world.keyspace.failing = "daemons"::equals;
    var told = assertThrows(StorageException.Unreachable.class, () -> world.reader.view());
    assertTrue(message(told).contains("how far the daemons have applied"), () -> message(told));
  }

  @Test
  void mergesInTheMiddleOfAQueryChangeNothing() {
    for (int after : List.of(0, 1, 7, 50, 333, 700)) {
      for (boolean descending : List.of(false, true)) {
        world.close();
        world = filled(OPTIONS.withReadAhead(2));
        Scan scan = Scan.all().withDescending(descending);
        List<TestEvent> expected = expected(scan);
        StoreView view = world.reader.view();
        List<TestEvent> shown = new ArrayList<>();
        try (EventCursor cursor = view.open(keys(view), scan)) {
          Answers.drain(cursor, after, event -> shown.add(Answers.copyOf(event)));
          List.copyOf(world.partitions()).forEach(world::merge);
          Answers.drain(cursor, after, event -> shown.add(Answers.copyOf(event)));
          List.copyOf(world.partitions()).forEach(world::merge);
          Answers.drain(cursor, Integer.MAX_VALUE, event -> shown.add(Answers.copyOf(event)));
        }
        assertEquals(expected, shown, "after %d, %b".formatted(after, descending));
      }
    }
  }

  @Test
  void aMergeInTheMiddleOfACountChangesNothing() {
    long expected = counted(world.reader.view());
    for (int after : List.of(1, 5, 20, 60, 200)) {
      world.close();
      world = filled(OPTIONS.withReadAhead(2));
      StoreView view = world.reader.view();
      AtomicInteger left = new AtomicInteger(after);
      world.keyspace.beforeValue =
          () -> {
            if (left.decrementAndGet() == 0) {
              List.copyOf(world.partitions()).forEach(world::merge);
            }
          };
      assertEquals(expected, counted(view), "after " + after);
    }
  }

  @Test
  void aRoundThatIsAppliedBetweenViewAndDirectoryIsNotShown() {
    List<TestEvent> expected = expected(Scan.all());
    StoreView view = world.reader.view();
    AtomicInteger left = new AtomicInteger(10);
    Object applying = new Object();
    world.keyspace.beforeDirectory =
        () -> {
          if (left.getAndDecrement() > 0) {
            synchronized (applying) {
              world.round();
            }
          }
        };
    assertEquals(
        expected.stream().filter(event -> !event.type().startsWith("own")).toList(),
        all(view, Scan.all()).stream().filter(event -> !event.type().startsWith("own")).toList());
  }

  /// A query of days goes over more values than there is memory.
  @Test
  void valuesThatWereReadAreForgotten() throws InterruptedException {
    var gone = new ReferenceQueue<byte[]>();
    Set<Reference<byte[]>> values = ConcurrentHashMap.newKeySet();
    world.keyspace.answered = value -> values.add(new WeakReference<>(value, gone));
    int events = expected(Scan.all()).size();
    StoreView view = world.reader.view();
    try (EventCursor cursor = view.open(keys(view), Scan.all())) {
      Answers.drain(cursor, events - 1, _ -> {});
      System.gc();
      int over = values.size() - 8; // some may still have the last event
      assertTrue(over > 100, () -> values.size() + " values");
      for (int i = 0; i < over; i++) {
        int left = over - i;
        assertNotNull(gone.remove(30_000), () -> left + " values are kept");
      }
      Answers.drain(cursor, 1, _ -> {});
    }
  }

  @Test
  void requestsAndBytesStayWithinTheBounds() {
    for (int ahead : List.of(1, 4, 32)) {
      world.close();
      world = filled(OPTIONS.withReadAhead(ahead).withInFlightMax(8));
      AtomicLong held = new AtomicLong();
      AtomicLong most = new AtomicLong();
      ScanWatch watch =
          new ScanWatch(() -> {}, bytes -> most.accumulateAndGet(held.addAndGet(bytes), Math::max));
      StoreView view = world.reader.view();
      try (EventCursor cursor = view.open(keys(view), Scan.all().withWatch(watch))) {
        while (cursor.next() != Step.END) {
          cursor.ready().join();
        }
      }
      int bound = Math.min(ahead, 8) + 1; // and the one that the merge waits for
      int inFlight = world.keyspace.valuesInFlightMost.get();
      assertTrue(inFlight <= bound, "%d in flight, bound %d".formatted(inFlight, bound));
      assertTrue(ahead == 1 || inFlight > 2, "nothing was read ahead: " + inFlight);
      assertTrue(most.get() > 0);
      assertEquals(0, held.get(), "all memory was given back");
    }
  }

  @Test
  void aBudgetWithoutRoomForReadingAheadIsEnough() {
    AtomicLong held = new AtomicLong();
    ScanWatch watch =
        new ScanWatch(
            () -> {},
            new ScanWatch.Memory() {
              @Override
              public void hold(long bytesMore) {
                held.addAndGet(bytesMore);
              }

              @Override
              public boolean tryHold(long bytesMore) {
                return false;
              }
            });
    StoreView view = world.reader.view();
    List<TestEvent> shown = new ArrayList<>();
    try (EventCursor cursor = view.open(keys(view), Scan.all().withWatch(watch))) {
      Answers.drain(cursor, Integer.MAX_VALUE, event -> shown.add(Answers.copyOf(event)));
    }
    assertEquals(expected(Scan.all()), shown);
    assertEquals(1, world.keyspace.valuesInFlightMost.get(), "only what the merge waits for");
    assertEquals(0, held.get(), "all memory was given back");
  }

  @Test
  void aBudgetWithoutRoomForBlocksIsEnough() {
    StoreView view = world.reader.view();
    for (boolean descending : List.of(false, true)) {
      Crowded memory = new Crowded(1, 0);
      Scan scan = Scan.all().withDescending(descending);
      List<TestEvent> shown = all(view, scan.withWatch(new ScanWatch(() -> {}, memory)));
      assertEquals(expected(scan), shown);
      memory.assertGivenBack();
    }
  }

  @Test
  void aQueryThatIsClosedEarlyCancelsWhatIsUnderWay() {
    AtomicLong held = new AtomicLong();
    ScanWatch watch = new ScanWatch(() -> {}, held::addAndGet);
    StoreView view = world.reader.view();
    List<PartitionKey> keys = keys(view);
    view.open(keys, Scan.all()).close(); // the directories are known from here on
    world.keyspace.hold();
    EventCursor cursor = view.open(keys, Scan.all().withWatch(watch));
    assertEquals(Step.PENDING, cursor.next());
    CompletableFuture<Void> ready = cursor.ready();
    assertFalse(ready.isDone());
    assertTrue(world.keyspace.valuesInFlight.get() > 1 && held.get() > 0);
    cursor.close();
    assertEquals(0, world.keyspace.valuesInFlight.get(), "cancelled");
    assertEquals(0, held.get(), "all memory was given back");
    assertTrue(ready.isDone());
  }

  @Test
  void theLatestFewAreReadFromFewSegments() {
    StoreView view = world.reader.view();
    List<TestEvent> shown = new ArrayList<>();
    try (EventCursor cursor = view.open(keys(view), Scan.all().withDescending(true))) {
      Answers.drain(cursor, 5, event -> shown.add(Answers.copyOf(event)));
    }
    assertEquals(expected(Scan.all().withDescending(true)).subList(0, 5), shown);
    int values = world.keyspace.values.get();
    assertTrue(values <= 40, values + " values for five events");
  }

  @Test
  void theDirectoriesOfTheNextGroupAreAskedForAhead() {
    List<Runnable> tasks = new ArrayList<>();
    try (ClusterReader reader =
        new ClusterReader(world.keyspace, RetentionLookup.FOREVER, OPTIONS, tasks::add)) {
      StoreView view = reader.view();
      Scan scan = Scan.all();
      List<PartitionKey> keys =
          view.partitions("a"::equals, 0, Long.MAX_VALUE).stream().map(PartitionInfo::key).toList();
      long end = keys.getFirst().untilNanos();
      List<PartitionKey> first = keys.stream().filter(key -> key.untilNanos() == end).toList();
      List<PartitionKey> others = keys.stream().filter(key -> key.untilNanos() > end).toList();
      try (EventCursor cursor = view.open(first, scan)) {
        assertEquals(List.of(), tasks, "not before half of the group was taken");
        Answers.drain(cursor, Integer.MAX_VALUE, _ -> {});
      }
      assertEquals(1, tasks.size());
      assertFalse(others.isEmpty());
      tasks.getFirst().run();
      int before = world.keyspace.directories.get();
      view.open(others, scan).close();
      assertEquals(before, world.keyspace.directories.get(), "all of them were there");
    }
  }

  @Test
  void aQuietStoreIsNotAskedTwice() {
    all(world.reader.view(), Scan.all());
    int directories = world.keyspace.directories.get();
    all(world.reader.view(), Scan.all());
    assertEquals(directories, world.keyspace.directories.get(), "directories are cached");
    world.round();
    assertEquals(expected(Scan.all()), all(world.reader.view(), Scan.all()));
  }

  @Test
  void aMergeOfAQuietStoreIsMetOnce() {
    List<TestEvent> expected = expected(Scan.all());
    assertEquals(expected, all(world.reader.view(), Scan.all()));
    int before = world.keyspace.directories.get();
    List.copyOf(world.partitions()).forEach(world::merge);
    int merging = world.keyspace.directories.get();
    assertEquals(expected, all(world.reader.view(), Scan.all()));
    int met = world.keyspace.directories.get();
    assertTrue(met > merging && merging > before, "segments were gone");
    assertEquals(expected, all(world.reader.view(), Scan.all()));
    assertEquals(met, world.keyspace.directories.get(), "the new directories are cached");
  }

  @Test
  void aPositionOfAnotherKindOfStoreIsRefused() {
    Scan scan = Scan.all().withSince(new LaneArrivals(1, List.of(1L)));
    var told =
        assertThrows(
            IllegalArgumentException.class, () -> world.reader.view().open(List.of(), scan));
    assertTrue(message(told).endsWith("a1.1-1"), () -> message(told));
  }
}
