package io.widerow.storage.embedded;

import io.widerow.faults.PlantLoader.Cut;
import io.widerow.storage.aggregate.CellCount;
import io.widerow.storage.aggregate.CellPlan;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.rollup.GroupCells;
import io.widerow.storage.segment.Cells;
import java.util.List;

/// The rules of counts by minute that [PlantedBugsTest] breaks.
final class RollupPlants {
  private RollupPlants() {}

  static List<PlantedBugsTest.Planted> all() {
    return List.of(
        PlantedBugsTest.planted(
            "a minute in which an event may replace another is counted from events",
            SuiteCheck.ROLLUP,
            Cut.out(CellPlan.class, "add", Cells.class, "ownIds")),
        PlantedBugsTest.planted(
            "the ends of a range that are no whole minutes are counted from events",
            SuiteCheck.ROLLUP,
            Cut.out(CellCount.class, "open", CellCount.class, "openEvents")),
        PlantedBugsTest.planted(
            "events of open rows are counted beside cells",
            SuiteCheck.ROLLUP,
            Cut.out(CellCount.class, "open", CellCount.class, "openRuns")),
        PlantedBugsTest.planted(
            "a step of a rollup in which an event may replace another is counted from events",
            SuiteCheck.ROLLUP,
            Cut.out(CellPlan.class, "add", GroupCells.class, "ownIds")),
        PlantedBugsTest.planted(
            "a rollup is in use only when it is durable",
            SuiteCheck.ROLLUP_CUTS,
            Cut.out(RollupControl.class, "change", StoreContents.class, "change")));
  }
}
