package io.widerow.cql.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.store.TableDriver;
import io.widerow.cql.store.TableModel;
import io.widerow.cql.store.TableView;
import io.widerow.cql.store.WidePartition;
import io.widerow.faults.GoldenZip;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreSnapshot;
import io.widerow.storage.repair.StoreRepair;
import io.widerow.storage.repair.StoreVerifier;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/// Goal: tables that were written once open forever and show their rows. Method: a store that
/// [#write] wrote and that was copied while it ran, so that rows lie in files and in the journal,
/// and the rows that the model of tables had then.
public class GoldenTablesTest {
  private static final String NAME = "store-v1-tables";
  private static final int GROUPS = 600;
  private static final long SEED = 7;
  private static final int PARTITION_BYTES = 13;

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
    try (TableView view = store.extension(TableEngine.class).view()) {
      return TableDriver.readAll(view, ASKED_SECONDS);
    }
  }

  /// The number of rows of each partition, without a look at rows of files.
  private static List<Long> widths(EmbeddedStore store) {
    try (TableView view = store.extension(TableEngine.class).view()) {
      return view
          .widest(TableDriver.table(), false, 100, Long.MAX_VALUE, ASKED_SECONDS)
          .partitions()
          .stream()
          .map(WidePartition::rows)
          .toList();
    }
  }

  /// The same of all rows that are kept.
  private static List<Long> widths(List<String> kept) {
    int digits = 2 * PARTITION_BYTES;
    Map<String, Long> counts =
        kept.stream()
            .map(row -> row.split(" ", 2)[0])
            .filter(key -> key.startsWith("01000000") && !key.startsWith("00", digits))
            .collect(Collectors.groupingBy(key -> key.substring(0, digits), Collectors.counting()));
    return counts.values().stream().sorted(Comparator.reverseOrder()).toList();
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
    assertEquals("0.1.0", StoreVerifier.versions(path).created());
    Path copy = directory.resolve("copy");
    StoreSnapshot.ofStopped(path, copy);
    assertEquals(List.of(), StoreRepair.repair(copy, false).left());
    assertEquals(List.of(), StoreVerifier.verify(copy).damage());
    try (EmbeddedStore store = EmbeddedStore.openForReading(copy)) {
      assertEquals(kept, rows(store));
    }
    try (EmbeddedStore store = EmbeddedStore.openForReading(path)) {
      assertEquals(kept, rows(store));
      assertEquals(widths(kept), widths(store));
    }
    for (int times = 0; times < 2; times++) {
      try (EmbeddedStore store = open(path)) {
        assertEquals(kept, rows(store));
      }
    }
    try (EmbeddedStore store = open(path)) {
      store.extension(TableEngine.class).mergeAll();
      assertEquals(kept, rows(store));
      assertEquals(widths(kept), widths(store));
    }
    assertEquals(List.of(), StoreVerifier.verify(path).damage());
  }

  /// Writes the golden store and its rows.
  ///
  /// Writes the golden files of tables again, run with `-Dwrite=golden`.
  @Test
  @EnabledIfSystemProperty(named = "write", matches = "golden")
  void write() throws IOException {
    Path out = Path.of("src/test/resources/golden");
    Path path = directory.resolve(NAME);
    TableDriver driver = new TableDriver(new SplittableRandom(SEED));
    TableModel model = new TableModel();
    try (EmbeddedStore store = open(path)) {
      for (int i = 0; i < GROUPS; i++) {
        TablesModelTest.write(store, model, driver.group(WRITTEN_SECONDS));
        if (i % 250 == 249) {
          store.extension(TableEngine.class).flush();
        }
      }
      GoldenZip.pack(path, out.resolve(NAME + ".zip"));
    }
    try (TableView view = model.view()) {
      Files.write(out.resolve(NAME + ".txt"), TableDriver.readAll(view, ASKED_SECONDS));
    }
  }
}
