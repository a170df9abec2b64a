package io.widerow.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.FileJournal;
import io.widerow.faults.PendingStore;
import io.widerow.faults.Seeds;
import io.widerow.faults.SimDisk;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a reader of the contract sees the same events of a store that is always late. Method: a
/// store filled at random, read through [PendingStore] and directly, in both directions and in any
/// order. The seed is the test's name; to replay one, run with `-Dseed=<n>`.
@Timeout(300)
class PendingStoreTest {
  private final TestClock clock = new TestClock(1_700_000_000_000_000_000L);

  static List<Long> seeds() {
    return Seeds.of(10);
  }

  private EmbeddedStore open(SimDisk disk) {
    StoreConfig config =
        StoreConfig.at(Path.of("/store"))
            .withLanes(2, 6)
            .withMemory(4L << 21, Duration.ofMinutes(1))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0)
            .withAges(Duration.ZERO, null);
    return FileJournal.openStore(config, disk, clock);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyReadShowsTheSameEvents(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SimDisk disk = new SimDisk(seed);
    PendingStore late;
    try (EmbeddedStore store = open(disk);
        StoreDriver driver = new StoreDriver(random)) {
      late = new PendingStore(store, seed);
      assertThrows(WouldBlockException.class, () -> late.viewWithin(1_000_000));
      Arrivals before = null;
      for (int step = 0; step < 6; step++) {
        driver.append(store, clock.wallNanos(), 40);
        driver.commit(store, Durability.DISK);
        clock.advance(random.nextLong(Duration.ofHours(3).toNanos()));
        if (random.nextBoolean()) {
          store.sealAll();
        }
        try (StoreView plain = store.view();
            StoreView pending = late.view()) {
          assertEquals(plain.arrivals(), pending.arrivals());
          for (Scan scan : scans(before)) {
            assertEquals(shown(plain, scan), shown(pending, scan), scan.toString());
          }
          before = step == 2 ? plain.arrivals() : before;
        }
      }
    }
    assertTrue(late.pendings() > 0);
    late.assertNothingOpen();
  }

  private static List<Scan> scans(@Nullable Arrivals before) {
    Filter some =
        new Filter.Compare(
            StoreModel.NUMBER, Filter.Comparison.LESS, new Filter.Literal.Whole(150));
    return Stream.of(Scan.all(), Scan.all().withFilter(some), Scan.all().withSince(before))
        .flatMap(scan -> Stream.of(scan, scan.withDescending(true)))
        .toList();
  }

  private static List<StoreModel.Shown> shown(StoreView view, Scan scan) {
    return StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, scan);
  }
}
