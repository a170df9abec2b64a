package io.widerow.storage.embedded;

import static io.widerow.storage.embedded.FigureStore.DAY_NANOS;
import static io.widerow.storage.embedded.FigureStore.HOUR_NANOS;
import static io.widerow.storage.embedded.FigureStore.figures;
import static io.widerow.storage.embedded.FigureStore.rollup;
import static io.widerow.storage.embedded.RetentionStore.START_NANOS;
import static io.widerow.storage.embedded.RetentionStore.rule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.ManifestEdits;
import io.widerow.faults.SimDisk;
import io.widerow.storage.live.AggregateFiles;
import io.widerow.storage.manifest.Manifest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Goal: a manifest that lost its last edit, by which aggregates replaced events or other
/// aggregates, heals: nothing is counted twice, and no aggregate is lost. Where the files prove
/// nothing, the store reports it and deletes no file. Method: stores on the simulated disk, killed
/// after such an edit; bits of it are flipped, or it is cut off.
class FigureLossTest {
  private static final Path MANIFEST = Path.of("/store/manifest");
  private static final Path SEGMENTS = Path.of("/store", Manifest.SEGMENTS);
  private static final Path FIGURES = Path.of("/store", AggregateFiles.DIRECTORY);
  private static final int FLIPS = 4;

  private final FigureStore model = new FigureStore();
  private RetentionStore it = new RetentionStore();

  /// Ten days of two types, one with ids of its own.
  private void fill() {
    it.store().rollups().set(rollup("kept", "k*", 60, Duration.ofDays(400)));
    for (int day = 10; day > 0; day--) {
      model.write(it, "ka", START_NANOS - day * DAY_NANOS, 10, false);
      model.write(it, "kb", START_NANOS - day * DAY_NANOS + HOUR_NANOS / 2, 5, true);
    }
    it.merge();
  }

  private static void keep(RetentionStore store, String glob, int days) {
    store.retention().set(rule(glob, Duration.ofDays(days), Duration.ZERO));
    store.store().maintain();
  }

  /// Opens the surviving disk twice: everything is present, and the manifest is whole again.
  private void assertHeals(SimDisk bad, String what) {
    Map<String, String> expected = model.expected();
    List<String> remarks;
    try (var healed = new RetentionStore(bad, it.clock, Runnable::run)) {
      remarks = healed.store().recovery().remarks();
      assertTrue(remarks.toString().contains("replaces"), () -> what + remarks);
      assertEquals(expected, figures(healed.store()), what);
      assertEquals(List.of(), healed.store().statistics().damage(), what);
      healed.store().maintain();
    }
    try (var again = new RetentionStore(bad.restart(), it.clock, Runnable::run)) {
      assertEquals(expected, figures(again.store()), what);
      assertEquals(List.of(), again.store().recovery().remarks(), what);
      assertEquals(List.of(), again.store().statistics().damage(), what);
      assertEquals(again.filesOnDisk(), again.store().statistics().segments(), what);
    }
  }

  private void heals(SimDisk good, String what) {
    ManifestEdits.flipLast(
        good, MANIFEST, FLIPS, (bad, where) -> assertHeals(bad, what + ", " + where));
    assertHeals(ManifestEdits.withoutLast(good, MANIFEST), what + ", cut off");
  }

  @Test
  void aLostLastDropHeals() {
    fill();
    keep(it, "k*", 3);
    assertFalse(it.disk.list(FIGURES).isEmpty());
    heals(it.disk.restart(), "a drop");
  }

  /// Segments of which a part stays are written again by the same edit.
  @Test
  void aLostLastDropOfOneTypeHeals() {
    fill();
    keep(it, "kb", 3);
    assertFalse(it.disk.list(FIGURES).isEmpty());
    heals(it.disk.restart(), "a drop of one type");
  }

  @Test
  void aLostLastMergeOfFiguresHeals() {
    fill();
    long files = 0;
    SimDisk merged = it.disk;
    for (int days = 9; days > 0; days--) {
      keep(it, "k*", days);
      long now = it.disk.list(FIGURES).size();
      if (now < files) {
        merged = it.disk.restart();
      }
      files = now;
    }
    assertTrue(merged.list(FIGURES).size() < 8, "some became one");
    model.forget(event -> false);
    heals(merged, "a merge of figures");
  }

  /// Segments alone, or aggregates alone, replace nothing.
  @Test
  void aPartOfADropTakesNoPlace() {
    fill();
    keep(it, "kb", 3);
    SimDisk good = it.disk.restart();
    int from = ManifestEdits.offsets(good, MANIFEST).getLast();
    for (Path part : List.of(good.list(FIGURES).getLast(), good.list(SEGMENTS).getLast())) {
      SimDisk bad = good.restart();
      bad.openForWriting(MANIFEST).truncate(from);
      bad.delete(part);
      try (var store = new RetentionStore(bad, it.clock, Runnable::run)) {
        assertFalse(store.store().statistics().damage().isEmpty(), "sources are missing");
        String remarks = store.store().recovery().remarks().toString();
        assertFalse(remarks.contains("replaces"), remarks);
      }
      for (Path directory : List.of(FIGURES, SEGMENTS)) {
        for (Path file : good.list(directory)) {
          assertEquals(!file.equals(part), bad.exists(file), "the rest is kept: " + file);
        }
      }
    }
  }
}
