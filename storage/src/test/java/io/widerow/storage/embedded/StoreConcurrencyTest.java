package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Appends;
import io.widerow.faults.FileJournal;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.StoreModel;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: while lanes write, rows are sealed and segments are merged on different threads, every
/// view shows at least the events acknowledged before it was created: a gapless prefix of each
/// lane's events, none twice, in order, in both directions, and the same when read again. Method:
/// two lanes with little memory, a background thread, readers; each event carries its lane and its
/// number in it. The seed is the test's name; to replay one, run with `-Dseed=<n>`.
@Tag("deep")
class StoreConcurrencyTest {
  private static final int LANES = 2;
  private static final int EVENTS_PER_LANE = 60_000;
  private static final int READERS = 2;
  private static final byte[] TYPE = "t".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);
  private static final byte[] PAD = "pad".getBytes(StandardCharsets.UTF_8);
  private static final long START_NANOS = 1_700_000_000_000_000_000L;

  static List<Long> seeds() {
    return Seeds.of(3);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void viewsAreWhole(long seed) throws Exception {
    var random = new SplittableRandom(seed);
    var disk = new SimDisk(random.nextLong());
    var clock = new TestClock(START_NANOS + Duration.ofDays(1).toNanos());
    StoreConfig config =
        StoreConfig.at(Path.of("/store"))
            .withLanes(LANES, LANES * 2)
            .withBuckets(60, Map.of())
            .withMemory((4L * LANES) << 20, Duration.ofSeconds(1))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0)
            .withAges(Duration.ZERO, null);
    var acknowledged = new AtomicLongArray(LANES);
    try (ExecutorService background = Executors.newSingleThreadExecutor();
        ExecutorService workers = Executors.newFixedThreadPool(LANES + READERS);
        EmbeddedStore store = FileJournal.openStore(config, disk, clock, background)) {
      List<Future<?>> running = new ArrayList<>();
      for (int lane = 0; lane < LANES; lane++) {
        int number = lane;
        SplittableRandom mine = random.split();
        running.add(workers.submit(() -> write(store, number, acknowledged, mine)));
      }
      for (int reader = 0; reader < READERS; reader++) {
        SplittableRandom mine = random.split();
        running.add(workers.submit(() -> readUntilAllIsThere(store, acknowledged, mine)));
      }
      for (Future<?> each : running) {
        each.get();
      }
      assertTrue(store.statistics().sealed() > 2, "rows were sealed meanwhile");
      assertEquals("", store.statistics().failure());
      assertEquals("", store.statistics().backgroundFailure());
    }
  }

  private static void write(
      EmbeddedStore store, int lane, AtomicLongArray acknowledged, SplittableRandom random) {
    LaneWriter writer = store.lane(lane);
    byte[] pad = new byte[200];
    try (var batch = new EventBatch(1 << 14, 1 << 22)) {
      long number = 0;
      while (number < EVENTS_PER_LANE) {
        batch.clear();
        for (int i = random.nextInt(300); i >= 0 && number < EVENTS_PER_LANE; i--) {
          long late = random.nextInt(20) == 0 ? random.nextLong(3_600_000_000_000L) : 0;
          batch.begin(TYPE, 0, TYPE.length, START_NANOS + number * 1_000 - late);
          batch.putLong(NUMBER, 0, NUMBER.length, number * LANES + lane);
          batch.putBytes(PAD, 0, PAD.length, pad, 0, random.nextInt(pad.length));
          assertEquals(null, batch.end());
          number++;
        }
        Appends.all(writer, batch, random.nextLong());
        writer.commit(Durability.DISK);
        acknowledged.set(lane, number);
        if (random.nextInt(8) == 0) {
          store.maintain();
        }
      }
    }
  }

  private static void readUntilAllIsThere(
      EmbeddedStore store, AtomicLongArray acknowledged, SplittableRandom random) {
    long seen = 0;
    while (seen < (long) EVENTS_PER_LANE * LANES) {
      long[] least = new long[LANES];
      for (int lane = 0; lane < LANES; lane++) {
        least[lane] = acknowledged.get(lane);
      }
      try (StoreView view = store.view()) {
        seen = check(view, least, random.nextBoolean());
      }
    }
  }

  private static long check(StoreView view, long[] least, boolean descending) {
    List<PartitionKey> keys =
        view.partitions(_ -> true, 0, Long.MAX_VALUE / 2).stream().map(PartitionInfo::key).toList();
    boolean[] there = new boolean[EVENTS_PER_LANE * LANES];
    long[] count = new long[LANES];
    EventId last = descending ? EventId.LIMIT : EventId.LEAST;
    var scratch = new AttributeValue();
    try (EventCursor cursor = view.open(keys, Scan.all().withDescending(descending))) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        EventId id = cursor.event().id();
        assertTrue(descending ? id.compareTo(last) < 0 : id.compareTo(last) > 0, "order at " + id);
        last = id;
        assertTrue(cursor.event().find(StoreModel.NUMBER, scratch));
        int number = (int) scratch.bits();
        assertTrue(!there[number], "twice: " + number);
        there[number] = true;
        count[number % LANES]++;
      }
    }
    for (int lane = 0; lane < LANES; lane++) {
      assertTrue(count[lane] >= least[lane], "lane " + lane + " shows " + count[lane]);
      for (long number = 0; number < count[lane]; number++) {
        assertTrue(there[(int) (number * LANES + lane)], "lane " + lane + " lacks " + number);
      }
    }
    return count[0] + count[1];
  }
}
