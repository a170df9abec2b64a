package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.FaultRecords;
import io.widerow.faults.FileJournal;
import io.widerow.faults.SimDisk;
import io.widerow.faults.StoreDriver;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestClock;
import io.widerow.storage.Durability;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Goal: a manifest that lost its last edits deletes nothing that is needed, and the store heals,
/// or names what is missing and has it again when a good manifest is put back. Method: stores on
/// the simulated disk whose last edits are merges or seals, with journal files so small that each
/// seal trims some; bits of the last edits are flipped, and whole edits cut off.
class ManifestLossTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final long YESTERDAY_NANOS = START_NANOS - Duration.ofDays(1).toNanos();
  private static final Path MANIFEST = Path.of("/store/manifest");
  private static final Path SEGMENTS = Path.of("/store/segments");
  private static final int HEADER_BYTES = 28;
  private static final int EDIT_HEADER_BYTES = 8;
  private static final int JOURNAL_FILE_BYTES = 256;
  private static final int FLIPS = 5;

  private final TestClock clock = new TestClock(START_NANOS);
  private final StoreModel model = new StoreModel();

  private static StoreConfig config() {
    return StoreConfig.at(Path.of("/store"))
        .withLanes(2, 2)
        .withBuckets(60, Map.of())
        .withMemory(4 << 21, Duration.ofMinutes(1))
        .withJournal(1 << 20, 4 << 20)
        .withDiskReserveBytes(0)
        .withAges(Duration.ofHours(1), null);
  }

  private EmbeddedStore open(SimDisk disk) {
    return new EmbeddedStore(
        new StoreOpener(config(), disk, clock, Runnable::run)
            .open(_ -> new FileJournal.Factory(disk, config(), JOURNAL_FILE_BYTES)));
  }

  /// A killed store whose last edits merged, or sealed after they merged.
  private SimDisk store(long seed, boolean endsWithSeal) {
    var disk = new SimDisk(seed);
    model.clear();
    try (var driver = new StoreDriver(new SplittableRandom(seed))) {
      EmbeddedStore store = open(disk);
      for (int round = 0; round < 3; round++) {
        write(store, driver);
        store.sealAll();
      }
      store.maintain();
      assertTrue(store.statistics().merged() > 0, "nothing was merged");
      if (endsWithSeal) {
        write(store, driver);
        store.sealAll();
      }
      model.putAll(driver.acknowledged.all());
    }
    return disk.restart();
  }

  private static void write(EmbeddedStore store, StoreDriver driver) {
    for (int group = 0; group < 4; group++) {
      for (int batch = 0; batch < 4; batch++) {
        driver.append(store, YESTERDAY_NANOS, 4);
      }
      driver.commit(store, Durability.DISK);
    }
  }

  /// Offsets of the manifest's edits.
  private static List<Integer> edits(SimDisk disk) {
    byte[] bytes = disk.bytesOf(MANIFEST);
    List<Integer> edits = new ArrayList<>();
    int at = HEADER_BYTES;
    while (at < bytes.length) {
      edits.add(at);
      at += EDIT_HEADER_BYTES + ByteBuffer.wrap(bytes).getInt(at);
    }
    return edits;
  }

  private List<Long> shown(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      return StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all()).stream()
          .map(StoreModel.Shown::number)
          .sorted()
          .toList();
    }
  }

  private List<Long> all() {
    return model.numbers(_ -> true, 0, Long.MAX_VALUE / 2);
  }

  /// Opens it, writes to it, and opens it again: each event is there once.
  private void assertHeals(SimDisk disk, String what) {
    try (var driver = new StoreDriver(new SplittableRandom(1))) {
      EmbeddedStore store = open(disk);
      assertEquals(all(), shown(store), what);
      assertEquals(List.of(), store.statistics().damage(), what);
      String remarks = store.recovery().remarks().toString();
      assertTrue(remarks.contains("takes the place of"), () -> what + ": " + remarks);
      write(store, driver);
      store.sealAll();
      assertEquals(all().size() + shownOf(driver), shown(store).size(), what + ", more written");
      store.maintain();
    }
    SimDisk again = disk.restart();
    try (EmbeddedStore store = open(again)) {
      List<Long> left = new ArrayList<>(all());
      left.removeAll(shown(store));
      assertEquals(List.of(), left, what + ", opened again: " + store.statistics().damage());
      assertEquals(List.of(), store.recovery().remarks(), what);
      assertEquals(again.list(SEGMENTS).size(), store.statistics().segments(), what);
    }
  }

  /// Events of a driver that no later one replaced.
  private static int shownOf(StoreDriver driver) {
    var written = new StoreModel();
    written.putAll(driver.acknowledged.all());
    return written.numbers(_ -> true, 0, Long.MAX_VALUE / 2).size();
  }

  @Test
  void aLostLastMergeHeals() throws IOException {
    heals(store(21, false), "merge");
    record("merge");
  }

  @Test
  void aLostLastSealHeals() throws IOException {
    heals(store(22, true), "seal");
    record("seal");
  }

  private static void record(String edit) throws IOException {
    String damage = "a bit of the manifest's last edit, a " + edit;
    FaultRecords.add(FaultRecords.Table.DAMAGE, damage, FLIPS, 0, FLIPS, 0, 0);
  }

  /// Both, without a record.
  void heals(long seed) {
    heals(store(seed, false), "merge");
    heals(store(seed, true), "seal");
  }

  /// Flips bits over the last edit.
  private void heals(SimDisk good, String what) {
    int from = edits(good).getLast();
    int bytes = (int) good.sizeOf(MANIFEST) - from;
    for (int flip = 0; flip < FLIPS; flip++) {
      long at = from + (long) bytes * flip / FLIPS;
      SimDisk bad = good.restart();
      bad.flip(MANIFEST, 8 * at + flip);
      assertHeals(bad, "last edit, a %s, byte %d".formatted(what, at));
    }
  }

  /// However many edits are lost, a start shows everything, or refuses, or names segments. The good
  /// manifest brings everything back in each case.
  @Test
  void aGoodManifestPutBackBringsEverythingBack() {
    for (boolean endsWithSeal : new boolean[] {false, true}) {
      SimDisk good = store(23, endsWithSeal);
      byte[] manifest = good.bytesOf(MANIFEST);
      List<Integer> edits = edits(good);
      for (int edit = edits.size() - 1; edit > 0; edit--) {
        SimDisk bad = good.restart();
        bad.openForWriting(MANIFEST).truncate(edits.get(edit));
        String what = "edits from %d of %d lost".formatted(edit, edits.size());
        lookTwice(bad, what);
        SimDisk restored = bad.restart();
        restored.replace(MANIFEST, manifest);
        assertRestored(restored, what);
      }
    }
  }

  /// What the good manifest lists is there. New journals are later than it, and where groups were
  /// in none of the old ones, that is told and nothing is changed.
  private void assertRestored(SimDisk disk, String what) {
    try (EmbeddedStore store = open(disk)) {
      assertEquals(all(), shown(store), what + ", restored");
    } catch (StorageException.AcknowledgedDataDamaged told) {
      try (EmbeddedStore store =
          new EmbeddedStore(
              new StoreOpener(config(), disk, clock, Runnable::run)
                  .openForReading(
                      _ -> new FileJournal.Factory(disk, config(), JOURNAL_FILE_BYTES)))) {
        assertEquals(all(), shown(store), what + ", restored and read");
      }
    }
  }

  private void lookTwice(SimDisk disk, String what) {
    for (int start = 0; start < 2; start++) {
      try (EmbeddedStore store = open(disk)) {
        if (store.statistics().damage().isEmpty()) {
          assertEquals(all(), shown(store), what);
        }
      } catch (StorageException.AcknowledgedDataDamaged told) {
        assertTrue(String.valueOf(told.getMessage()).contains("/store/"), told::toString);
      }
    }
  }

  /// Without a proof nothing takes the place of what is missing, and nothing is deleted.
  @Test
  void anUnlistedSegmentThatProvesNothingIsKept() {
    SimDisk good = store(24, false);
    byte[] manifest = good.bytesOf(MANIFEST);
    SimDisk bad = good.restart();
    bad.openForWriting(MANIFEST).truncate(edits(good).getLast() + 9);
    Path merged = good.list(SEGMENTS).getLast();
    bad.flip(merged, 8L * 100); // its first block
    for (int start = 0; start < 2; start++) {
      try (EmbeddedStore store = open(bad)) {
        assertTrue(store.statistics().damage().size() >= 2, "the sources are missing");
        String remarks = store.recovery().remarks().toString();
        assertTrue(remarks.contains(merged + ": not listed, and kept"), remarks);
        assertThrows(StorageException.Corrupt.class, () -> shown(store));
      }
      assertTrue(bad.exists(merged), "the only copy is deleted");
    }
    assertEquals(
        List.of("manifest"),
        bad.list(Path.of("/store/quarantine")).stream()
            .map(file -> file.getFileName().toString())
            .collect(Collectors.toList()));
    bad.flip(merged, 8L * 100);
    bad.replace(MANIFEST, manifest);
    assertRestored(bad, "the good manifest");
  }
}
