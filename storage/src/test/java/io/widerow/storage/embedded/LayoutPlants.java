package io.widerow.storage.embedded;

import io.widerow.faults.PlantLoader.Cut;
import io.widerow.storage.live.LiveLayouts;
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
            Cut.out(LiveLayouts.class, "change", Consumer.class, "accept")));
  }
}
