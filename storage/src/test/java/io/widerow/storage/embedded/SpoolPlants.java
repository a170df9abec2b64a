package io.widerow.storage.embedded;

import io.widerow.faults.PlantLoader.Cut;
import io.widerow.faults.PlantedRules;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.journal.NotesFiles;
import io.widerow.storage.live.Released;
import io.widerow.storage.live.SegmentArrivals;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.maintenance.Sealer;
import io.widerow.storage.manifest.ManifestEdit;
import io.widerow.storage.rows.OpenRows;
import java.util.List;

/// The rules of a drained store that [PlantedBugsTest] breaks.
final class SpoolPlants {
  private SpoolPlants() {}

  static List<PlantedRules.Planted> all() {
    return List.of(
        PlantedRules.planted(
            "a segment of which one event is left is kept",
            SuiteCheck.SPOOL,
            Cut.to(SegmentArrivals.class, "isOlder", LaneArrivals.class, "limitOfLane", "oneMore")),
        PlantedRules.planted(
            "a segment that was begun after a position is kept",
            SuiteCheck.SPOOL_CRASH,
            Cut.to(
                SegmentArrivals.class, "isOlder", LaneArrivals.class, "segmentLimit", "oneMore")),
        PlantedRules.planted(
            "a position names no segment that is yet to be begun",
            SuiteCheck.SPOOL_CRASH,
            Cut.to(StoreContents.class, "commit", ManifestEdit.class, "segmentIdNext", "oneMore")),
        PlantedRules.planted(
            "the first event that is not released is sealed",
            SuiteCheck.SPOOL_CRASH,
            Cut.to(Sealer.class, "neededFrom", Released.class, "limitOf", "oneMore")),
        PlantedRules.planted(
            "the rest of rows that are partly released is sealed",
            SuiteCheck.SPOOL_CRASH,
            Cut.to(Sealer.class, "isNeeded", OpenRows.View.class, "hasSince", "never")),
        PlantedRules.planted(
            "what is released stays released",
            SuiteCheck.SPOOL,
            Cut.to(Released.class, "both", Math.class, "max", "second")),
        PlantedRules.planted(
            "numbers below what is released are not given again",
            SuiteCheck.SPOOL,
            Cut.out(StoreContents.class, "release", StoreContents.class, "arriveFrom")),
        PlantedRules.planted(
            "notes of released groups are kept",
            SuiteCheck.SPOOL_CRASH,
            Cut.out(Sealer.class, "commit", NotesFiles.class, "append")));
  }
}
