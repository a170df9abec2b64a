package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.event.Rejection;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a group is visible whole or not at all, also when it reaches the end of the rows' memory
/// or is larger than a frame. A batch that does not fit is refused whole, with the reason, and
/// affects nothing else. Method: a lane with little memory; groups of about half of it while
/// another thread reads; batches larger than all of it.
class StoreGroupTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final byte[] TYPE = "t".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NUMBER = "n".getBytes(StandardCharsets.UTF_8);
  private static final byte[] PAD = "pad".getBytes(StandardCharsets.UTF_8);
  private static final int PAD_BYTES = 400;
  private static final int CUTS = 40;
  private static final int GROUP = 2_500; // more than 1 MiB, of 2 MiB

  private final TestClock clock = new TestClock(START_NANOS + Duration.ofHours(2).toNanos());
  private final SimDisk disk = new SimDisk(1);

  private static StoreConfig config() {
    return StoreConfig.at(Path.of("/store"))
        .withMemory(4 << 20, Duration.ofHours(1))
        .withJournal(1 << 20, 256 << 20)
        .withDiskReserveBytes(0)
        .withAges(Duration.ofHours(1), null);
  }

  /// A commit forces groups that were committed at level os a second earlier, even if it commits
  /// nothing itself.
  @Test
  void whatTheKernelHasIsForcedSoon() {
    StoreConfig roomy = config();
    try (EmbeddedStore store = FileJournal.openStore(roomy, disk, clock)) {
      LaneWriter lane = store.lane(0);
      append(lane, 0, 10);
      lane.commit(Durability.OS);
      clock.advance(999_999_999);
      lane.commit(Durability.MEMORY);
      assertTrue(cutsSurvived(roomy) < CUTS, "not yet: nothing of it was forced");
      clock.advance(1);
      lane.commit(Durability.MEMORY);
      assertEquals(CUTS, cutsSurvived(roomy));
    }
  }

  /// After how many of [#CUTS] power cuts the first ten events are present.
  private int cutsSurvived(StoreConfig config) {
    int survived = 0;
    for (int cut = 0; cut < CUTS; cut++) {
      SimDisk left = disk.crash(false);
      try (EmbeddedStore store = FileJournal.openStore(config, left, clock)) {
        survived += shown(store).equals(expected(0, 10)) ? 1 : 0;
      }
    }
    return survived;
  }

  /// The rest of a group of many frames is written in many frames again.
  @Test
  void aLargeGroupSurvivesABatchThatDoesNotFit() {
    StoreConfig roomy = config().withMemory(48 << 20, Duration.ofHours(1));
    List<Long> all = expected(0, 30_000);
    try (EmbeddedStore store = FileJournal.openStore(roomy, disk, clock)) {
      LaneWriter lane = store.lane(0);
      for (long from = 0; from < 30_000; from += 5_000) {
        append(lane, from, 5_000); // 13 MiB, and a frame has 8 at most
      }
      assertEquals(
          30_000,
          append(lane, 100_000, 30_000).values().stream().mapToInt(Integer::intValue).sum());
      lane.commit(Durability.DISK);
      assertEquals(all, shown(store));
      try (EmbeddedStore killed = FileJournal.openStore(roomy, disk.restart(), clock)) {
        assertEquals(all, shown(killed));
      }
    }
  }

  /// A journal file of 1 MiB takes no frame of more than a quarter of it.
  @Test
  void notesOfManyBatchesGoIntoManyFrames(@TempDir Path directory) throws InterruptedException {
    StoreConfig small =
        StoreConfig.at(directory.resolve("d"))
            .withMemory(8 << 20, Duration.ofHours(1))
            .withJournal(1 << 20, 256 << 20)
            .withDiskReserveBytes(0);
    int count = 2_000;
    try (ExecutorService background = Executors.newSingleThreadExecutor()) {
      EmbeddedStore store = EmbeddedStore.open(small, background); // and killed
      LaneWriter lane = store.lane(0);
      append(lane, 0, 100);
      for (int i = 0; i < count; i++) {
        byte[] note = new byte[1 << 10];
        note[0] = (byte) i;
        note[1] = (byte) (i >> 8);
        lane.note(note);
      }
      long group = lane.commit(Durability.DISK);
      append(lane, 100, 10);
      lane.commit(Durability.DISK);
      Path copy = directory.resolve("copy");
      store.snapshot(copy); // with its journal
      store.close();
      try (EmbeddedStore copied =
          EmbeddedStore.open(
              StoreConfig.at(copy).withMemory(8 << 20, Duration.ofHours(1)).withDiskReserveBytes(0),
              background)) {
        assertEquals(expected(0, 110), shown(copied));
        List<Integer> numbers = new ArrayList<>();
        copied
            .lane(0)
            .notes((of, note) -> {
              assertEquals(group, of);
              numbers.add((note[0] & 0xFF) | (note[1] & 0xFF) << 8);
            });
        assertEquals(java.util.stream.IntStream.range(0, count).boxed().toList(), numbers);
      }
    }
  }

  /// Every lane gets the notes of all lanes, but writing them must not multiply them.
  @Test
  void notesAreAsManyAfterManyRestarts() {
    StoreConfig lanes = config().withLanes(2, 2).withMemory(8 << 20, Duration.ofHours(1));
    for (int start = 0; start < 24; start++) {
      EmbeddedStore store = FileJournal.openStore(lanes, disk, clock);
      for (int lane = 0; lane < 2; lane++) {
        List<Integer> notes = new ArrayList<>();
        List<Long> groups = new ArrayList<>();
        store
            .lane(lane)
            .notes((group, note) -> {
              notes.add((int) note[0]);
              groups.add(group);
            });
        assertEquals(2 * start, notes.size(), "of lane " + lane);
        assertEquals(groups.stream().sorted().toList(), groups, "oldest first");
      }
      for (int lane = 0; lane < 2; lane++) {
        append(store.lane(lane), 2 * start + lane, 1);
        store.lane(lane).note(new byte[] {(byte) (2 * start + lane)});
        store.lane(lane).commit(Durability.DISK);
      }
      store.close();
    }
  }

  /// Events that hardly compress, each at most an eighth of a journal file.
  @Test
  void theSmallestJournalTakesTheLargestGroups(@TempDir Path directory) {
    StoreConfig small = StoreConfig.at(directory.resolve("s")).withJournal(1 << 20, 1 << 20);
    int longest = Math.toIntExact(small.eventBytesMax());
    int count = 0;
    try (EmbeddedStore store = EmbeddedStore.open(small, Runnable::run)) {
      for (int bytes : new int[] {longest - 200, longest / 3, 50_000, 1_000}) {
        assertEquals(Map.of(), noise(store.lane(0), bytes, 40));
        store.lane(0).commit(Durability.DISK);
        count += 40;
      }
      assertEquals(Map.of(Rejection.EVENT_TOO_LARGE, 3), noise(store.lane(0), longest, 3));
      assertEquals(count, shown(store).size());
    }
    try (EmbeddedStore again = EmbeddedStore.open(small, Runnable::run)) {
      assertEquals(count, shown(again).size());
    }
  }

  private static Map<Rejection, Integer> noise(LaneWriter lane, int bytes, int count) {
    Map<Rejection, Integer> refused = new EnumMap<>(Rejection.class);
    byte[] noise = new byte[bytes];
    var random = new SplittableRandom(bytes);
    try (var batch = new EventBatch(1 << 16, 16 << 20)) {
      for (int number = 0; number < count; number++) {
        random.nextBytes(noise);
        batch.begin(TYPE, 0, TYPE.length, START_NANOS + number);
        batch.putBytes(PAD, 0, PAD.length, noise, 0, bytes);
        assertNull(batch.end());
      }
      lane.append(batch, 0, (_, why) -> refused.merge(why, 1, Integer::sum));
    }
    return refused;
  }

  private EmbeddedStore open(SimDisk on, ExecutorService background) {
    return FileJournal.openStore(config(), on, clock, background);
  }

  /// Appends numbered events in a batch.
  ///
  /// @return number of refused events, by reason
  private static Map<Rejection, Integer> append(LaneWriter lane, long from, int count) {
    Map<Rejection, Integer> refused = new EnumMap<>(Rejection.class);
    byte[] pad = new byte[PAD_BYTES];
    var random = new SplittableRandom(from);
    try (var batch = new EventBatch(1 << 16, 16 << 20)) {
      for (long number = from; number < from + count; number++) {
        long late = random.nextInt(9) == 0 ? random.nextLong(3_000_000_000L) : 0;
        boolean future = number % 1_000 == 999;
        long time = future ? START_NANOS + Duration.ofDays(9).toNanos() : START_NANOS + number;
        batch.begin(TYPE, 0, TYPE.length, time - late);
        batch.putLong(NUMBER, 0, NUMBER.length, number);
        batch.putBytes(PAD, 0, PAD.length, pad, 0, PAD_BYTES);
        assertNull(batch.end());
      }
      int taken = lane.append(batch, 0, (_, why) -> refused.merge(why, 1, Integer::sum));
      int total = refused.values().stream().mapToInt(Integer::intValue).sum();
      assertEquals(count, taken + total, "each event is taken or refused, once");
    }
    return refused;
  }

  private static List<Long> shown(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      return StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all()).stream()
          .map(StoreModel.Shown::number)
          .sorted()
          .toList();
    }
  }

  private static List<Long> expected(long from, long until) {
    return LongStream.range(from, until).filter(n -> n % 1_000 != 999).boxed().toList();
  }

  @Test
  void groupsAreSeenWhole() throws Exception {
    try (ExecutorService background = Executors.newSingleThreadExecutor();
        ExecutorService readers = Executors.newSingleThreadExecutor();
        EmbeddedStore store = open(disk, background)) {
      AtomicBoolean done = new AtomicBoolean();
      Future<Integer> looks = readers.submit(() -> look(store, done));
      LaneWriter lane = store.lane(0);
      for (int group = 0; group < 12; group++) {
        long from = (long) group * GROUP;
        append(lane, from, 1);
        append(lane, from + 1, GROUP - 1);
        lane.commit(Durability.DISK);
      }
      done.set(true);
      assertTrue(looks.get() > 0);
      assertTrue(store.statistics().sealed() > 4, "rows turned within groups");
      assertEquals(expected(0, 12 * GROUP), shown(store));
      try (EmbeddedStore again = open(disk.restart(), background)) {
        assertEquals(expected(0, 12 * GROUP), shown(again));
      }
    }
  }

  private static int look(EmbeddedStore store, AtomicBoolean done) {
    int looks = 0;
    while (!done.get() || looks == 0) {
      List<Long> now = shown(store);
      long groups = now.isEmpty() ? 0 : now.getLast() / GROUP + 1;
      assertEquals(expected(0, groups * GROUP), now);
      looks++;
    }
    return looks;
  }

  @Test
  void aBatchThatDoesNotFitIsRefusedWhole() {
    try (ExecutorService background = Executors.newSingleThreadExecutor();
        EmbeddedStore store = open(disk, background)) {
      LaneWriter lane = store.lane(0);
      List<Long> all = new ArrayList<>();
      for (int round = 0; round < 3; round++) {
        long from = 100_000L * round;
        append(lane, from, 500);
        assertEquals(
            Map.of(Rejection.BATCH_TOO_LARGE, 9_990, Rejection.TIME_IN_FUTURE, 10),
            append(lane, from + 10_000, 10_000),
            "in a group with others");
        append(lane, from + 500, 100);
        lane.note(new byte[] {1});
        lane.commit(Durability.DISK);
        all.addAll(expected(from, from + 600));
        assertEquals(all, shown(store));
        assertEquals(
            10_000,
            append(lane, from + 20_000, 10_000).values().stream().mapToInt(Integer::intValue).sum(),
            "alone");
        append(lane, from + 600, 200);
        lane.commit(Durability.DISK);
        all.addAll(expected(from + 600, from + 800));
        assertEquals(all, shown(store));
      }
      try (EmbeddedStore killed = open(disk.restart(), background)) {
        assertEquals(all, shown(killed));
      }
    }
  }
}
