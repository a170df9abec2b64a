package io.widerow.storage.cassandra.apply;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.PlantLoader;
import io.widerow.faults.PlantLoader.Cut;
import io.widerow.storage.cassandra.keyspace.SourceRows;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: the simulation of sources finds every broken rule of claiming offsets. Method: as
/// [PlantedApplyBugsTest].
@Tag("deep")
class PlantedSourceBugsTest {
  private static final String SIMULATION = "io.widerow.storage.cassandra.SourceSimulation";

  /// A broken rule.
  ///
  /// @param rule what the product does and the broken one does not
  record Planted(String rule, Cut cut) {
    @Override
    public String toString() {
      return rule;
    }
  }

  static List<Planted> plants() {
    return List.of(
        new Planted(
            "offsets are claimed before their events are written",
            Cut.to(Applier.class, "write", SourceClaims.class, "claim", "noRangeIsClaimed")),
        new Planted(
            "ranges that are left out are not written",
            Cut.out(RoundWriter.Task.class, "wants", SourceRanges.Pending.class, "has")),
        new Planted(
            "the claim of an earlier try is known",
            Cut.out(SourceClaims.class, "claimed", SourceClaims.class, "claim")),
        new Planted(
            "the ranges of a group that was dropped are forgotten",
            Cut.to(
                "io.widerow.storage.cassandra.ClusterLane",
                "commit",
                SourceRanges.class,
                "removeLast",
                "remembersRanges")),
        new Planted(
            "ranges are known again after a start",
            Cut.to(
                "io.widerow.storage.cassandra.ClusterOpener",
                "recover",
                SourceRanges.class,
                "recover",
                "forgetsRange")),
        new Planted(
            "what a released daemon owes is read again",
            Cut.to(
                "io.widerow.storage.cassandra.ClusterSources",
                "start",
                SourceRows.class,
                "claims",
                "nothingIsOwed")));
  }

  @ParameterizedTest
  @MethodSource("plants")
  void isFound(Planted plant) throws ReflectiveOperationException {
    PlantLoader loader = new PlantLoader(PlantedHooks.class, List.of(plant.cut()));
    long seed = PlantedApplyBugsTest.failingSeed(loader, SIMULATION);
    assertTrue(seed >= 0, () -> "nobody noticed: " + plant);
    assertTrue(loader.done(plant.cut()) > 0, () -> "there is no such call: " + plant);
  }
}
