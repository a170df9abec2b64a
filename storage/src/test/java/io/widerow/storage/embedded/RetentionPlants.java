package io.widerow.storage.embedded;

import io.widerow.faults.PlantLoader.Cut;
import io.widerow.faults.PlantedRules;
import io.widerow.storage.live.LiveDeletions;
import io.widerow.storage.live.Retentions;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.ManifestSections;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/// The rules of retention, and of the rules that a store keeps, that [PlantedBugsTest] breaks.
final class RetentionPlants {
  private RetentionPlants() {}

  static List<PlantedRules.Planted> all() {
    return List.of(
        PlantedRules.planted(
            "a policy is written down before it is acknowledged",
            SuiteCheck.RETENTION,
            Cut.out(Retentions.class, "change", Consumer.class, "accept")),
        PlantedRules.planted(
            "a rule is written down before it is acknowledged",
            SuiteCheck.RULES,
            Cut.out(StoreContents.class, "change", StoreContents.class, "commit")),
        PlantedRules.planted(
            "what a change hid is kept for its grace",
            SuiteCheck.RETENTION,
            Cut.to(Retentions.Setting.class, "changed", Duration.class, "isZero", "always")),
        PlantedRules.planted(
            "a deletion is written down before it is acknowledged",
            SuiteCheck.DELETION,
            Cut.out(LiveDeletions.class, "change", StoreContents.class, "replaced")),
        PlantedRules.planted(
            "a section of the manifest stays until another takes its place",
            SuiteCheck.RETENTION,
            Cut.to(Manifest.class, "apply", ManifestSections.class, "and", "later")));
  }
}
