package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.EventBatch;
import io.widerow.event.Text;
import io.widerow.faults.GoldenZip;
import io.widerow.faults.KilledWriter;
import io.widerow.faults.NumberedEvents;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestEvent;
import io.widerow.storage.BuildVersion;
import io.widerow.storage.Durability;
import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreVersions;
import io.widerow.storage.StoreView;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.manifest.StoreFormat;
import io.widerow.storage.repair.StoreRepair;
import io.widerow.storage.repair.StoreVerifier;
import io.widerow.storage.segment.GoldenSegment;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentOrigin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a store of format version 1 opens forever, shows its events, and finds words in them; so
/// does a segment. Method: files that [#write] wrote and that are kept: a store with all events in
/// segments; one whose process died with the second half of them in the journal; one of a thin
/// history ([GoldenHistory]); segments ([GoldenSegment]). Aggregates and tables have tests of their
/// own.
class GoldenStoreTest {
  private static final long EVENTS = 2_000;
  private static final String SEALED = "store-v1-sealed";
  private static final String JOURNAL = "store-v1-journal";

  /// Size of a journal file of [GoldenHistory].
  private static final long JOURNAL_BYTES = 1_310_720;

  /// Events that no later event with the same client id replaces.
  private static List<Long> expected() {
    return LongStream.range(0, EVENTS)
        .filter(n -> !NumberedEvents.isOwn(n) || n + 10 >= EVENTS || (n + 10) / 40 != n / 40)
        .boxed()
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {SEALED, JOURNAL})
  void itShowsWhatItHeld(String name, @TempDir Path directory) throws IOException {
    GoldenZip.unpack(name, directory);
    try (EmbeddedStore store = EmbeddedStore.openForReading(directory.resolve(name))) {
      check(store);
    }
    for (int times = 0; times < 2; times++) {
      try (EmbeddedStore store =
          EmbeddedStore.open(KilledWriter.config(directory.resolve(name)), Runnable::run)) {
        check(store);
        store.lane(0).notes((group, note) -> assertTrue(group > 0 && note[0] == 42));
      }
    }
  }

  /// A store of 0.1.0 is whole for each tool of this version, and so is each copy of it.
  @ParameterizedTest
  @ValueSource(strings = {SEALED, JOURNAL, GoldenHistory.NAME, GoldenFiguresTest.NAME})
  void toolsFindNoDamage(String name, @TempDir Path directory) throws IOException {
    GoldenZip.unpack(name, directory);
    Path path = directory.resolve(name);
    assertEquals(new StoreVersions("0.1.0", "0.1.0"), StoreVerifier.versions(path));
    Path stopped = directory.resolve("stopped");
    StoreSnapshot.ofStopped(path, stopped);
    StoreRepair.Repair repaired = StoreRepair.repair(path, false);
    assertTrue(repaired.lost().isEmpty() && repaired.left().isEmpty(), repaired::toString);
    Path running = directory.resolve("running");
    List<StoreModel.Shown> shown;
    try (EmbeddedStore store =
        EmbeddedStore.open(
            name.equals(GoldenHistory.NAME)
                ? GoldenHistory.config(path)
                : KilledWriter.config(path),
            Runnable::run)) {
      assertEquals(new StoreVersions("0.1.0", BuildVersion.value()), store.versions());
      shown = shown(store);
      store.snapshot(running);
    }
    for (Path each : List.of(path, stopped, running)) {
      assertEquals(List.of(), StoreVerifier.verify(each).damage());
      try (EmbeddedStore store = EmbeddedStore.openForReading(each)) {
        assertEquals(Set.copyOf(shown), Set.copyOf(shown(store)), each::toString);
      }
    }
  }

  @Test
  void aHistoryShowsWhatItHeld(@TempDir Path directory) throws IOException {
    GoldenZip.unpack(GoldenHistory.NAME, directory);
    Path path = directory.resolve(GoldenHistory.NAME);
    assertEquals(List.of(), StoreVerifier.verify(path).damage());
    try (EmbeddedStore store = EmbeddedStore.openForReading(path)) {
      checkHistory(store, GoldenHistory.ROUNDS);
    }
    for (int rounds = GoldenHistory.ROUNDS; rounds < GoldenHistory.ROUNDS + 3; rounds++) {
      try (EmbeddedStore store = EmbeddedStore.open(GoldenHistory.config(path), Runnable::run)) {
        checkHistory(store, rounds);
        GoldenHistory.write(store, rounds);
        checkHistory(store, rounds + 1);
        store.maintain();
        checkHistory(store, rounds + 1);
      }
      assertEquals(List.of(), StoreVerifier.verify(path).damage());
    }
  }

