package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Appends;
import io.widerow.faults.FileJournal;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a view of a drained store that ends earlier shows the events of that moment, and between
/// two positions the last write of each id between them, whatever was sealed, replayed or written
/// since. Method: seeded writes of few ids against a list of all writes.
class SpoolViewsTest {
  private static final byte[] TYPE = "t".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);
  private static final long START_NANOS = 1_764_000_000_000_000_000L;
  private static final int STEPS = 60;

  private record Write(EventId id, long number, int moment) {}

  private final TestClock clock = new TestClock(START_NANOS);
  private SimDisk disk = new SimDisk(1);
  private final List<Write> writes = new ArrayList<>();
  private final List<LaneArrivals> moments = new ArrayList<>(); // positions after each commit

  static List<Long> seeds() {
    return Seeds.of(20);
  }

  private StoreOpener opener() {
    StoreConfig config =
        StoreConfig.at(Path.of("/data"))
            .withLanes(2, 4)
            .withMemory(8L << 20, Duration.ofMinutes(10))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0);
    return new StoreOpener(config, disk, clock, Runnable::run);
  }

  private EmbeddedStore open(boolean drained) {
    StoreOpener opener = drained ? opener().drained() : opener();
    StoreConfig config = StoreConfig.at(Path.of("/data")).withJournal(1 << 20, 4 << 20);
    return new EmbeddedStore(opener.open(_ -> new FileJournal.Factory(disk, config)));
  }

  private void write(EmbeddedStore store, SplittableRandom random) {
    try (EventBatch batch = new EventBatch(1 << 10, 1 << 16)) {
      int lane = random.nextInt(2);
      for (int left = 1 + random.nextInt(6); left > 0; left--) {
        int which = random.nextInt(40);
        EventId id =
            new EventId(
                TimeUuid.timeOfNanos(START_NANOS - 1_000L * which), TimeUuid.tailOf(0, 511, which));
        if (store.laneOf(id) == lane) {
          long number = writes.size();
          batch.begin(TYPE, 0, TYPE.length, id);
          batch.putLong(NUMBER, 0, NUMBER.length, number);
          assertEquals(null, batch.end());
          writes.add(new Write(id, number, moments.size()));
        }
      }
      Appends.all(store.lane(lane), batch, 0);
      store.lane(lane).commit(Durability.DISK);
    }
    try (StoreView view = store.view()) {
      moments.add((LaneArrivals) view.arrivals());
    }
  }

  /// The numbers of the last writes after one moment up to another, by id.
  private Map<EventId, Long> expected(int after, int until) {
    Map<EventId, Long> last = new TreeMap<>();
    writes.stream()
        .filter(write -> write.moment > after && write.moment <= until)
        .forEach(write -> last.put(write.id, write.number));
    return last;
  }

  private Map<EventId, Long> shown(EmbeddedStore store, int after, int until) {
    Map<EventId, Long> shown = new HashMap<>();
    LaneArrivals since = after < 0 ? null : moments.get(after);
    AttributeValue value = new AttributeValue();
    try (StoreView view = store.viewBefore(moments.get(until))) {
      assertEquals(moments.get(until), view.arrivals());
      var keys =
          view.partitions(_ -> true, 0, Long.MAX_VALUE, since).stream()
              .map(PartitionInfo::key)
              .toList();
      try (EventCursor events = view.open(keys, Scan.all().withSince(since))) {
        while (EventCursor.nextLocal(events)) {
          events.event().find(AttributeName.of("n"), value);
          assertEquals(null, shown.put(events.event().id(), value.bits()), "shown twice");
        }
      }
    }
    return shown;
  }

  private void check(EmbeddedStore store, SplittableRandom random) {
    for (int tries = 0; tries < 5 && !moments.isEmpty(); tries++) {
      int until = random.nextInt(moments.size());
      int after = random.nextInt(until + 1) - 1;
      assertEquals(
          expected(after, until),
          new TreeMap<>(shown(store, after, until)),
          () -> "after " + after + " until " + until);
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void showWhatWasThereThen(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    EmbeddedStore store = open(true);
    for (int step = 0; step < STEPS; step++) {
      switch (random.nextInt(12)) {
        case 0 -> store.sealAll();
        case 1, 2 -> {
          if (random.nextBoolean()) {
            store.close();
          }
          disk = disk.restart(); // a kill: rows are filled again from the journal
          store = open(true);
          store.findArrivals();
        }
        default -> write(store, random);
      }
      check(store, random);
    }
    store.close();
  }

  @Test
  void otherStoresHaveNone() {
    try (EmbeddedStore store = open(false)) {
      assertThrows(
          IllegalStateException.class,
          () -> store.viewBefore(new LaneArrivals(0, List.of(1L))).close());
    }
  }
}
