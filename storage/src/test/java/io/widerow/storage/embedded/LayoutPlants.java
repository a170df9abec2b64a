package io.widerow.storage.embedded;

import io.widerow.faults.PlantLoader.Cut;
import io.widerow.storage.live.LiveLayouts;
import io.widerow.storage.segment.SegmentOrigin;
import io.widerow.storage.upkeep.Merger;
import java.util.List;
import java.util.function.Consumer;

/// The rules of layouts that [PlantedBugsTest] breaks.
final class LayoutPlants {
  private LayoutPlants() {}

  static List<PlantedBugsTest.Planted> all() {
    return List.of(
        PlantedBugsTest.planted(
            "a layout is written down before it is acknowledged",
            SuiteCheck.LAYOUT,
            Cut.out(LiveLayouts.class, "change", Consumer.class, "accept")),
        PlantedBugsTest.planted(
            "segments that one merge wrote name each other",
            SuiteCheck.MANIFEST_LOSS,
            Cut.to(Merger.class, "write", SegmentOrigin.class, "together", "alone")));
  }
}
