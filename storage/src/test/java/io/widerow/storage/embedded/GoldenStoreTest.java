package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.EventBatch;
import io.widerow.event.Text;
import io.widerow.faults.KilledWriter;
import io.widerow.faults.NumberedEvents;
import io.widerow.faults.StoreModel;
import io.widerow.faults.StoreReading;
import io.widerow.faults.TestEvent;
import io.widerow.storage.Durability;
import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import io.widerow.storage.segment.GoldenArrivals;
import io.widerow.storage.segment.GoldenLines;
import io.widerow.storage.segment.GoldenSegment;
import io.widerow.storage.segment.GoldenSeries;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a store of format version 1 opens forever, shows its events, and finds words in them.
/// Method: stores that [#main] wrote once and that are kept: one with all events in segments, one
/// whose process died with the second half of them in the journal, and one of segments with token
/// filters of groups. Single golden segments ([GoldenSegment]) are tested alike.
class GoldenStoreTest {
  private static final long EVENTS = 2_000;

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
    unpack(name, directory);
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

  private static void unpack(String name, Path directory) throws IOException {
    try (InputStream bytes =
            Objects.requireNonNull(
                GoldenStoreTest.class.getResourceAsStream("/golden/" + name + ".zip"));
        var in = new ZipInputStream(bytes)) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        Path file = directory.resolve(name).resolve(entry.getName());
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.copy(in, file);
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
      pack(directory, out.resolve(name + ".zip"));
    }
    Runtime.getRuntime().halt(0); // the second store stays as it is
  }

  private static void pack(Path directory, Path zip) throws IOException {
    try (OutputStream bytes = Files.newOutputStream(zip);
        var out = new ZipOutputStream(bytes);
        Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        var entry = new ZipEntry(directory.relativize(file).toString());
        entry.setTime(0);
        out.putNextEntry(entry);
        Files.copy(file, out);
        out.closeEntry();
      }
    }
  }
}
