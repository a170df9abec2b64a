package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Appends;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// Goal: a drained store forgets exactly the released events, and its directory stays small.
/// Method: numbered events in one or two lanes on the simulated disk; each test checks the visible
/// events and the files.
class SpoolTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final byte[] TYPE = "app".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NOISE = "noise".getBytes(StandardCharsets.UTF_8);
  private static final Path SEGMENTS = Path.of("/store/segments");
  private static final Duration OPEN_AGE = Duration.ofMinutes(1);

  private final TestClock clock = new TestClock(START_NANOS);
  private final SimDisk disk = new SimDisk(3);
  private final SpoolTail tail = new SpoolTail();
  private final SplittableRandom random = new SplittableRandom(3);
  private long number;

  private static StoreConfig config(int lanes) {
    return StoreConfig.at(Path.of("/store"))
        .withLanes(lanes, lanes)
        .withBuckets(60, Map.of())
        .withMemory(4L * (1 << 20) * lanes, OPEN_AGE)
        .withJournal(1 << 20, 4 << 20)
        .withDiskReserveBytes(0)
        .withAges(Duration.ZERO, Duration.ofHours(1));
  }

  private EmbeddedStore open(SimDisk on, int lanes, Executor background) {
    StoreConfig config = config(lanes);
    return new EmbeddedStore(
        new StoreOpener(config, on, clock, background)
            .drained()
            .open(_ -> new FileJournal.Factory(on, config)));
  }

  private EmbeddedStore open(int lanes) {
    return open(disk, lanes, Runnable::run);
  }

  private void append(EmbeddedStore store, int lane, int events, int noiseBytes) {
    byte[] noise = new byte[noiseBytes];
    try (var batch = new EventBatch(1 << 12, 1 << 22)) {
      for (int i = 0; i < events; i++) {
        batch.begin(TYPE, 0, TYPE.length, clock.wallNanos());
        batch.putLong(NUMBER, 0, NUMBER.length, number++);
        if (noiseBytes > 0) {
          random.nextBytes(noise);
          batch.putBytes(NOISE, 0, NOISE.length, noise, 0, noiseBytes);
        }
        assertNull(batch.end());
      }
      Appends.all(store.lane(lane), batch, 0);
    }
  }

  private void write(EmbeddedStore store, int lane, int events) {
    append(store, lane, events, 0);
    store.lane(lane).commit(Durability.DISK);
  }

  private static LaneArrivals position(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      return (LaneArrivals) view.arrivals();
    }
  }

  private static Set<Long> numbers(long from, long until) {
    return LongStream.range(from, until).boxed().collect(Collectors.toSet());
  }

  private static Set<Long> shown(EmbeddedStore store) {
    return Set.copyOf(StoreFaultTest.shown(store));
  }

  private static long bytesIn(SimDisk on) {
    return on.files().stream().mapToLong(on::sizeOf).sum();
  }

  @Test
  void releasedRowsAreNotWrittenAndNotesStay() {
    EmbeddedStore store = open(1);
    store.lane(0).note(new byte[] {7});
    write(store, 0, 100);
    store.release(position(store));
    store.sealAll();
    assertEquals(1, store.statistics().sealed(), "sealed");
    assertEquals(List.of(), disk.list(SEGMENTS), "segments");
    assertEquals(0, store.statistics().segmentBytesWritten(), "nothing is written to be dropped");
    store.close();
    try (EmbeddedStore again = open(1)) {
      assertEquals(0, again.recovery().eventsReplayed(), "the journal was trimmed");
      List<byte[]> notes = new ArrayList<>();
      again.lane(0).notes((_, note) -> notes.add(note));
      assertEquals(1, notes.size(), "notes");
      assertEquals(7, notes.getFirst()[0]);
    }
  }

  @Test
  void theRestOfPartlyReleasedRowsIsWritten() {
    try (EmbeddedStore store = open(1)) {
      write(store, 0, 100);
      LaneArrivals cut = position(store);
      write(store, 0, 1);
      write(store, 0, 50);
      store.release(cut);
      store.sealAll();
      assertEquals(numbers(100, 151), shown(store));
      assertEquals(51, store.statistics().segmentEvents(), "events in segments");
    }
    try (EmbeddedStore again = open(1)) {
      assertEquals(numbers(100, 151), shown(again), "after a restart");
    }
  }

  @Test
  void aSegmentStaysWhileOneEventOfItIsNeeded() {
    try (EmbeddedStore store = open(1)) {
      write(store, 0, 100);
      LaneArrivals cut = position(store);
      write(store, 0, 1);
      LaneArrivals all = position(store);
      store.sealAll();
      store.release(cut);
      assertEquals(1, disk.list(SEGMENTS).size(), "files");
      assertTrue(shown(store).contains(100L), "the later event");
      assertEquals(101, store.pending(cut).events(), "a segment counts whole");
      store.release(all);
      assertEquals(List.of(), disk.list(SEGMENTS), "files");
      assertEquals(new Pending(0, 0), store.pending(all));
    }
  }

  @Test
  void aSegmentOfOneLaneDoesNotWaitForAnother() {
    try (EmbeddedStore store = open(2)) {
      write(store, 0, 10);
      write(store, 1, 10); // and nothing any more
      for (int round = 0; round < 5; round++) {
        write(store, 0, 10);
        LaneArrivals to = position(store); // before its segment has a number
        store.sealAll();
        store.release(to);
        assertEquals(List.of(), disk.list(SEGMENTS), "files after round " + round);
      }
    }
  }

  @Test
  void segmentsBeforeAPositionAreNotRead() {
    try (EmbeddedStore store = open(1)) {
      LaneArrivals middle = position(store);
      for (int i = 0; i < 10; i++) {
        write(store, 0, 10);
        store.sealAll();
        middle = i == 5 ? position(store) : middle;
      }
      try (StoreView view = store.view()) {
        List<PartitionKey> keys =
            view.partitions(_ -> true, 0, Long.MAX_VALUE / 2, middle).stream()
                .map(PartitionInfo::key)
                .toList();
        try (EventCursor cursor = view.open(keys, Scan.all().withSince(middle))) {
          int events = 0;
          while (cursor.next() == EventCursor.Step.EVENT) {
            events++;
          }
          assertEquals(40, events);
          assertEquals(4, cursor.statistics().blocksRead(), "blocks of four segments");
        }
      }
    }
  }

  @Test
  void anEarlierPositionTakesNothingBack() {
    try (EmbeddedStore store = open(2)) {
      write(store, 0, 10);
      write(store, 1, 10);
      LaneArrivals first = position(store);
      write(store, 0, 10);
      LaneArrivals second = position(store);
      store.release(second);
      store.release(first);
      store.sealAll();
      assertEquals(List.of(), disk.list(SEGMENTS), "files");
      assertEquals(Set.of(), shown(store));
    }
  }

  @Test
  void viewsThatAreOpenGoOn() {
    EmbeddedStore store = open(1);
    write(store, 0, 10);
    store.sealAll();
    write(store, 0, 10);
    StoreView view = store.view();
    store.release((LaneArrivals) view.arrivals());
    store.sealAll();
    assertEquals(0, store.statistics().segments());
    assertEquals(
        20,
        io.widerow.faults.StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all())
            .size());
    view.close();
    assertEquals(List.of(), disk.list(SEGMENTS), "files");
    store.close();
  }

  /// A group that was shown and not forced is lost by a power cut, and so are its numbers. Another
  /// event with such a number would look released.
  @Test
  void numbersOfALostGroupAreNotGivenAgain() {
    EmbeddedStore store = open(1);
    write(store, 0, 10);
    append(store, 0, 10, 0);
    store.lane(0).commit(Durability.OS);
    assertEquals(20, tail.take(store));
    LaneArrivals brought = Objects.requireNonNull(tail.position());
    SimDisk left = disk.crashToDurable();
    try (EmbeddedStore again = open(left, 1, Runnable::run)) {
      assertEquals(numbers(0, 10), shown(again), "the unforced group is lost");
      again.release(brought);
      assertTrue(position(again).laneLimits().getFirst() >= brought.laneLimits().getFirst());
      write(again, 0, 10);
      assertEquals(10, tail.take(again), "all are new, with ids of their own");
      again.sealAll();
      assertEquals(numbers(20, 30), shown(again));
    }
  }

  /// A crash lets the number of a segment that was begun and never finished be given again. Events
  /// that arrived after a view may then lie in that segment.
  @Test
  void aPositionNamesOnlySegmentsThatAreNotBegunAgain() {
    List<Runnable> background = new ArrayList<>();
    EmbeddedStore store = open(disk, 1, background::add);
    write(store, 0, 10);
    store.sealAll();
    disk.failOperations(disk.operations(), Long.MAX_VALUE);
    background.removeFirst().run(); // takes a number and writes nothing
    disk.failOperations(Long.MAX_VALUE, Long.MAX_VALUE);
    assertEquals(10, tail.take(store));
    write(store, 0, 5);
    try (EmbeddedStore again = open(disk.crashToDurable(), 1, Runnable::run)) {
      assertEquals(5, tail.take(again), "arrived after the view");
    }
  }

  @Test
  void arrivalsBeginWhereTheOwnerSays() {
    try (EmbeddedStore store = open(2)) {
      assertEquals(-1, store.lane(0).lastArrival(), "none yet");
      store.arriveFrom(1L << 28);
      assertEquals(List.of(1L << 28, 1L << 28), position(store).laneLimits());
      append(store, 0, 3, 0);
      assertEquals(1L << 28, store.lane(0).lastArrival());
      append(store, 1, 2, 0);
      assertEquals((1L << 28) + 3, store.lane(1).lastArrival());
      append(store, 0, 2, 0);
      assertEquals((1L << 28) + 5, store.lane(0).lastArrival());
      store.arriveFrom(5);
      append(store, 0, 1, 0);
      assertEquals((1L << 28) + 7, store.lane(0).lastArrival(), "never back");
      store.lane(0).commit(Durability.DISK);
      store.lane(1).commit(Durability.DISK);
      assertThrows(IllegalArgumentException.class, () -> store.arriveFrom(-1));
      assertThrows(IllegalArgumentException.class, () -> store.arriveFrom(TimeUuid.COUNTER_LIMIT));
    }
    try (EmbeddedStore again = open(disk.crashToDurable(), 2, Runnable::run)) {
      append(again, 0, 1, 0);
      assertEquals((1L << 28) + 8, again.lane(0).lastArrival(), "durable with the events");
    }
  }

  @Test
  void nothingIsMergedHiddenOrDroppedForItsAge() {
    try (EmbeddedStore store = open(1)) {
      for (int i = 0; i < 40; i++) {
        write(store, 0, 1);
        store.sealAll();
      }
      clock.advance(Duration.ofDays(40).toNanos());
      store.maintain();
      assertEquals(40, store.statistics().segments(), "segments");
      assertEquals(numbers(0, 40), shown(store), "older than the retention");
      assertThrows(IllegalStateException.class, () -> store.retain(null, Duration.ofHours(1)));
    }
  }

  @Test
  void onlyADrainedStoreForgets() {
    try (EmbeddedStore store = FileJournal.openStore(config(1), disk, clock)) {
      write(store, 0, 1);
      LaneArrivals to = position(store);
      assertThrows(IllegalStateException.class, () -> store.release(to));
      assertEquals(1, shown(store).size());
    }
  }

  /// Rows of a lane at rest are sealed, that is dropped, when they are old.
  @Test
  void aLaneAtRestFreesItsJournal() {
    EmbeddedStore store = open(2);
    write(store, 1, 500);
    write(store, 0, 1);
    store.release(position(store));
    clock.advance(OPEN_AGE.toNanos() + 1);
    store.maintain();
    store.lane(0).commit(Durability.DISK);
    store.lane(1).commit(Durability.DISK);
    assertEquals(0, store.statistics().openEvents());
    assertEquals(List.of(), disk.list(SEGMENTS));
    assertEquals(0, store.statistics().segmentBytesWritten());
    try (EmbeddedStore again = open(disk.restart(), 2, Runnable::run)) {
      assertEquals(0, again.recovery().eventsReplayed(), "to replay");
    }
    store.close();
  }

  /// The directory holds at most the journal that a restart may have to replay, one more file a
  /// lane, and files of constant size.
  @Test
  void theDirectoryOfAStoreThatIsAlwaysDrainedStaysSmall() {
    StoreConfig config = config(2);
    long constant = 256 << 10; // ballast, manifest, notes, witness
    long bound = config.lanes() * (config.journalBytes() + config.journalFileBytes()) + constant;
    long most = 0;
    try (EmbeddedStore store = open(2)) {
      long memory = config.openBytes();
      for (int round = 0; round < 300; round++) {
        append(store, round % 2, 40, 4_000);
        store.lane(round % 2).commit(Durability.DISK);
        store.release(position(store));
        if (round % 20 == 0) {
          clock.advance(Duration.ofSeconds(1).toNanos());
          store.maintain();
        }
        most = Math.max(most, bytesIn(disk));
        assertTrue(store.statistics().openBytes() <= memory, "memory");
        assertEquals(0, store.statistics().segments(), "segments");
      }
      long written = store.statistics().journalBytesWritten();
      assertTrue(written > 3 * bound, written + " bytes were written");
      assertEquals(0, store.statistics().segmentBytesWritten());
    }
    assertTrue(most <= bound, "%d bytes, and at most %d".formatted(most, bound));
  }

  /// Nothing is brought elsewhere, the disk fills; then everything is.
  @Test
  void releasingFreesAFullDisk() {
    disk.limitTo(12 << 20);
    EmbeddedStore store = open(1);
    fill(store);
    assertNotNull(store.full());
    assertTrue(store.statistics().segments() > 0, "a backlog in segments");
    for (int round = 0; round < 3; round++) {
      int taken = tail.take(store);
      assertTrue(taken > 0);
      store.release(Objects.requireNonNull(tail.position()));
      store.maintain();
      assertNull(store.full(), "there is room again");
      assertEquals(0, store.statistics().segments(), "segments");
      write(store, 0, 10);
      fill(store);
    }
    var _ = tail.take(store);
    store.release(Objects.requireNonNull(tail.position()));
    store.maintain();
    write(store, 0, 10);
    store.close();
    assertEquals("", store.statistics().failure());
    try (EmbeddedStore again = open(1)) {
      assertEquals(10, tail.take(again), "the last ones");
    }
  }

  /// Writes until there is no room. Refused events were not acknowledged.
  private void fill(EmbeddedStore store) {
    while (true) {
      long before = number;
      try {
        append(store, 0, 40, 4_000);
        store.lane(0).commit(Durability.DISK);
      } catch (StorageException.DiskFull full) {
        number = before;
        try {
          store.lane(0).commit(Durability.DISK); // a group that was begun is dropped
        } catch (StorageException.DiskFull again) {
          assertNotEquals("", again.getMessage());
        }
        return;
      }
    }
  }

  /// Started on a full disk with a backlog in journal and segments, the release of it makes room.
  @Test
  void releasingFreesTheDiskOfAStoreThatWaitsForRoom() {
    disk.limitTo(12 << 20);
    EmbeddedStore killed = open(1);
    fill(killed);
    SimDisk left = disk.restart();
    left.limitTo(bytesIn(left));
    try (EmbeddedStore store = open(left, 1, Runnable::run)) {
      int taken = tail.take(store);
      assertTrue(taken > 0);
      store.release(Objects.requireNonNull(tail.position()));
      store.maintain();
      store.maintain();
      assertNull(store.full(), "there is room again");
      write(store, 0, 10);
      assertEquals(10, tail.take(store));
    }
  }

  @Test
  void whatIsPendingIsCountedFromAbove() {
    try (EmbeddedStore store = open(2)) {
      LaneArrivals start = position(store);
      write(store, 0, 10);
      LaneArrivals middle = position(store);
      write(store, 0, 5);
      write(store, 1, 10);
      assertEquals(25, store.pending(start).events());
      long left = store.pending(middle).events();
      assertTrue(left >= 15 && left <= 25, left + " events");
      assertTrue(store.pending(middle).bytes() < store.pending(start).bytes());
      assertEquals(new Pending(0, 0), store.pending(position(store)));
    }
  }
}
