package io.widerow.storage.cassandra.apply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.PlantLoader;
import io.widerow.faults.PlantLoader.Cut;
import io.widerow.storage.cassandra.value.SegmentValue;
import java.util.List;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: the simulation finds every broken rule of applying. Method: load the product's classes
/// again with one rule cut out, see [PlantLoader]; the simulation must fail on one of its seeds.
@Tag("deep")
class PlantedApplyBugsTest {
  private static final int SEEDS = 150;
  private static final String SIMULATION = "io.widerow.storage.cassandra.ClusterSimulation";

  /// A broken rule.
  ///
  /// @param rule what the product does and the broken one does not
  /// @param simulation that finds it, a class
  record Planted(String rule, String simulation, List<Cut> cuts) {
    @Override
    public String toString() {
      return rule;
    }
  }

  private static Planted planted(String rule, Cut... cuts) {
    return new Planted(rule, SIMULATION, List.of(cuts));
  }

  static List<Planted> plants() {
    return List.of(
        planted(
            "a round is written down before anything of it is written",
            Cut.to(Applier.class, "begin", RoundsFile.class, "begun", "inMemoryOnly"),
            Cut.to(Applier.class, "roundsOfStart", RoundsFile.class, "begun", "allInMemoryOnly")),
        planted(
            "a round is applied after its last write",
            Cut.out(RoundWriter.class, "awaitFirst", RetryingStatements.Try.class, "await")),
        planted(
            "a key is claimed before its batch is written",
            Cut.to(Applier.class, "write", Claims.class, "claim", "nothingIsClaimed")),
        new Planted(
            "a daemon that is alone makes sure after it has noted its claims",
            "io.widerow.storage.cassandra.SecondDaemon",
            List.of(
                Cut.to(
                    Claims.class,
                    "noteUnclaimed",
                    SingleDaemonCheck.class,
                    "isStill",
                    "withoutAsking"))),
        planted(
            "a batch that was left out is kept until the other daemon has applied it",
            Cut.to(Applier.class, "release", Rounds.class, "releasable", "everything"),
            Cut.to(Applier.class, "release", Rounds.class, "isHeldBack", "nothing")),
        planted(
            "the key of a batch whose group was dropped is forgotten",
            Cut.to(
                "io.widerow.storage.cassandra.ClusterLane",
                "commit",
                Batches.class,
                "removeLast",
                "remembers")),
        planted(
            "versions are above those of the round before",
            Cut.to(Round.class, "next", Round.class, "above", "asTheClockSays")),
        planted(
            "a round ends between groups",
            Cut.to("io.widerow.storage.cassandra.ClusterLane", "mark", Marks.class, "add", "cut")),
        planted(
            "a round ends between groups, also in a backlog of an earlier start",
            Cut.to(
                "io.widerow.storage.cassandra.ClusterLane", "commit", Marks.class, "note", "cut")),
        planted(
            "what came before a start is in rounds of its own",
            Cut.to(Marks.class, "next", Marks.class, "isBefore", "never")),
        planted(
            "the same events make the same values",
            Cut.to(
                RoundWriter.class,
                "writePartition",
                SegmentValue.Writer.class,
                "isFull",
                "sometimes")));
  }

  @ParameterizedTest
  @MethodSource("plants")
  void isFound(Planted plant) throws ReflectiveOperationException {
    PlantLoader loader = new PlantLoader(PlantedHooks.class, plant.cuts());
    assertTrue(failingSeed(loader, plant.simulation()) >= 0, () -> "nobody noticed: " + plant);
    for (Cut cut : plant.cuts()) {
      assertTrue(loader.done(cut) > 0, () -> "there is no such call: " + cut);
    }
  }

  @Test
  void theUnchangedClassesPass() throws ReflectiveOperationException {
    assertEquals(-1, failingSeed(new PlantLoader(PlantedHooks.class, List.of()), SIMULATION));
  }

  /// The first seed on which the simulation fails; -1 when it passes on all.
  static long failingSeed(PlantLoader loader, String name) throws ReflectiveOperationException {
    Class<?> simulation = loader.loadClass(name);
    for (long seed = 0; seed < SEEDS; seed++) {
      LongConsumer run = (LongConsumer) simulation.getConstructor().newInstance();
      try {
        run.accept(seed);
      } catch (AssertionError found) {
        return seed;
      }
    }
    return -1;
  }
}
