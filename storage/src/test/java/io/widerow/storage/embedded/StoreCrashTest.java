package io.widerow.storage.embedded;

import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.TestClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: after a power cut at any moment, with any unforced data lost or kept, the store opens by
/// itself and shows everything it acknowledged, each event once and in order. It shows a group in
/// flight whole or not at all. The same holds after another cut while it opens. Method: random
/// operations on the simulated disk; before every disk operation, in the first tier before one in
/// three, crashed copies of the disk are opened and compared with the events acknowledged by then.
/// The seed is the test's name; to replay one, run with `-Dseed=<n>`. Number of runs:
/// `-Dcrashes=<n>`. The journal is a stand-in; [StoreCutTest] has the real one.
class StoreCrashTest {
  private static final int RUNS = Slice.of("crashes", 1, 6);
  private static final long STATES_LEAST = 9_000;
  private static final AtomicLong STATES = new AtomicLong();

  /// A simulated disk.
  private record SimMachine(SimDisk disk, TestClock clock) implements StoreCrashes.Machine {
    @Override
    public EmbeddedStore open(SplittableRandom random, Executor background) {
      return EmbeddedStoreModelTest.open(disk, clock, random, background);
    }

    @Override
    public void beforeEach(Runnable look) {
      disk.beforeEach(look);
    }

    @Override
    public StoreCrashes.Machine crash(SplittableRandom random) {
      return new SimMachine(disk.crash(random.nextBoolean()), clock);
    }

    @Override
    public void cutPowerIn(int operations) {
      disk.cutPowerAt(disk.operations() + operations);
    }

    @Override
    public int segmentFiles() {
      return disk.list(Path.of("/store/segments")).size();
    }
  }

  static List<Long> seeds() {
    return Seeds.of(RUNS);
  }

  @AfterAll
  static void enoughStatesWereSeen() {
    Slice.met("crash states", STATES.get(), STATES_LEAST);
  }

  static List<Long> thinSeeds() {
    return Seeds.of(Math.max(1, RUNS / 3));
  }

  /// Thin history moves into wide buckets, and every one of these steps is cut.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("thinSeeds")
  @Tag("deep")
  void thinHistoryThatWasAcknowledgedIsThere(long seed) {
    crashes(seed, random -> new StoreDriver(random).withThinHistory(Duration.ofDays(1_500)));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatWasAcknowledgedIsThere(long seed) {
    crashes(seed, StoreDriver::new);
  }

  private static void crashes(long seed, Function<SplittableRandom, StoreDriver> drivers) {
    STATES.addAndGet(
        StoreCrashes.run(
            seed,
            (random, clock) -> new SimMachine(new SimDisk(random.nextLong()), clock),
            drivers,
            Slice.of(3, 1)));
  }
}
