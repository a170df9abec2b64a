package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Appends;
import io.widerow.faults.FileJournal;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.Arrivals;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a view of the arrivals between two positions shows exactly the events that came between
/// them, in order and unordered, whatever was sealed, merged or replayed since, in several lanes.
/// Method: seeded writes of events of random times against a list of all of them.
class ArrivalViewsTest {
  private static final byte[] TYPE = "t".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);
  private static final long START_NANOS = 1_764_000_000_000_000_000L;
  private static final int STEPS = 60;
  private static final int LANES = 3;

  private final TestClock clock = new TestClock(START_NANOS);
  private SimDisk disk = new SimDisk(1);
  private final List<Integer> moments = new ArrayList<>(); // of each event
  private final List<Arrivals> positions = new ArrayList<>(); // after each commit

  static List<Long> seeds() {
    return Seeds.twenty();
  }

  private EmbeddedStore open() {
    StoreConfig config =
        StoreConfig.at(Path.of("/data"))
            .withLanes(LANES, 2 * LANES)
            .withMemory(8L << 20, Duration.ofMinutes(10))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0);
    StoreOpener opener = new StoreOpener(config, disk, clock, Runnable::run);
    StoreConfig journal = StoreConfig.at(Path.of("/data")).withJournal(1 << 20, 4 << 20);
    return new EmbeddedStore(opener.open(_ -> new FileJournal.Factory(disk, journal)));
  }

  private void write(EmbeddedStore store, SplittableRandom random) {
    try (EventBatch batch = new EventBatch(1 << 10, 1 << 16)) {
      for (int left = 1 + random.nextInt(6); left > 0; left--) {
        long late = random.nextLong(Duration.ofHours(3).toNanos());
        batch.begin(TYPE, 0, TYPE.length, START_NANOS - late);
        batch.putLong(NUMBER, 0, NUMBER.length, moments.size());
        assertEquals(null, batch.end());
        moments.add(positions.size());
      }
      int lane = random.nextInt(LANES);
      Appends.all(store.lane(lane), batch, random.nextLong());
      store.lane(lane).commit(Durability.DISK);
    }
    try (StoreView view = store.view()) {
      positions.add(view.arrivals());
    }
  }

  private static Set<Long> numbers(EventCursor opened) {
    TreeSet<Long> numbers = new TreeSet<>();
    AttributeValue value = new AttributeValue();
    try (EventCursor events = opened) {
      while (EventCursor.nextLocal(events)) {
        assertTrue(events.event().find(AttributeName.of("n"), value));
        assertTrue(numbers.add(value.bits()), "shown twice");
      }
    }
    return numbers;
  }

  private void check(EmbeddedStore store, SplittableRandom random) {
    try (StoreView whole = store.view()) {
      for (int tries = 0; tries < 5 && !positions.isEmpty(); tries++) {
        int until = random.nextInt(positions.size());
        int after = random.nextInt(until + 1) - 1;
        TreeSet<Long> expected = new TreeSet<>();
        for (int i = 0; i < moments.size(); i++) {
          if (moments.get(i) > after && moments.get(i) <= until) {
            expected.add((long) i);
          }
        }
        @Nullable Arrivals since = after < 0 ? null : positions.get(after);
        StoreView view = whole.arrivedWithin(since, positions.get(until));
        assertFalse(view.hasCells());
        List<PartitionKey> keys =
            view.partitions(_ -> true, 0, Long.MAX_VALUE).stream().map(PartitionInfo::key).toList();
        String what = "after " + after + " until " + until;
        assertEquals(expected, numbers(view.open(keys, Scan.all())), what);
        assertEquals(expected, numbers(view.openUnordered(keys, Scan.all())), what);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void showWhatCameBetweenTwoPositions(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    EmbeddedStore store = open();
    for (int step = 0; step < STEPS; step++) {
      switch (random.nextInt(12)) {
        case 0 -> store.sealAll();
        case 1 -> store.maintain(); // merges
        case 2 -> {
          if (random.nextBoolean()) {
            store.close();
          }
          disk = disk.restart(); // a kill: rows are filled again from the journal
          store = open();
        }
        default -> write(store, random);
      }
      check(store, random);
    }
    store.close();
  }
}
