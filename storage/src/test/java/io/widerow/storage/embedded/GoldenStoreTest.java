package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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
import io.widerow.storage.Durability;
import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.live.SegmentFiles;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.manifest.StoreFormat;
import io.widerow.storage.repair.StoreVerifier;
import io.widerow.storage.segment.GoldenArrivals;
import io.widerow.storage.segment.GoldenLines;
import io.widerow.storage.segment.GoldenSegment;
import io.widerow.storage.segment.GoldenSeries;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentOrigin;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a store of format version 1 opens forever, shows its events, and finds words in them.
/// Method: stores that [#main] wrote once and that are kept: one with all events in segments, one
/// whose process died with the second half of them in the journal, and one of segments with token
/// filters of groups; and stores of a thin history ([GoldenHistory]), one of before wide buckets,
/// origins of segments and the witness of the journals, and one with them. An old store that is
/// written to becomes one of the new form. Single golden segments ([GoldenSegment]) are tested
/// alike.
class GoldenStoreTest {
  private static final long EVENTS = 2_000;
  private static final String OLD_HISTORY = "store-v1-history";
  private static final String NEW_HISTORY = "store-v1-wide-history";

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
  @ValueSource(strings = {"store-v1-sealed", "store-v1-journal", "store-v1-groups-sealed"})
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

