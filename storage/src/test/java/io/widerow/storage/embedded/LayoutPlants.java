package io.widerow.storage.embedded;

import io.widerow.faults.PlantLoader.Cut;
import io.widerow.faults.PlantedRules;
import io.widerow.storage.EventCursor;
import io.widerow.storage.live.LiveLayouts;
import io.widerow.storage.live.SegmentArrivals;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.maintenance.MergeWriter;
import io.widerow.storage.maintenance.Repartition;
import io.widerow.storage.segment.SegmentOrigin;
import java.util.List;
import java.util.function.Consumer;

/// The rules of layouts that [PlantedBugsTest] breaks.
final class LayoutPlants {
  private LayoutPlants() {}

  static List<PlantedRules.Planted> all() {
    return List.of(
        PlantedRules.planted(
            "a layout is written down before it is acknowledged",
            SuiteCheck.LAYOUT,
            Cut.out(LiveLayouts.class, "change", Consumer.class, "accept")),
        PlantedRules.planted(
            "segments that one merge wrote name each other",
            SuiteCheck.MANIFEST_LOSS,
            Cut.to(MergeWriter.class, "write", SegmentOrigin.class, "together", "alone")),
        PlantedRules.planted(
            "files of a repartition have their names before the manifest lists them",
            SuiteCheck.REPARTITION,
            Cut.out(MergeWriter.class, "commit", SegmentFiles.class, "forceDirectory")),
        PlantedRules.planted(
            "what a repartition wrote is compared with what it read",
            SuiteCheck.REPARTITION_DIGEST,
            Cut.to(MergeWriter.class, "write", EventCursor.class, "nextLocal", "everySecond"),
            Cut.out(Repartition.class, "write", Repartition.class, "requireSame")),
        PlantedRules.planted(
            "shards of an earlier opening keep their lanes",
            SuiteCheck.REPARTITION_LANES,
            Cut.to(
                "io.widerow.storage.maintenance.RepartitionPlan",
                "of",
                SegmentArrivals.class,
                "isOfThisOpening",
                "always")));
  }
}