  /// Each part of the format is in the store that is kept, as FORMAT.md has it.
  @Test
  void theHistoryHasEachPartOfTheFormat(@TempDir Path directory) throws IOException {
    GoldenZip.unpack(GoldenHistory.NAME, directory);
    Path path = directory.resolve(GoldenHistory.NAME);
    UUID id = StoreFormat.read(new RealDisk(), path).storeId();
    Witness witness = Witness.read(new RealDisk(), path, id, 1);
    assertEquals(
        List.of(GoldenHistory.ROUNDS - 1L, GoldenHistory.ROUNDS - 1L),
        witness.lanes().stream().map(Witness.Lane::lsn).toList());
    assertTrue(witness.damage() == null && witness.remark() == null, witness::toString);
    for (Witness.Lane lane : witness.lanes()) {
      assertEquals(JOURNAL_BYTES, lane.reservedBytes());
    }
    Map<Long, SegmentOrigin> origins = origins(path);
    List<SegmentEntry> entries = entries(path);
    assertEquals(
        List.of(8 * 1_440, 60, 60, 60), entries.stream().map(SegmentEntry::widthMinutes).toList());
    SegmentOrigin wide = Objects.requireNonNull(origins.get(entries.getFirst().id()));
    assertEquals(
        List.of(0, 0, 0, 0, 0, 0, 0, 1, 1),
        wide.sources().stream().map(SegmentOrigin.Source::parts).toList(),
        "seven merged ones and two sealed ones");
    SegmentOrigin merged = Objects.requireNonNull(origins.get(entries.get(1).id()));
    assertEquals(
        List.of(8L, 8L), merged.sources().stream().map(SegmentOrigin.Source::lsnAfter).toList());
    for (int lane = 0; lane < GoldenHistory.LANES; lane++) {
      long late = entries.get(2 + lane).id();
      assertEquals(
          new SegmentOrigin.Source(late, lane, 9, 10, 0, 1),
          Objects.requireNonNull(origins.get(late)).sealed(late));
    }
  }

  /// What the manifest lists.
  private static List<SegmentEntry> entries(Path store) {
    Disk disk = new RealDisk();
    UUID id = StoreFormat.read(disk, store).storeId();
    try (Manifest manifest = Manifest.read(disk, store, id)) {
      return List.copyOf(manifest.segments());
    }
  }

  private static Map<Long, SegmentOrigin> origins(Path store) {
    Disk disk = new RealDisk();
    UUID storeId = StoreFormat.read(disk, store).storeId();
    Map<Long, SegmentOrigin> origins = new TreeMap<>();
    for (SegmentEntry entry : entries(store)) {
      Path file = store.resolve(Manifest.SEGMENTS).resolve(entry.fileName());
      try (Segment segment = Segment.open(disk, file, storeId, entry.id())) {
        origins.put(entry.id(), segment.origin());
      }
    }
    return origins;
  }

  private static List<Long> numbers(EmbeddedStore store) {
    return shown(store).stream().map(StoreModel.Shown::number).sorted().toList();
  }

  private static List<StoreModel.Shown> shown(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      return StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all());
    }
  }

  private static void checkHistory(EmbeddedStore store, int rounds) {
    assertEquals(GoldenHistory.expected(rounds), numbers(store));
    assertEquals(List.of(), store.statistics().damage());
    for (StoreModel.Shown event : shown(store)) {
      assertEquals(GoldenHistory.type(event.number()), event.type());
      assertEquals(GoldenHistory.timeNanos(event.number()), event.timeNanos());
    }
  }

  @ParameterizedTest
  @MethodSource("segments")
  void aSegmentShowsWhatItHeld(String name, String form) throws IOException {
    byte[] bytes = GoldenSegment.bytes(name, form);
    GoldenSegment.verify(bytes);
    for (List<TestEvent> events : GoldenSegment.partitions(name)) {
      assertEquals(events, GoldenSegment.read(bytes, events));
    }
  }

  static List<Arguments> segments() {
    return GoldenSegment.NAMES.stream()
        .flatMap(name -> Stream.of("sealed", "final").map(form -> Arguments.of(name, form)))
        .toList();
  }

  private static void check(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      List<StoreModel.Shown> shown =
          StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all());
      assertEquals(expected(), shown.stream().map(StoreModel.Shown::number).sorted().toList());
      for (StoreModel.Shown event : shown) {
        assertEquals("numbered", event.type());
        if (!NumberedEvents.isOwn(event.number())) {
          assertEquals(NumberedEvents.timeNanos(event.number()), event.timeNanos());
        }
      }
      for (int i = 0; i < shown.size(); i += 37) {
        long number = shown.get(i).number();
        Filter word = new Filter.Has(AttributeName.BODY, Text.of("" + number));
        assertEquals(
            List.of(number),
            StoreReading.read(view, _ -> true, 0, Long.MAX_VALUE / 2, Scan.all().withFilter(word))
                .stream()
                .map(StoreModel.Shown::number)
                .toList());
      }
    }
  }

  /// Writes the golden files of events again, run with `-Dwrite=golden`. Once the format is
  /// released it writes only those of a new version: what is kept is never replaced.
  @Test
  @EnabledIfSystemProperty(named = "write", matches = "golden")
  void write(@TempDir Path directory) throws IOException {
    Path out = Path.of("src/test/resources/golden");
    GoldenSegment.write(out);
    for (String name : List.of(SEALED, JOURNAL)) {
      write(name, directory, out);
    }
    GoldenHistory.write(directory, out);
    GoldenFiguresTest.write(directory, out);
  }

  private static void write(String name, Path directory, Path out) throws IOException {
    Path path = directory.resolve(name);
    Path zip = out.resolve(name + ".zip");
    try (EmbeddedStore store = EmbeddedStore.open(KilledWriter.config(path), Runnable::run);
        var batch = new EventBatch(1 << 16, 1 << 22)) {
      for (long number = 0; number < EVENTS; number += 100) {
        batch.clear();
        for (long n = number; n < number + 100; n++) {
          NumberedEvents.add(batch, n);
        }
        store.lane(0).append(batch, 0, (_, _) -> {});
        store.lane(0).note(new byte[] {42});
        store.lane(0).commit(Durability.DISK);
        if (number == EVENTS / 2) {
          store.sealAll();
        }
      }
      GoldenZip.pack(path, zip); // as a process leaves it that dies
    }
    if (name.equals(SEALED)) {
      GoldenZip.pack(path, zip);
    }
  }
}
