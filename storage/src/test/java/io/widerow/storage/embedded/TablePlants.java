package io.widerow.storage.embedded;

import io.widerow.faults.PlantLoader.Cut;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.facts.WidthCounter;
import io.widerow.storage.fragment.FragmentEncoder;
import io.widerow.storage.fragment.FragmentReader;
import io.widerow.storage.fragment.RowMerge;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.manifest.Manifest;
import java.util.List;

/// The rules of tables that [PlantedBugsTest] breaks.
final class TablePlants {
  private static final String TABLES = "io.widerow.storage.table.";

  private TablePlants() {}

  private static Cut out(String in, String method, Class<?> owner, String call) {
    return new Cut(TABLES + in, method, owner, call, -1, null);
  }

  static List<PlantedBugsTest.Planted> all() {
    return List.of(
        PlantedBugsTest.planted(
            "a group of tables is forced before it is acknowledged",
            SuiteCheck.TABLES,
            out("TableLane", "force", Journal.class, "force")),
        PlantedBugsTest.planted(
            "a table file is forced before the manifest lists it",
            SuiteCheck.TABLES,
            out("TableFileWriter", "finish", DiskFile.class, "force")),
        PlantedBugsTest.planted(
            "the name of a table file is forced before the manifest lists it",
            SuiteCheck.TABLES,
            out("TableFiles", "adopt", Disk.class, "forceDirectory")),
        PlantedBugsTest.planted(
            "a table file is listed before its journal goes",
            SuiteCheck.TABLES,
            out("TableContents", "commit", Manifest.class, "commit")),
        PlantedBugsTest.planted(
            "an opening goes on with replayed groups of tables",
            SuiteCheck.TABLES,
            out("TableOpening", "begin", tables("TableUpkeep"), "flushUntil")),
        PlantedBugsTest.planted(
            "a header hides the rows of its partition",
            SuiteCheck.TABLE_RULES,
            out("TableScan", "findHeader", tables("HiddenRows"), "add")),
        PlantedBugsTest.planted(
            "the last partition of a file is counted",
            SuiteCheck.WIDTHS,
            Cut.out(WidthCounter.class, "end", WidthCounter.class, "endPartition")),
        PlantedBugsTest.planted(
            "a row without cells is counted",
            SuiteCheck.WIDTHS,
            Cut.out(FragmentEncoder.class, "live", FragmentEncoder.class, "shows")),
        PlantedBugsTest.planted(
            "of two cells the one that wins counts",
            SuiteCheck.TABLE_RULES,
            Cut.out(RowMerge.class, "nextCell", FragmentReader.class, "wins")));
  }

  private static Class<?> tables(String name) {
    try {
      return Class.forName(TABLES + name);
    } catch (ClassNotFoundException moved) {
      throw new IllegalStateException(moved);
    }
  }
}
