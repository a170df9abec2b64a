package io.widerow.storage.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.GoldenZip;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.repair.StoreVerifier;
import io.widerow.table.TableDriver;
import io.widerow.table.TableModel;
import io.widerow.table.TableView;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: tables that were written once open forever and show their rows. Method: a store that
/// [#main] wrote and that was copied while it ran, so that rows lie in files and in the journal,
/// and the rows that the model of tables had then.
class GoldenTablesTest {
  private static final String NAME = "store-v1-tables";
  private static final int GROUPS = 600;
  private static final long SEED = 7;

  /// From when times to live count, so late that no merge finds what has expired.
  private static final long WRITTEN_SECONDS = 4_000_000_000L;

  private static final long ASKED_SECONDS = WRITTEN_SECONDS + 20;

  @TempDir private Path directory;

  private static EmbeddedStore open(Path store) {
    return EmbeddedStore.open(
        StoreConfig.at(store)
            .withMemory(4 << 20, Duration.ofMinutes(1))
            .withJournal(1 << 20, 4 << 20)
            .withDiskReserveBytes(0),
        Runnable::run);
  }

  private static List<String> rows(EmbeddedStore store) {
    try (TableView view = store.tables().view()) {
      return TableDriver.readAll(view, ASKED_SECONDS);
    }
  }

  private static List<String> kept() throws IOException {
    try (InputStream text =
        Objects.requireNonNull(
            GoldenTablesTest.class.getResourceAsStream("/golden/" + NAME + ".txt"))) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  @Test
  void theyShowWhatTheyHeld() throws IOException {
    GoldenZip.unpack(NAME, directory);
    Path path = directory.resolve(NAME);
    List<String> kept = kept();
    assertTrue(kept.size() > 20);
    assertEquals(List.of(), StoreVerifier.verify(path).damage());
    try (EmbeddedStore store = EmbeddedStore.openForReading(path)) {
      assertEquals(kept, rows(store));
    }
    for (int times = 0; times < 2; times++) {
      try (EmbeddedStore store = open(path)) {
        assertEquals(kept, rows(store));
      }
    }
    try (EmbeddedStore store = open(path)) {
      store.tables().mergeAll();
      assertEquals(kept, rows(store));
    }
    assertEquals(List.of(), StoreVerifier.verify(path).damage());
  }

  /// Writes the store and its rows. Only for a new version of the format: the present ones are
  /// never replaced.
  ///
  /// @param args a directory
  public static void main(String[] args) throws IOException {
    Path out = Path.of(args[0]);
    Path path = out.resolve(NAME);
    TableDriver driver = new TableDriver(new SplittableRandom(SEED));
    TableModel model = new TableModel();
    try (EmbeddedStore store = open(path)) {
      for (int i = 0; i < GROUPS; i++) {
        TablesModelTest.write(store, model, driver.group(WRITTEN_SECONDS));
        if (i % 250 == 249) {
          store.tables().flush();
        }
      }
      GoldenZip.pack(path, out.resolve(NAME + ".zip"));
    }
    try (TableView view = model.view()) {
      Files.write(out.resolve(NAME + ".txt"), TableDriver.readAll(view, ASKED_SECONDS));
    }
  }
}
