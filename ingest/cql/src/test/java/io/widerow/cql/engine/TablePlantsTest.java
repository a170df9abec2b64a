package io.widerow.cql.engine;

import io.widerow.cql.fragment.FragmentEncoder;
import io.widerow.cql.fragment.FragmentReader;
import io.widerow.cql.fragment.RowMerge;
import io.widerow.cql.tablestats.WidthCounter;
import io.widerow.faults.PlantLoader.Cut;
import io.widerow.faults.PlantedRules;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.manifest.Manifest;
import java.util.List;
import java.util.function.LongConsumer;

/// The durability rules of tables, see [PlantedRules].
class TablePlantsTest extends PlantedRules {
  private static final String TABLES = "io.widerow.cql.engine.";

  /// Checks of the tests of this package.
  @SuppressWarnings("JUnitMethodInvoked") // on purpose: a planted bug must fail the test itself
  enum Check implements LongConsumer {
    /// Crash states of tables.
    TABLES {
      @Override
      public void accept(long seed) {
        new TablesCrashTest().whatWasAcknowledgedIsThere(seed);
      }
    },

    /// Tables compared with their model.
    TABLE_RULES {
      @Override
      public void accept(long seed) {
        new TablesModelTest().showsWhatTheModelShows(seed);
      }
    },

    /// Widths of partitions of tables, compared with a recount.
    WIDTHS {
      @Override
      public void accept(long seed) {
        new TableWidthsTest().theyAreThoseOfARecount(seed);
      }
    }
  }

  TablePlantsTest() {
    super("cql", TablePlantsTest.class, List.of(), List.of(Check.values()), all());
  }

  private static Cut out(String in, String method, Class<?> owner, String call) {
    return new Cut(TABLES + in, method, owner, call, -1, null);
  }

  private static List<Planted> all() {
    return List.of(
        planted(
            "a group of tables is forced before it is acknowledged",
            Check.TABLES,
            out("TableLane", "force", Journal.class, "force")),
        planted(
            "a table file is forced before the manifest lists it",
            Check.TABLES,
            out("TableFileWriter", "finish", DiskFile.class, "force")),
        planted(
            "the name of a table file is forced before the manifest lists it",
            Check.TABLES,
            out("TableFiles", "adopt", Disk.class, "forceDirectory")),
        planted(
            "a table file is listed before its journal goes",
            Check.TABLES,
            out("TableContents", "commit", Manifest.class, "commit")),
        planted(
            "an opening goes on with replayed groups of tables",
            Check.TABLES,
            out("TableOpening", "begin", tables("TableUpkeep"), "flushUntil")),
        planted(
            "a header hides the rows of its partition",
            Check.TABLE_RULES,
            out("TableScan", "findHeader", tables("HiddenRows"), "add")),
        planted(
            "the last partition of a file is counted",
            Check.WIDTHS,
            Cut.out(WidthCounter.class, "end", WidthCounter.class, "endPartition")),
        planted(
            "a row without cells is counted",
            Check.WIDTHS,
            Cut.out(FragmentEncoder.class, "live", FragmentEncoder.class, "shows")),
        planted(
            "of two cells the one that wins counts",
            Check.TABLE_RULES,
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
