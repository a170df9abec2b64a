package io.widerow.storage.embedded;

import io.widerow.faults.PlantLoader.Cut;
import io.widerow.faults.PlantedRules;
import io.widerow.storage.aggregate.CellCount;
import io.widerow.storage.aggregate.CellPlan;
import io.widerow.storage.live.AggregateFiles;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.maintenance.DeletedFigures;
import io.widerow.storage.segment.Cells;
import io.widerow.storage.segment.SegmentSummary;
import io.widerow.storage.sketch.GroupCells;
import java.util.List;

/// The rules of counts by minute that [PlantedBugsTest] breaks.
final class RollupPlants {
  private RollupPlants() {}

  private static Cut cut(String in, String method, Class<?> owner, String call) {
    return new Cut("io.widerow.storage.maintenance." + in, method, owner, call, -1, null);
  }

  static List<PlantedRules.Planted> all() {
    return List.of(
        PlantedRules.planted(
            "a minute in which an event may replace another is counted from events",
            SuiteCheck.ROLLUP,
            Cut.out(CellPlan.class, "add", Cells.class, "ownIds")),
        PlantedRules.planted(
            "the ends of a range that are no whole minutes are counted from events",
            SuiteCheck.ROLLUP,
            Cut.out(CellCount.class, "open", CellCount.class, "openEvents")),
        PlantedRules.planted(
            "events of open rows are counted beside cells",
            SuiteCheck.ROLLUP,
            Cut.out(CellCount.class, "open", CellCount.class, "openRuns")),
        PlantedRules.planted(
            "a step of a rollup in which an event may replace another is counted from events",
            SuiteCheck.ROLLUP_REPLACED,
            Cut.out(CellPlan.class, "add", GroupCells.class, "ownIds")),
        PlantedRules.planted(
            "a rollup is in use only when it is durable",
            SuiteCheck.ROLLUP_CUTS,
            Cut.out(RollupControl.class, "change", StoreContents.class, "change")),
        PlantedRules.planted(
            "a file of figures has a durable name before it is listed",
            SuiteCheck.FIGURE_CUTS,
            cut("AggregateRetainer", "commit", AggregateFiles.class, "forceDirectory")),
        PlantedRules.planted(
            "figures count the last write of an id",
            SuiteCheck.FIGURES,
            cut("AggregateDraft", "mayReplace", SegmentSummary.Partition.class, "ownIds")),
        PlantedRules.planted(
            "figures that may count what is deleted go with it",
            SuiteCheck.FIGURES,
            cut("DeletedFigures", "of", DeletedFigures.class, "isConcerned")));
  }
}
