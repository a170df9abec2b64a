package io.widerow.storage.cassandra.read;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.PlantLoader;
import io.widerow.faults.PlantLoader.Cut;
import io.widerow.storage.ClusterArrivals;
import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.Directory;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: the tests of reading find every rule that is broken. Method: load the classes again with
/// one rule cut out of their byte code, see [PlantLoader]; a test must fail on them, and pass on
/// the classes as they are.
@Tag("deep")
class ReadPlantedBugsTest {
  private static final int TRIES = 6;

  /// A broken rule.
  record Planted(String rule, ReadCheck check, Cut cut) {
    @Override
    public String toString() {
      return rule;
    }
  }

  static List<Planted> plants() {
    return List.of(
        new Planted(
            "a directory is read after the position of the view",
            ReadCheck.DIFFERENTIAL,
            Cut.to(PositionCache.class, "get", PositionCache.class, "includes", "includes")),
        new Planted(
            "an applied segment that a merge covers is not shown",
            ReadCheck.DIFFERENTIAL,
            Cut.to(PartitionRead.class, "of", Directory.class, "isShown", "isShown")),
        new Planted(
            "an event of a merged segment that is later than the view is not shown",
            ReadCheck.DIFFERENTIAL,
            Cut.to(ArrivalCursor.class, "isShown", ClusterArrivals.class, "isNew", "isNew")
                .only(0)),
        new Planted(
            "a merged segment is read instead of what it replaced",
            ReadCheck.MERGES_IN_A_QUERY,
            Cut.to(ValueCursor.class, "open", PartitionReader.class, "replacement", "end")),
        new Planted(
            "a value that one replica does not have is asked of a quorum",
            ReadCheck.ONE_REPLICA_MISSES,
            Cut.to(
                ValueFetcher.class.getName() + "$Fetch",
                "answered",
                ValueFetcher.class,
                "isLast",
                "isLast")));
  }

  @SuppressWarnings("EnumOrdinal") // the same enum of another loader
  private static LongConsumer check(PlantLoader loader, ReadCheck check) throws Exception {
    Object[] checks = loader.loadClass(ReadCheck.class.getName()).getEnumConstants();
    return (LongConsumer) checks[check.ordinal()];
  }

  @ParameterizedTest
  @EnumSource
  void passesOnTheClassesAsTheyAre(ReadCheck check) throws Exception {
    check(new PlantLoader(ReadPlants.class, List.of()), check).accept(1);
  }

  @ParameterizedTest
  @MethodSource("plants")
  void isCaught(Planted plant) throws Exception {
    PlantLoader loader = new PlantLoader(ReadPlants.class, List.of(plant.cut()));
    LongConsumer check = check(loader, plant.check());
    Throwable caught = null;
    for (int seed = 1; caught == null && seed <= TRIES; seed++) {
      caught = failure(check, seed);
    }
    assertTrue(loader.done(plant.cut()) > 0, "this call no longer exists: " + plant.cut());
    assertTrue(caught != null, "found nothing");
    assertTrue(
        caught instanceof AssertionError
            || caught.getClass().getName().startsWith(StorageException.class.getName()),
        "broke for another reason: " + caught);
  }

  @SuppressWarnings("CatchThrowable")
  private static @Nullable Throwable failure(LongConsumer check, long seed) {
    try {
      check.accept(seed);
      return null;
    } catch (Throwable thrown) {
      return thrown;
    }
  }
}
