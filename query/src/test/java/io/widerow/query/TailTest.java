package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventView;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.storage.EmbeddedStore;
import io.widerow.storage.EventCursor;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: what is followed in order is the sorted list below the watermark, across restarts from
/// tokens, and nothing that comes late goes unsaid. Method: a store on the disk, asked as the
/// daemon would be, at times that the test sets.
class TailTest {
  private static final long START = 1_763_666_100_000_000_000L;
  private static final long SECOND = 1_000_000_000L;

  @TempDir Path directory;

  private EmbeddedStore store;
  private long nowNanos = START;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @BeforeEach
  void open() {
    store = EmbeddedStore.open(StoreConfig.at(directory.resolve("store")), Runnable::run);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private EventCursor ask(Map<String, List<String>> parameters) {
    StoreView view = store.view();
    RangeQuery query = QueryParameters.parse(parameters, nowNanos).query();
    return new ViewCursor(view, RangeReader.open(view, query, QueryBudget.DEFAULT));
  }

  /// Closes the view with the cursor.
  private record ViewCursor(StoreView view, EventCursor cursor) implements EventCursor {
    @Override
    public Step next() {
      return cursor.next();
    }

    @Override
    public EventView event() {
      return cursor.event();
    }

    @Override
    public ScanStatistics statistics() {
      return cursor.statistics();
    }

    @Override
    public void close() {
      cursor.close();
      view.close();
    }
  }

  private Tail tail(long lagNanos, long limit, @Nullable Token after) {
    Tail tail =
        new Tail(
            new Tail.Plan(Map.of("type", List.of("app")), lagNanos, 30 * SECOND, limit),
            this::ask,
            new JsonLinesWriter(ZoneOffset.UTC),
            sink -> {
              out.write(sink.bytes(), 0, sink.length());
              sink.clear();
              return true;
            },
            new PrintStream(err, true, StandardCharsets.UTF_8),
            after,
            nowNanos);
    tail.begin();
    return tail;
  }

  private void store(long timeNanos, long number) {
    StoreDirectory.append(
        store,
        List.of(
            new Stored("app", timeNanos, Map.of("n", number)),
            new Stored("other", timeNanos, Map.of("n", number))));
  }

  private String shown() {
    List<String> numbers = new ArrayList<>();
    for (String line : out.toString(StandardCharsets.UTF_8).lines().toList()) {
      if (line.contains("\"n\":")) {
        String number = line.replaceAll(".*\"n\":(\\d+).*", "$1");
        numbers.add(line.contains("\"widerow.late\":true") ? number + "late" : number);
      }
    }
    out.reset();
    return String.join(" ", numbers);
  }

  @Test
  void orderedShowsEventsBelowTheWatermarkAndTellsOfLateOnes() {
    store(START - 3 * SECOND, 0); // before it began
    Tail tail = tail(2 * SECOND, Long.MAX_VALUE, null);
    store(START + 2 * SECOND, 2);
    store(START + SECOND, 1);
    assertTrue(tail.poll());
    assertEquals("", shown(), "not below the watermark");
    nowNanos = START + 3 * SECOND + 1;
    tail.poll();
    assertEquals("1", shown());
    store(START + SECOND + 5, 3); // late, but nothing behind it was shown
    nowNanos = START + 6 * SECOND;
    tail.poll();
    assertEquals("3 2", shown());
    assertEquals("", err.toString(StandardCharsets.UTF_8));
    store(START + SECOND + 1, 4);
    tail.poll();
    tail.poll();
    assertEquals("", shown());
    String told = err.toString(StandardCharsets.UTF_8);
    assertTrue(told.startsWith("1 late events are not shown"), told);
    assertTrue(told.contains("--from " + (START + SECOND + 1)), told);
    assertEquals(1, told.lines().count(), told);
  }

  @Test
  void nowShowsLateEventsWithAFlag() {
    store(START - 3 * SECOND, 0); // before it began
    Tail tail = tail(0, 5, null);
    nowNanos = START + 5 * SECOND;
    store(START + 4 * SECOND, 1);
    tail.poll();
    assertEquals("1", shown());
    store(START + 3 * SECOND, 2);
    store(START + 4 * SECOND + 1, 3);
    store(START - 20 * SECOND, 4);
    tail.poll();
    assertEquals("3 4late 2late", shown());
    tail.poll();
    assertEquals("", shown());
    store(START + 4 * SECOND + 2, 5);
    store(START + 4 * SECOND + 3, 6);
    assertFalse(tail.poll(), "the limit");
    assertEquals("5", shown());
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.query.QuerySeeds#twenty")
  void orderedIsTheSortedListWhateverHappensBetween(long seed) {
    var random = new SplittableRandom(seed);
    Tail tail = tail(2 * SECOND, Long.MAX_VALUE, null);
    List<long[]> events = new ArrayList<>();
    StringBuilder seen = new StringBuilder();
    for (int i = 0; i < 60; i++) {
      nowNanos += random.nextLong(SECOND);
      long time = nowNanos - random.nextLong(nowNanos - START < SECOND ? 1 : SECOND);
      events.add(new long[] {time, i});
      store(time, i);
      if (random.nextInt(3) == 0) {
        tail.poll();
        seen.append(shown()).append(' ');
      }
      if (random.nextInt(8) == 0) { // ends, and goes on from its token
        tail = tail(2 * SECOND, Long.MAX_VALUE, Token.parse(tail.token().toString()));
      }
      if (random.nextInt(10) == 0) {
        store.sealAll();
      }
    }
    nowNanos += 3 * SECOND;
    tail.poll();
    seen.append(shown());
    events.sort((a, b) -> Long.compare(a[0], b[0]));
    List<String> expected = events.stream().map(event -> Long.toString(event[1])).toList();
    assertEquals(String.join(" ", expected), seen.toString().strip().replaceAll(" +", " "));
    assertEquals("", err.toString(StandardCharsets.UTF_8));
  }
}
