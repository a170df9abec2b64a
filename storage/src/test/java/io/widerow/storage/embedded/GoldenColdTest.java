package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.GoldenZip;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.repair.StoreVerifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/// Goal: every version reads the stubs of today, and the objects that they name. Method: the store
/// of [GoldenHistory] with its merged segments moved to a directory, which is kept.
class GoldenColdTest {
  private static final String NAME = "store-v1-cold";
  private static final String STORE = "store";
  private static final String PLACE = "place";

  private static EmbeddedStore open(Path directory) {
    return EmbeddedStore.open(GoldenHistory.config(directory), Runnable::run);
  }

  private static List<StoreModel.Shown> shown(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      return StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all());
    }
  }

  @Test
  void itShowsWhatIsKeptElsewhere(@TempDir Path directory) throws IOException {
    GoldenZip.unpack(GoldenHistory.NAME, directory);
    List<StoreModel.Shown> expected;
    try (EmbeddedStore store = open(directory.resolve(GoldenHistory.NAME))) {
      expected = shown(store);
    }
    GoldenZip.unpack(NAME, directory);
    Path path = directory.resolve(NAME).resolve(STORE);
    assertEquals(List.of(), StoreVerifier.verify(path).damage());
    var place = new MemoryPlace(Duration.ZERO);
    place.load(directory.resolve(NAME).resolve(PLACE));
    for (int start = 0; start < 2; start++) {
      try (EmbeddedStore store = open(path)) {
        store.cold().readFrom(place);
        assertFalse(store.cold().all().isEmpty());
        assertEquals(expected, shown(store));
        assertTrue(place.reads() > 0);
      }
    }
  }

  /// Writes the golden store, run with `-Dwrite=golden`.
  @Test
  @EnabledIfSystemProperty(named = "write", matches = "golden")
  void write(@TempDir Path directory) throws IOException {
    GoldenZip.unpack(GoldenHistory.NAME, directory);
    Path all = Files.createDirectory(directory.resolve("all"));
    Path path = all.resolve(STORE);
    Files.move(directory.resolve(GoldenHistory.NAME), path);
    var place = new MemoryPlace(Duration.ZERO);
    try (EmbeddedStore store = open(path)) {
      place.moveAll(store);
      assertTrue(place.moved() > 1, "few segments were moved");
    }
    place.save(all.resolve(PLACE));
    GoldenZip.pack(all, Path.of("src/test/resources/golden").resolve(NAME + ".zip"));
  }
}
