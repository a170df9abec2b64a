package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.PartitionWeights;
import io.widerow.faults.FaultRecords;
import io.widerow.faults.FileJournal;
import io.widerow.faults.ManifestEdits;
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
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.manifest.StoreFormat;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentOrigin;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Goal: a manifest that lost its last edits deletes nothing that is needed, and the store heals,
/// or names the missing parts and has them again when a good manifest is put back. Method: stores
/// on the simulated disk whose last edits are merges or seals, with journal files so small that
/// each seal trims some; bits of the last edits are flipped, and whole edits cut off.
class ManifestLossTest {
  private static final long START_NANOS = 1_700_000_000_000_000_000L;
  private static final long YESTERDAY_NANOS = START_NANOS - Duration.ofDays(1).toNanos();

  /// The start of a bucket of 8 days.
  private static final long WIDE_NANOS = Duration.ofDays(19_672).toNanos();

  private static final long SECOND = 1_000_000_000L;
  private static final long HOUR_NANOS = 3_600 * SECOND;
  private static final Path MANIFEST = Path.of("/store/manifest");
  private static final Path SEGMENTS = Path.of("/store/segments");
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

  /// A killed store whose last edit merged an hour into several buckets.
  private SimDisk dividedStore(long seed) {
    var disk = new SimDisk(seed);
    model.clear();
    try (var driver = new StoreDriver(new SplittableRandom(seed))) {
      EmbeddedStore store = open(disk);
      store.layout().configure(List.of(), new PartitionWeights(1 << 30, 2, 1 << 20, 1 << 30), true);
      for (int group = 0; group < 12; group++) {
        driver.append(store, YESTERDAY_NANOS / HOUR_NANOS * HOUR_NANOS + group * 290L * SECOND, 12);
        driver.commit(store, Durability.DISK);
      }
      store.sealAll();
      store.maintain();
      assertTrue(store.statistics().merged() > 0, "nothing was merged");
      model.putAll(driver.acknowledged.all());
    }
    assertTrue(
        segmentIds(disk).stream().anyMatch(id -> originOf(disk, id).together().size() > 2),
        "several parts");
    return disk.restart();
  }

  /// A killed store whose last edit merged the merged segments of eight days, and some that came
  /// late and were only sealed, into one of a bucket of eight days.
  private SimDisk wideStore(long seed) {
    var disk = new SimDisk(seed);
    model.clear();
    clock.step(WIDE_NANOS - clock.wallNanos());
    try (var driver = new StoreDriver(new SplittableRandom(seed))) {
      EmbeddedStore store = open(disk);
      for (int day = 0; day < 8; day++) {
        clock.advance(Duration.ofHours(12).toNanos());
        write(store, driver, clock.wallNanos());
        store.sealAll();
        clock.advance(Duration.ofHours(12).toNanos());
        store.maintain();
      }
      List<Long> before = segmentIds(disk);
      clock.advance(Duration.ofHours(2).toNanos());
      store.maintain();
      long wide = segmentIds(disk).getLast();
      assertEquals(List.of(wide), segmentIds(disk), "the sources are gone");
      SegmentOrigin origin = originOf(disk, wide);
      assertEquals(before, origin.ids().stream().sorted().toList());
      long merged = origin.sources().stream().filter(source -> source.parts() == 0).count();
      assertTrue(merged >= 8, () -> "only %d were merged before: %s".formatted(merged, origin));
      model.putAll(driver.acknowledged.all());
    }
    return disk.restart();
  }

  private static List<Long> segmentIds(SimDisk disk) {
    return disk.list(SEGMENTS).stream().map(SegmentFiles::idOf).sorted().toList();
  }

  private static SegmentOrigin originOf(SimDisk disk, long id) {
    UUID storeId = StoreFormat.read(disk, Path.of("/store")).storeId();
    Path file = SEGMENTS.resolve(SegmentEntry.fileName(id));
    try (Segment segment = Segment.open(disk, file, storeId, id)) {
      return segment.origin();
    }
  }

