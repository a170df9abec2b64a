package io.widerow.storage.objects;

import io.widerow.faults.PlantLoader.Cut;
import io.widerow.faults.PlantedRules;
import io.widerow.storage.embedded.BackupCut;
import io.widerow.storage.embedded.BackupFeed;
import io.widerow.storage.live.ChangeCount;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.maintenance.ColdControl;
import io.widerow.storage.maintenance.JournalPin;
import io.widerow.storage.repair.RestoredStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// The rules of a backup, see [PlantedRules].
class PlantedBackupBugsTest extends PlantedRules {
  PlantedBackupBugsTest() {
    super("objects", Hooks.class, List.of(), List.of(Check.values()), plants());
  }

  /// The checks of this module.
  @SuppressWarnings("JUnitMethodInvoked") // on purpose: a planted bug must fail the test itself
  enum Check implements LongConsumer {
    /// Random operations, faults, kills and restores.
    MODEL {
      @Override
      public void accept(long seed) {
        for (int i = 0; i < RUNS; i++) {
          new BackupModelTest().run(seed * RUNS + i);
        }
      }
    },

    /// Segments that are moved, with faults and kills.
    COLD {
      @Override
      public void accept(long seed) {
        for (int i = 0; i < RUNS; i++) {
          new ColdModelTest().run(seed * RUNS + i);
        }
      }
    };

    private static final int RUNS = 8;
  }

  private static List<Planted> plants() {
    return List.of(
        planted(
            "the files of a checkpoint are put before it",
            Check.MODEL,
            Cut.to(CheckpointWriter.class, "put", ObjectStore.class, "put", "headFirst")),
        planted(
            "frames are shipped before the journal is trimmed",
            Check.MODEL,
            Cut.out(BackupFeed.class, "hold", JournalPin.class, "hold"),
            Cut.out(BackupFeed.class, "shipped", JournalPin.class, "hold")),
        planted(
            "a file that a kept moment needs is not deleted",
            Check.MODEL,
            Cut.to(BackupRetention.Needed.class, "isGarbage", Set.class, "contains", "never")),
        planted(
            "what was kept from then on is not forgotten",
            Check.MODEL,
            Cut.to(BackupRetention.class, "next", BackupCatalog.class, "planOrNull", "newest")),
        planted(
            "a cut ends with whole groups of all journals",
            Check.MODEL,
            Cut.to(FrameShipper.class, "build", BackupCut.class, "isIn", "always")),
        planted(
            "a restored store skips numbers of arrival",
            Check.MODEL,
            Cut.to(RestoredStore.class, "raise", Math.class, "addExact", "first")),
        planted(
            "frames are not replayed over other settings",
            Check.MODEL,
            Cut.to(BackupFeed.class, "cut", ChangeCount.class, "now", "unchanged"),
            Cut.to(BackupFeed.class, "moment", ChangeCount.class, "now", "unchanged")),
        planted(
            "what was put is read back before the file goes",
            Check.COLD,
            Cut.to(ColdMover.class, "put", ColdMover.class, "hasHash", "trusted")),
        planted(
            "a stub is durable before the file goes",
            Check.COLD,
            Cut.out(SegmentFiles.class, "adopt", SegmentFiles.class, "forceDirectory")),
        planted(
            "objects of cold segments are not deleted",
            Check.COLD,
            Cut.to(ColdControl.class, "all", List.class, "add", "none")),
        planted(
            "the first checkpoint that needs an object names it",
            Check.MODEL,
            Cut.to(CheckpointWriter.class, "write", FrameShipper.class, "journalFrom", "late")));
  }

  /// What a broken backup does instead.
  public static final class Hooks {
    private Hooks() {}

    private static final Map<String, ObjectStore.Content> LATE = new LinkedHashMap<>();

    /// Puts the files of a checkpoint after `head`.
    public static void headFirst(ObjectStore objects, String name, ObjectStore.Content content) {
      if (name.endsWith(".wc") || name.equals(CheckpointWriter.HEAD)) {
        objects.put(name, content);
      } else {
        LATE.put(name, content);
      }
      if (name.equals(CheckpointWriter.HEAD)) {
        Map<String, ObjectStore.Content> late = Map.copyOf(LATE);
        LATE.clear();
        late.forEach(objects::put);
      }
    }

    public static boolean trusted(ColdMover unused, String object, String sha256) {
      return true;
    }

    public static boolean none(List<?> unused, Object each) {
      return true;
    }

    public static boolean never(Set<?> unused, Object name) {
      return false;
    }

    static BackupCatalog.@Nullable Plan newest(BackupCatalog catalog, long unused) {
      return catalog.planOrNull(Long.MAX_VALUE);
    }

    public static boolean always(BackupCut unused, List<Long> lsns) {
      return true;
    }

    public static long first(long limit, long unused) {
      return limit;
    }

    public static long unchanged(ChangeCount unused) {
      return 0;
    }

    static long late(FrameShipper shipper, List<Long> sealed) {
      return shipper.seq();
    }
  }
}
