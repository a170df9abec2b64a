package io.widerow.storage.embedded;

import static io.widerow.storage.embedded.FigureStore.DAY_NANOS;
import static io.widerow.storage.embedded.FigureStore.HOUR_NANOS;
import static io.widerow.storage.embedded.FigureStore.figures;
import static io.widerow.storage.embedded.FigureStore.rollup;
import static io.widerow.storage.embedded.RetentionStore.START_NANOS;
import static io.widerow.storage.embedded.RetentionStore.rule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.GoldenZip;
import io.widerow.faults.TestClock;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.live.AggregateFiles;
import io.widerow.storage.repair.StoreVerifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: every version opens a store whose aggregates outlived their events, and uses them. Method:
/// a store that [GoldenStoreTest#write] wrote and that is kept, and the same events written to a
/// store of today, whose figures are the expected ones: ten days of two types, one with ids of its
/// own that are written again. Only the last three days have their events still.
class GoldenFiguresTest {
  static final String NAME = "store-v1-aggregates";
  private static final Duration KEPT = Duration.ofDays(3);
  private static final Duration KEEP = Duration.ofDays(40);

  private final FigureStore model = new FigureStore();

  private static StoreConfig config(Path directory) {
    return StoreConfig.at(directory)
        .withLanes(1, 2)
        .withBuckets(60, Map.of())
        .withMemory(4 << 20, Duration.ofDays(1))
        .withJournal(1 << 20, 4 << 20)
        .withDiskReserveBytes(0)
        .withAges(Duration.ofMinutes(5), Duration.ofDays(59));
  }

  private static EmbeddedStore open(Path directory, TestClock clock) {
    StoreConfig config = config(directory);
    Disk disk = new RealDisk();
    return new EmbeddedStore(
        new StoreOpener(config, disk, clock, Runnable::run)
            .open(id ->
                new ChronicleJournalFactory(
                    disk,
                    directory.resolve(Journal.DIRECTORY),
                    id,
                    config.journalFileBytes(),
                    Runnable::run)));
  }

  /// Writes everything, and lets retention drop the events of all days but the last three.
  private static void fill(EmbeddedStore store, TestClock clock, FigureStore model) {
    store.rollups().set(rollup("kept", "k*", 60, KEEP));
    for (int day = 10; day > 0; day--) {
      model.write(store, "ka", START_NANOS - day * DAY_NANOS, 20, false);
      model.write(store, "kb", START_NANOS - day * DAY_NANOS, 5, true);
    }
    merge(store, clock);
    for (int day = 10; day > 0; day -= 3) {
      model.write(store, "kb", START_NANOS - day * DAY_NANOS, 3, true); // instead of others
    }
    merge(store, clock);
    store.retention().set(rule("k*", KEPT, Duration.ZERO));
    store.maintain();
  }

  private static void merge(EmbeddedStore store, TestClock clock) {
    store.sealAll();
    clock.advance(Duration.ofMinutes(6).toNanos());
    store.maintain();
  }

  private static TestClock later() {
    return new TestClock(START_NANOS + HOUR_NANOS);
  }

  private static List<String> names(Path store) throws IOException {
    try (Stream<Path> files = Files.list(store.resolve(AggregateFiles.DIRECTORY))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void itAnswersWhatItKept(@TempDir Path directory) throws IOException {
    var began = new TestClock(START_NANOS);
    try (EmbeddedStore today = open(directory.resolve("today"), began)) {
      fill(today, began, model);
      assertEquals(model.expected(), figures(today));
    }
    GoldenZip.unpack(NAME, directory);
    Path path = directory.resolve(NAME);
    List<String> files = names(path);
    assertTrue(!files.isEmpty() && files.stream().allMatch(file -> file.endsWith(".fig")));
    assertEquals(List.of(), StoreVerifier.verify(path).damage());

    TestClock clock = later();
    var watch = new ScanWatch(() -> {});
    for (int start = 0; start < 2; start++) {
      try (EmbeddedStore store = open(path, clock)) {
        assertEquals(model.expected(), figures(store, watch));
        assertTrue(watch.keptMinutes() > 0);
        assertEquals(0, watch.missingMinutes());
        assertEquals(
            List.of(), // but of the first start of another version
            store.recovery().remarks().stream()
                .filter(remark -> !remark.contains("written by Widerow 0.1.0 until now"))
                .toList());
        assertEquals(files, names(path));
      }
    }
    try (EmbeddedStore store = open(path, clock)) { // more events go, and files become one
      for (int days = 2; days > 0; days--) {
        store.retention().set(rule("k*", Duration.ofDays(days), Duration.ZERO));
        store.maintain();
        assertEquals(model.expected(), figures(store), days + " days");
      }
    }
    assertEquals(List.of(), StoreVerifier.verify(path).damage());
  }

  /// Writes the golden store.
  ///
  /// @param directory for the store
  /// @param out for the zip
  static void write(Path directory, Path out) throws IOException {
    var clock = new TestClock(START_NANOS);
    try (EmbeddedStore store = open(directory.resolve(NAME), clock)) {
      fill(store, clock, new FigureStore());
    }
    GoldenZip.pack(directory.resolve(NAME), out.resolve(NAME + ".zip"));
  }
}