  private static void write(EmbeddedStore store, StoreDriver driver) {
    write(store, driver, YESTERDAY_NANOS);
  }

  private static void write(EmbeddedStore store, StoreDriver driver, long nowNanos) {
    for (int group = 0; group < 4; group++) {
      for (int batch = 0; batch < 4; batch++) {
        driver.append(store, nowNanos, 4);
      }
      driver.commit(store, Durability.DISK);
    }
  }

  private static List<Integer> edits(SimDisk disk) {
    return ManifestEdits.offsets(disk, MANIFEST);
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
      assertTrue(remarks.contains("replaces"), () -> what + ": " + remarks);
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

  /// Most sources are merged segments themselves; all are gone, and the segment of eight days that
  /// holds their events is not listed.
  @Test
  void aLostLastMergeIntoAWideBucketHeals() throws IOException {
    SimDisk good = wideStore(25);
    List<Long> wide = segmentIds(good);
    heals(good, "merge into a wide bucket");
    record("merge into a wide bucket");
    SimDisk cut = good.restart();
    cut.openForWriting(MANIFEST).truncate(edits(good).getLast());
    try (EmbeddedStore store = open(cut)) {
      assertEquals(all(), shown(store), "the edit cut off");
      assertEquals(wide, segmentIds(cut));
    }
    assertEquals(List.of(8 * 1_440), widths(cut));
  }

  /// A merge that wrote several segments heals when all of them are there.
  @Test
  void aLostLastMergeIntoSeveralBucketsHeals() throws IOException {
    heals(dividedStore(26), "merge into several buckets");
    record("merge into several buckets");
  }

  @Test
  void aPartOfAMergeTakesNoPlace() {
    SimDisk good = dividedStore(27);
    List<Long> parts =
        segmentIds(good).stream()
            .map(id -> originOf(good, id).together())
            .filter(ids -> !ids.isEmpty())
            .findFirst()
            .orElseThrow();
    SimDisk bad = good.restart();
    bad.openForWriting(MANIFEST).truncate(edits(good).getLast() + 9);
    bad.delete(SEGMENTS.resolve(SegmentEntry.fileName(parts.get(1))));
    try (EmbeddedStore store = open(bad)) {
      assertFalse(store.statistics().damage().isEmpty(), "the sources are missing");
      assertThrows(StorageException.Corrupt.class, () -> shown(store));
    }
    for (long id : parts) {
      Path file = SEGMENTS.resolve(SegmentEntry.fileName(id));
      assertEquals(id != parts.get(1), bad.exists(file), "the rest is kept: " + file);
    }
  }

  /// Widths of the buckets of what a closed store's manifest lists.
  private static List<Integer> widths(SimDisk disk) {
    UUID storeId = StoreFormat.read(disk, Path.of("/store")).storeId();
    try (Manifest manifest = Manifest.read(disk, Path.of("/store"), storeId)) {
      return manifest.segments().stream().map(SegmentEntry::widthMinutes).toList();
    }
  }

  private static void record(String edit) throws IOException {
    String damage = "a bit of the manifest's last edit, a " + edit;
    FaultRecords.add(FaultRecords.Table.DAMAGE, damage, FLIPS, 0, FLIPS, 0, 0);
  }

  /// All, without a record.
  void heals(long seed) {
    heals(store(seed, false), "merge");
    heals(store(seed, true), "seal");
    heals(dividedStore(seed), "merge into several buckets");
  }

  /// Flips bits over the last edit.
  private void heals(SimDisk good, String what) {
    ManifestEdits.flipLast(
        good,
        MANIFEST,
        FLIPS,
        (bad, where) -> assertHeals(bad, "last edit, a %s, %s".formatted(what, where)));
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

  /// Everything that the good manifest lists is present. New journals are later than it; where
  /// groups were in none of the old journals, the store reports it and changes nothing.
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

  /// Without a proof nothing replaces a missing file, and nothing is deleted.
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
