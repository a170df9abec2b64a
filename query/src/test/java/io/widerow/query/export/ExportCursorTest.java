package io.widerow.query.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.PendingStore;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.questions.HostileEvents;
import io.widerow.storage.EventCursor;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: an export has each event that was there when it began once, in the order of ids, while
/// events come in and files are sealed and merged between its views; it ends, and frees each view.
/// Method: a cursor that takes a new view at every look at its clock, over a store that makes it
/// wait now and then; the test writes and merges after events at random.
class ExportCursorTest {
  private static final long START = 1_763_666_100_000_000_000L;
  private static final int EVENTS = 6_000;
  private static final long STEP_NANOS = Duration.ofSeconds(2).toNanos();

  @TempDir Path directory;

  private EmbeddedStore embedded;
  private PendingStore store;

  @BeforeEach
  void fill() {
    embedded =
        EmbeddedStore.open(
            StoreConfig.at(directory.resolve("store")).withDiskReserveBytes(0), Runnable::run);
    StoreDirectory.append(embedded, events(0, EVENTS, 0));
    store = new PendingStore(embedded, 97);
  }

  @AfterEach
  void close() {
    store.assertNothingOpen();
    store.close();
  }

  /// Events of several hours and two types, `offset` apart from those of another call.
  private static List<Stored> events(int from, int until, long offset) {
    List<Stored> events = new ArrayList<>();
    for (int i = from; i < until; i++) {
      String type = i % 3 == 0 ? "app" : "web";
      events.add(new Stored(type, START + i * STEP_NANOS + offset, Map.of("n", (long) i)));
    }
    return events;
  }

  private ExportCursor open(Duration kept, AtomicLong clock) {
    return new ExportCursor(
        store::view,
        RangeQuery.ALL,
        QueryMemory.unlimited(),
        START + EVENTS * STEP_NANOS,
        kept,
        clock::incrementAndGet);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3})
  void everyEventThatWasThereComesOnce(long seed) throws InterruptedException {
    Set<String> there = new HashSet<>();
    try (ExportCursor cursor = open(Duration.ofDays(1), new AtomicLong())) {
      while (cursor.nextWhenReady() == EventCursor.Step.EVENT) {
        there.add(HostileEvents.text(cursor.event()));
      }
    }
    assertEquals(EVENTS, there.size());

    SplittableRandom random = new SplittableRandom(seed);
    List<String> read = new ArrayList<>();
    int written = 0;
    try (ExportCursor cursor = open(Duration.ZERO, new AtomicLong())) {
      while (cursor.nextWhenReady() == EventCursor.Step.EVENT) {
        read.add(HostileEvents.text(cursor.event()));
        if (random.nextInt(400) == 0) {
          int from = random.nextInt(EVENTS - 50);
          StoreDirectory.append(embedded, events(from, from + 50, ++written));
        } else if (random.nextInt(600) == 0) {
          embedded.sealAll();
          embedded.maintain();
          embedded.awaitBackground();
        }
      }
    }
    assertTrue(written > 3, "written " + written);
    assertEquals(read.size(), new HashSet<>(read).size(), "an event came twice");
    assertTrue(new HashSet<>(read).containsAll(there), "an event is missing");
    List<String> sorted = read.stream().sorted(byTime()).toList();
    assertEquals(sorted, read);
  }

  /// Of the texts of events: the time is after the id.
  private static Comparator<String> byTime() {
    return Comparator.comparingLong(text -> Long.parseLong(text.split(" ", 3)[1]));
  }

  @Test
  void exportEndsWhileNewerEventsCome() {
    int read = 0;
    try (ExportCursor cursor = open(Duration.ZERO, new AtomicLong())) {
      while (cursor.nextWhenReady() == EventCursor.Step.EVENT) {
        read++;
        if (read % 200 == 0) {
          int next = EVENTS + read;
          StoreDirectory.append(embedded, events(next + 1, next + 200, 0));
        }
      }
    }
    assertEquals(EVENTS, read);
  }

  @Test
  void numberOfEventsIsToldWhereItIsKnown() {
    for (long minutes : List.of(0L, 60L)) {
      RangeQuery from = RangeQuery.ALL.withRange(START + minutes * 60_000_000_000L, Long.MAX_VALUE);
      try (ExportCursor cursor =
          new ExportCursor(
              embedded::view,
              from,
              QueryMemory.unlimited(),
              START,
              ExportCursor.KEPT,
              System::nanoTime)) {
        int events = 0;
        while (cursor.nextWhenReady() == EventCursor.Step.EVENT) {
          events++;
        }
        assertEquals(EVENTS - minutes * 30, events);
        assertTrue(cursor.eventsExpected() >= events, "at most " + cursor.eventsExpected());
        assertTrue(cursor.eventsExpected() <= EVENTS, "at most " + cursor.eventsExpected());
      }
    }
  }

  @Test
  void cancelledExportEnds() {
    try (ExportCursor cursor = open(Duration.ZERO, new AtomicLong())) {
      for (int i = 0; i < 300; i++) {
        assertEquals(EventCursor.Step.EVENT, cursor.nextWhenReady());
      }
      cursor.cancel();
      assertThrows(
          QueryException.Stopped.class,
          () -> {
            while (cursor.nextWhenReady() == EventCursor.Step.EVENT) {}
          });
    }
  }
}