  @ParameterizedTest
  @ValueSource(strings = {OLD_HISTORY, NEW_HISTORY})
  void aHistoryShowsWhatItHeld(String name, @TempDir Path directory) throws IOException {
    GoldenZip.unpack(name, directory);
    Path path = directory.resolve(name);
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

  /// Each part of the new form is in the store that is kept, as FORMAT.md tells.
  @Test
  void theNewHistoryIsOfTheNewForm(@TempDir Path directory) throws IOException {
    GoldenZip.unpack(NEW_HISTORY, directory);
    Path path = directory.resolve(NEW_HISTORY);
    String format = Files.readString(path.resolve(StoreFormat.NAME));
    assertTrue(format.contains(features(StoreFormat.FEATURE_WIDE)), format);
    UUID id = StoreFormat.read(new RealDisk(), path).storeId();
    Witness witness = Witness.read(new RealDisk(), path, id);
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

  /// Opened and closed, it has all segments that it had. Written to, it has a witness, and origins
  /// of all new segments; each old segment is as it was, or one merged segment names it.
  @ParameterizedTest
  @ValueSource(
      strings = {"store-v1-sealed", "store-v1-journal", "store-v1-groups-sealed", OLD_HISTORY})
  void anOldStoreBecomesOneOfTheNewForm(String name, @TempDir Path directory) throws IOException {
    GoldenZip.unpack(name, directory);
    Path path = directory.resolve(name);
    assertTrue(!Files.exists(path.resolve(Witness.NAME)));
    assertTrue(Files.readString(path.resolve(StoreFormat.NAME)).contains(features(0)));
    Map<Long, byte[]> old = segments(path);
    assertTrue(origins(path).values().stream().allMatch(SegmentOrigin.NONE::equals));
    List<Long> before;
    try (EmbeddedStore store = EmbeddedStore.open(GoldenHistory.config(path), Runnable::run)) {
      before = numbers(store);
      assertTrue(Files.exists(path.resolve(Witness.NAME)));
      assertKept(old, path);
    }
    List<Long> expected = new ArrayList<>(before);
    try (EmbeddedStore store = EmbeddedStore.open(GoldenHistory.config(path), Runnable::run)) {
      assertEquals(before, numbers(store));
      GoldenHistory.write(store, GoldenHistory.ROUND_LATER);
      long first = (long) GoldenHistory.ROUND_LATER * GoldenHistory.EVENTS;
      LongStream.range(first, first + GoldenHistory.EVENTS).forEach(expected::add);
      assertEquals(expected, numbers(store));
      store.sealAll();
      assertKept(old, path);
      store.maintain();
    }
    for (int start = 0; start < 2; start++) {
      try (EmbeddedStore store = EmbeddedStore.open(GoldenHistory.config(path), Runnable::run)) {
        assertEquals(expected, numbers(store));
        assertEquals(List.of(), store.recovery().remarks());
        assertEquals(List.of(), store.statistics().damage());
      }
    }
    assertEquals(List.of(), StoreVerifier.verify(path).damage());
    assertIsOfTheNewForm(path, old);
    boolean wide = entries(path).stream().anyMatch(entry -> entry.widthMinutes() > 1_440);
    assertEquals(name.equals(OLD_HISTORY), wide);
    String format = Files.readString(path.resolve(StoreFormat.NAME));
    assertTrue(format.contains(features(wide ? StoreFormat.FEATURE_WIDE : 0)), format);
  }

  private static void assertKept(Map<Long, byte[]> old, Path path) throws IOException {
    Map<Long, byte[]> now = segments(path);
    old.forEach((id, bytes) -> assertArrayEquals(bytes, now.get(id), "segment " + id));
  }

  private static void assertIsOfTheNewForm(Path path, Map<Long, byte[]> old) throws IOException {
    Map<Long, byte[]> now = segments(path);
    List<Long> sources = new ArrayList<>();
    origins(path)
        .forEach((id, origin) -> {
          if (!old.containsKey(id)) {
            assertTrue(!origin.ids().isEmpty(), () -> "no origin: segment " + id);
            sources.addAll(origin.ids());
          }
        });
    old.forEach((id, bytes) -> {
      boolean kept = now.containsKey(id);
      assertEquals(kept ? 0 : 1, Collections.frequency(sources, id), () -> id + " in " + sources);
      if (kept) {
        assertArrayEquals(bytes, now.get(id), "segment " + id);
      }
    });
    assertTrue(!now.keySet().equals(old.keySet()));
    assertEquals(now.size(), entries(path).size(), "listed and there");
  }

  private static String features(long incompatible) {
    return "incompatible %016x\nread-only %016x\ncompatible %016x\n".formatted(incompatible, 0, 0);
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

  /// The segment files, by id.
  private static Map<Long, byte[]> segments(Path store) throws IOException {
    Map<Long, byte[]> segments = new TreeMap<>();
    try (Stream<Path> files = Files.list(store.resolve(Manifest.SEGMENTS))) {
      for (Path file : files.toList()) {
        segments.put(SegmentFiles.idOf(file), Files.readAllBytes(file));
      }
    }
    return segments;
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
  @ValueSource(strings = {"sealed", "final"})
  void aSegmentWithSeriesShowsWhatItHeld(String form) throws IOException {
    checkSegment("segment-v1-series-" + form, GoldenSeries.events());
  }

  @ParameterizedTest
  @ValueSource(strings = {"sealed", "final"})
  void aSegmentInOrderOfArrivalShowsWhatItHeld(String form) throws IOException {
    checkSegment("segment-v1-arrivals-" + form, GoldenArrivals.events());
  }

  @ParameterizedTest
  @ValueSource(strings = {"sealed", "final"})
  void aSegmentOfLinesThatTellTheirTimesShowsWhatItHeld(String form) throws IOException {
    checkSegment("segment-v1-lines-" + form, GoldenLines.events());
  }

  private static void checkSegment(String name, List<TestEvent> events) throws IOException {
    try (InputStream bytes =
        Objects.requireNonNull(GoldenStoreTest.class.getResourceAsStream("/golden/" + name))) {
      assertEquals(events, GoldenSegment.read(bytes.readAllBytes(), events));
    }
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

  /// Writes golden stores. Only for a new version of the format: existing ones are never replaced.
  ///
  /// @param args a directory for the zips, and a prefix of their names
  public static void main(String[] args) throws IOException {
    Path out = Path.of(args[0]);
    for (boolean sealed : new boolean[] {true, false}) {
      String name = args[1] + (sealed ? "-sealed" : "-journal");
      Path directory = out.resolve(name);
      EmbeddedStore store = EmbeddedStore.open(KilledWriter.config(directory), Runnable::run);
      try (var batch = new EventBatch(1 << 16, 1 << 22)) {
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
      }
      if (sealed) {
        store.close();
      }
      GoldenZip.pack(directory, out.resolve(name + ".zip"));
    }
    Runtime.getRuntime().halt(0); // the second store stays as it is
  }
}
