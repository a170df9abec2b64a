package io.widerow.cql.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.store.Mutations;
import io.widerow.cql.store.TableDriver;
import io.widerow.cql.store.TableView;
import io.widerow.faults.ManifestEdits;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Goal: the manifest of the tables that lost its last edit, a merge or a flush, recovers where the
/// files prove the edit; where they do not, the store reports it and deletes nothing. Method:
/// stores on the simulated disk, killed after such an edit; bits of it are flipped, or it is cut
/// off.
class TableLossTest {
  private static final long START_SECONDS = 1_700_000_000L;
  private static final Path MANIFEST = Path.of("/store/tables/manifest");
  private static final Path FILES = Path.of("/store/tables/segments");
  private static final int FLUSHES = 3;
  private static final int FLIPS = 4;

  private final TestClock clock = new TestClock(START_SECONDS * 1_000_000_000L);
  private List<String> expected = List.of();

  private EmbeddedStore open(SimDisk disk) {
    return SimStore.open(disk, clock, new SplittableRandom(3), Runnable::run);
  }

  /// A killed store whose last edit merged, or flushed.
  private SimDisk killed(boolean merged) {
    var disk = new SimDisk(7);
    var driver = new TableDriver(new SplittableRandom(5)).withValues(600);
    EmbeddedStore store = open(disk);
    for (int flush = 0; flush < FLUSHES; flush++) {
      for (int group = 0; group < 8; group++) {
        Consumer<Mutations> rows = driver.group(START_SECONDS);
        store.extension(TableEngine.class).write((_, out) -> TablesModelTest.run(rows, out)).join();
      }
      store.extension(TableEngine.class).flush();
    }
    if (merged) {
      store.extension(TableEngine.class).mergeAll();
    }
    expected = rows(store);
    assertFalse(expected.isEmpty());
    assertEquals(merged ? 1 : FLUSHES, disk.list(FILES).size());
    return disk.restart();
  }

  private static List<String> rows(EmbeddedStore store) {
    try (TableView view = store.extension(TableEngine.class).view()) {
      return TableDriver.readAll(view, START_SECONDS);
    }
  }

  private void assertHeals(SimDisk bad, String what) {
    try (EmbeddedStore store = open(bad)) {
      String remarks = store.recovery().remarks().toString();
      assertTrue(remarks.contains("replaces"), () -> what + ": " + remarks);
      assertEquals(expected, rows(store), what);
      assertEquals(List.of(), store.statistics().damage(), what);
    }
    try (EmbeddedStore store = open(bad.restart())) {
      assertEquals(expected, rows(store), what);
      assertEquals(List.of(), store.recovery().remarks(), what);
      assertEquals(List.of(), store.statistics().damage(), what);
    }
  }

  private void heals(SimDisk good, String what) {
    ManifestEdits.flipLast(
        good, MANIFEST, FLIPS, (bad, where) -> assertHeals(bad, what + ", " + where));
    assertHeals(ManifestEdits.withoutLast(good, MANIFEST), what + ", cut off");
  }

  @Test
  void aLostLastMergeHeals() {
    heals(killed(true), "merge");
  }

  @Test
  void aLostLastFlushHeals() {
    heals(killed(false), "flush");
  }

  /// A merged file that is damaged proves nothing: it stays, and the good manifest brings
  /// everything back.
  @Test
  void aDamagedFileTakesNoPlace() {
    SimDisk good = killed(true);
    byte[] manifest = good.bytesOf(MANIFEST);
    Path merged = good.list(FILES).getFirst();
    SimDisk bad = good.restart();
    bad.openForWriting(MANIFEST).truncate(ManifestEdits.offsets(good, MANIFEST).getLast());
    bad.flip(merged, 8L * 100);
    for (int start = 0; start < 2; start++) {
      try (EmbeddedStore store = open(bad)) {
        assertEquals(FLUSHES, store.statistics().damage().size(), "the sources are missing");
      }
      assertTrue(bad.exists(merged), "the only copy is kept");
    }
    bad.flip(merged, 8L * 100);
    bad.replace(MANIFEST, manifest);
    try (EmbeddedStore store = open(bad)) {
      assertEquals(expected, rows(store));
    }
  }
}
