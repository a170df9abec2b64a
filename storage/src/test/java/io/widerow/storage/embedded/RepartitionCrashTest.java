package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.PartitionKey;
import io.widerow.event.PartitionWeights;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.TestClock;
import io.widerow.storage.embedded.PartitionCatalog.Entry;
import io.widerow.storage.embedded.RepartitionControl.Asked;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a power cut at any moment of a repartition loses no event and shows none twice, and each
/// bucket has its old keys or its new ones. Method: random events and repartitions on a simulated
/// disk; the power is cut before its operations, and the surviving disk is opened and compared with
/// a list of the written events. The seed is the test's name.
class RepartitionCrashTest {
  private static final long HOUR = RetentionStore.HOUR.toNanos();
  private static final List<String> TYPES = List.of("cpu", "disk", "disk.io");
  private static final int STEPS = 6;
  private static int states;
  private static int half;

  private SplittableRandom random = new SplittableRandom(0);
  private SplittableRandom cuts = new SplittableRandom(0);
  private TestClock clock = new TestClock(RetentionStore.START_NANOS);
  private final Set<Integer> events = new HashSet<>();
  private Set<PartitionKey> keysBefore = new HashSet<>();
  private int written;

  static List<Long> seeds() {
    return Seeds.of(Slice.of("repartitioncrashes", 2, 6));
  }

  @AfterAll
  static void enoughStatesWereSeen() {
    System.out.println(states + " crash states of repartitions, " + half + " after their edit");
    Slice.met("crash states", states, 100);
    Slice.met("crash states after an edit", half, 10);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aCutChangesNothingOrAllOfABucket(long seed) throws InterruptedException {
    random = new SplittableRandom(seed);
    cuts = random.split();
    clock = new TestClock(RetentionStore.START_NANOS);
    var disk = new SimDisk(random.nextLong());
    try (var it = new RetentionStore(disk, clock, Runnable::run)) {
      for (int step = 0; step < STEPS; step++) {
        for (String type : TYPES) {
          write(it, type, 1 + random.nextInt(12));
        }
        it.merge();
        clock.advance(HOUR);
        keysBefore = keys(it);
        disk.beforeEach(() -> cut(disk));
        var _ = it.store().repartition().run(asked(1 + random.nextInt(6)));
        disk.beforeEach(() -> {});
        assertEquals(events, numbers(it));
        if (random.nextInt(4) == 0) {
          it.reopen();
        }
      }
    }
  }

  private static Asked asked(int events) {
    var weights = new PartitionWeights(1L << 40, events, 1 << 20, 1 << 30);
    return new Asked(_ -> true, 0, Long.MAX_VALUE, weights);
  }

  private void write(RetentionStore it, String type, int count) {
    for (int i = 0; i < count; i++) {
      long late = random.nextLong(12 * HOUR);
      assertEquals(List.of(), it.write(type, clock.wallNanos() - late, 1));
      events.add(written++);
    }
  }

  private static Set<PartitionKey> keys(RetentionStore it) {
    return it.store().partitions().entries(_ -> true, 0, Long.MAX_VALUE).stream()
        .map(Entry::key)
        .collect(Collectors.toSet());
  }

  private void cut(SimDisk disk) {
    if (cuts.nextInt(8) != 0) {
      return;
    }
    SimDisk left = disk.crash(cuts.nextBoolean());
    try (var it = new RetentionStore(left, clock, Runnable::run)) {
      assertEquals(events, numbers(it));
      states++;
      Set<PartitionKey> keys = keys(it);
      half += keys.equals(keysBefore) ? 0 : 1;
      assertEquals(
          it.filesOnDisk(), it.store().statistics().segments(), "files that nothing lists");
      int weight = 1 + cuts.nextInt(6);
      var _ = it.store().repartition().run(asked(weight));
      assertEquals(events, numbers(it), "after a repartition by " + weight);
    } catch (InterruptedException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  private static Set<Integer> numbers(RetentionStore it) {
    Set<Integer> numbers = new HashSet<>();
    for (String shown : it.shown()) {
      assertTrue(numbers.add(Integer.parseInt(shown.split(" ", -1)[4])), "twice: " + shown);
    }
    return numbers;
  }
}
