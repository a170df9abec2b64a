package io.widerow.query.fields;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.query.QueryMemory;
import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.TypeGlobs;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.survey.Survey;
import io.widerow.query.survey.SurveyRequest;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: counts that were read ahead give the same result as the events, whatever happened to the
/// segments since; and reading ahead gives way to writing, to damage and to the limit of its
/// memory. Method: the same query with and without reading ahead; a query with all counts cached
/// reads no block.
class FieldStatisticsWarmerTest {
  private static final int EVENTS = 1_500;
  private static final long NOW = 1_763_700_000_000_000_000L;

  private final QueryMemory memory = QueryMemory.unlimited();
  private final KnownFields known = new KnownFields();
  private long nanos = 1;

  private static EmbeddedStore open(Path directory) {
    StoreConfig config =
        StoreConfig.at(directory.resolve("s"))
            .withJournal(8 << 20, 64 << 20)
            .withBuckets(60, Map.of())
            .withDiskReserveBytes(0)
            .withAges(Duration.ZERO, null);
    return EmbeddedStore.open(config, Runnable::run);
  }

  private static void append(EmbeddedStore store, int from, int until) {
    SplittableRandom random = new SplittableRandom(from);
    List<Stored> some = new ArrayList<>();
    for (int i = from; i < until; i++) {
      some.add(SealedFieldsTest.event(random, i));
    }
    StoreDirectory.append(store, some);
  }

  private FieldStatisticsWarmer ahead(EmbeddedStore store) {
    return new FieldStatisticsWarmer(store, known, () -> nanos);
  }

  private String answer(EmbeddedStore store, boolean byEvents, @Nullable KnownFields with) {
    Map<String, List<String>> given = new HashMap<>();
    given.put("budget", List.of("1h"));
    given.put("top", List.of("1000"));
    if (byEvents) {
      given.put("where", List.of("type != \"none\""));
    }
    FieldsRequest question = FieldsRequest.parse(given, null, NOW);
    SurveyRequest asked = with == null ? question : question.with(with);
    OutputBuffer out = new OutputBuffer(1 << 16);
    try (StoreView view = store.view();
        Survey survey = asked.open(view, memory)) {
      survey.write(out);
    }
    return out.toString();
  }

  /// How many parts of sealed blocks a question would have to read.
  private int missing(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      List<PartitionKey> keys =
          view.partitions(TypeGlobs.ALL, TimeUuid.NANOS_MIN, TimeUuid.NANOS_LIMIT).stream()
              .map(PartitionInfo::key)
              .toList();
      Scan all = Scan.ofTime(TimeUuid.NANOS_MIN, TimeUuid.NANOS_LIMIT);
      try (StoreView.SealedValues values = view.sealedValues(keys, all)) {
        assertTrue(values != null && !values.parts().isEmpty(), "there are sealed blocks");
        return values == null ? -1 : known.missing(values.parts()).size();
      }
    }
  }

  private void assertKnown(EmbeddedStore store, String when) {
    assertEquals(0, missing(store), when);
    assertEquals(answer(store, true, null), answer(store, false, known), when);
  }

  @Test
  void allIsKnownBeforeAnybodyAsks(@TempDir Path directory) throws InterruptedException {
    try (EmbeddedStore store = open(directory)) {
      FieldStatisticsWarmer ahead = ahead(store);
      ahead.look(); // of nothing
      append(store, 0, EVENTS);
      store.sealAll();
      assertTrue(missing(store) > 0, "nobody has read yet");
      nanos += Duration.ofSeconds(1).toNanos();
      ahead.look();
      assertKnown(store, "sealed");
      append(store, EVENTS, EVENTS + 300);
      assertKnown(store, "open rows next to it");
      store.sealAll();
      nanos += Duration.ofSeconds(1).toNanos();
      ahead.look();
      assertKnown(store, "sealed again");
      store.maintain();
      store.awaitBackground();
      nanos += Duration.ofSeconds(1).toNanos();
      ahead.look();
      assertTrue(store.statistics().merged() > 0, "merged");
      assertKnown(store, "merged");
      store.retain("t1", Duration.ofHours(1));
      assertEquals(answer(store, true, null), answer(store, false, known), "a type is hidden");
      store.retain("t1", null);
      assertKnown(store, "it is back");
      store.retain("t1", Duration.ofHours(1));
      store.maintain();
      store.awaitBackground();
      nanos += Duration.ofSeconds(1).toNanos();
      ahead.look();
      assertKnown(store, "it is gone");
    }
    try (EmbeddedStore store = open(directory)) {
      ahead(store).look();
      assertKnown(store, "opened again");
    }
  }

  @Test
  void fastWritingGoesFirst(@TempDir Path directory) {
    try (EmbeddedStore store = open(directory)) {
      FieldStatisticsWarmer ahead = ahead(store);
      append(store, 0, 300);
      store.sealAll();
      ahead.look();
      append(store, 300, EVENTS);
      store.sealAll();
      nanos += Duration.ofMillis(1).toNanos();
      ahead.look();
      assertTrue(missing(store) > 0, "1,200 events in a millisecond are fast");
      nanos += Duration.ofSeconds(1).toNanos();
      ahead.look();
      assertKnown(store, "a second without any");
    }
  }

  @Test
  void aStopEndsIt(@TempDir Path directory) {
    try (EmbeddedStore store = open(directory)) {
      append(store, 0, EVENTS);
      store.sealAll();
      FieldStatisticsWarmer ahead = ahead(store);
      ahead.stop();
      ahead.look();
      assertTrue(missing(store) > 0, "nothing was read");
      ahead(store).look();
      assertKnown(store, "read by another");
    }
  }

  @Test
  void itsMemoryIsLimited(@TempDir Path directory) {
    try (EmbeddedStore store = open(directory)) {
      append(store, 0, EVENTS);
      store.sealAll();
      KnownFields small = new KnownFields(1 << 10);
      new FieldStatisticsWarmer(store, small, () -> nanos)
          .look(); // counts that are too large are read once
      assertEquals(answer(store, true, null), answer(store, false, small));
      assertTrue(small.hasRoom(), "nothing is kept");
    }
  }

  @Test
  void damageIsLeftToTheQuestion(@TempDir Path directory) throws IOException {
    try (EmbeddedStore store = open(directory)) {
      append(store, 0, 300);
      store.sealAll();
      append(store, 300, EVENTS);
      store.sealAll();
    }
    damageFirstBlock(directory.resolve("s/segments"));
    try (EmbeddedStore store = open(directory)) {
      FieldStatisticsWarmer ahead = ahead(store);
      ahead.look();
      assertEquals(1, missing(store), "all is known except damaged blocks");
      assertFalse(store.statistics().damage().isEmpty(), "the store has a report of it");
      assertThrows(StorageException.Corrupt.class, () -> answer(store, false, known));
    }
  }

  private static void damageFirstBlock(Path segments) throws IOException {
    try (Stream<Path> files = Files.list(segments)) {
      Path first = files.sorted().findFirst().orElseThrow();
      byte[] bytes = Files.readAllBytes(first);
      for (int i = 64; i < 96; i++) { // after the header: the directory of the first block
        bytes[i] ^= 0x55;
      }
      Files.write(first, bytes);
    }
  }
}
