package io.widerow.query.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventView;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.Token;
import io.widerow.query.output.JsonLinesWriter;
import io.widerow.storage.EventCursor;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.StoreView;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a tail in ordered mode shows the sorted list below the watermark, across restarts from
/// tokens, and shows each later event once, with a flag. Method: a store on disk, queried as the
/// daemon would be, at times that the test sets.
class TailTest extends RestartedStore {
  private static final long START = 1_763_666_100_000_000_000L;
  private static final long SECOND = 1_000_000_000L;

  private long nowNanos = START;
  private int eventsUntilCut = -1;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private Tail.Answer ask(Map<String, List<String>> parameters) {
    StoreView view = store.view();
    RangeQuery query = QueryParameters.parse(parameters, nowNanos).query();
    try {
      RangeReader reader = RangeReader.open(view, query, QueryBudget.DEFAULT);
      return new Tail.Answer(
          new ViewCursor(view, reader, eventsUntilCut), view.arrivals().toString());
    } catch (QueryException.Expired expired) {
      view.close();
      throw expired;
    }
  }

  /// A cursor that closes its view, and breaks off after a given number of events.
  static final class ViewCursor implements EventCursor {
    private final StoreView view;
    private final EventCursor cursor;
    private int left;

    ViewCursor(StoreView view, EventCursor cursor, int left) {
      this.view = view;
      this.cursor = cursor;
      this.left = left;
    }

    @Override
    public Step next() {
      if (left-- == 0) {
        throw new QueryException.Remote("cut");
      }
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

  private Tail tail(long lagNanos, long limit, @Nullable Token after, @Nullable String arrived) {
    Tail tail =
        tail(new Tail.Plan(Map.of("type", List.of("app")), lagNanos, limit), after, arrived);
    if (arrived == null) {
      tail.poll();
    }
    return tail;
  }

  private Tail tail(Tail.Plan plan, @Nullable Token after, @Nullable String arrived) {
    return new Tail(
        plan,
        this::ask,
        new JsonLinesWriter(ZoneOffset.UTC),
        sink -> {
          out.write(sink.bytes(), 0, sink.length());
          sink.clear();
          return true;
        },
        new PrintStream(err, true, StandardCharsets.UTF_8),
        after,
        arrived,
        nowNanos);
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
  void orderedShowsEventsBelowTheWatermarkAndFlagsLateOnes() {
    store(START - 3 * SECOND, 0); // before it began
    Tail tail = tail(2 * SECOND, Long.MAX_VALUE, null, null);
    store(START + 2 * SECOND, 2);
    store(START + SECOND, 1);
    assertTrue(tail.poll());
    assertEquals("", shown(), "not below the watermark");
    nowNanos = START + 3 * SECOND + 100; // one tick later
    tail.poll();
    assertEquals("1", shown());
    store(START + SECOND + 5, 3); // late, but no later event was shown yet
    nowNanos = START + 6 * SECOND;
    tail.poll();
    assertEquals("3 2", shown());
    store(START + SECOND + 1, 4);
    store(START - 48 * 3_600 * SECOND, 5); // two days late
    tail.poll();
    assertEquals("5late 4late", shown());
    tail.poll();
    assertEquals("", shown());
    assertEquals("", err.toString(StandardCharsets.UTF_8));
  }

  @Test
  void beginsWithTheNewestAndMissesNothingAfterThem() {
    for (long n = 0; n < 5; n++) {
      store(START - (10 - n) * SECOND, n);
    }
    store(START - SECOND, 5); // not below the watermark
    Map<String, List<String>> app = Map.of("type", List.of("app"));
    Tail tail = tail(new Tail.Plan(app, 2 * SECOND, Long.MAX_VALUE, 3, null), null, null);
    assertTrue(tail.poll());
    assertEquals("2 3 4", shown());
    store(START - 9 * SECOND, 6); // before those shown, after the answer with them
    nowNanos = START + 3 * SECOND;
    tail.poll();
    assertEquals("6late 5", shown());
  }

  @Test
  void theNewestCountForTheLimitAndBeginWithTheRange() {
    for (long n = 0; n < 5; n++) {
      store(START - (10 - n) * SECOND, n);
    }
    Map<String, List<String>> app = Map.of("type", List.of("app"));
    Tail limited = tail(new Tail.Plan(app, 0, 2, 4, null), null, null);
    assertFalse(limited.poll());
    assertEquals("3 4", shown());
    Token since = Token.before(START - 7 * SECOND);
    String from = (START - 7 * SECOND) + "";
    Tail ranged = tail(new Tail.Plan(app, 0, 9, 4, from), since, null);
    assertTrue(ranged.poll());
    assertEquals("3 4", shown());
    Tail none = tail(new Tail.Plan(Map.of("type", List.of("none")), 0, 9, 4, null), null, null);
    assertTrue(none.poll());
    assertEquals("", shown());
  }

  @Test
  void nowShowsLateEventsWithAFlag() {
    store(START - 3 * SECOND, 0); // before it began
    Tail tail = tail(0, 5, null, null);
    nowNanos = START + 5 * SECOND;
    store(START + 4 * SECOND, 1);
    tail.poll();
    assertEquals("1", shown());
    store(START + 3 * SECOND, 2);
    store(START + 4 * SECOND + 1, 3);
    store(START - 20 * SECOND, 4);
    tail.poll();
    assertEquals("4late 2late 3", shown());
    tail.poll();
    assertEquals("", shown());
    store(START + 4 * SECOND + 2, 5);
    store(START + 4 * SECOND + 3, 6);
    assertFalse(tail.poll(), "the limit is reached");
    assertEquals("5", shown());
  }

  /// As when it began by a clock that is ahead of the daemon's.
  @Test
  void nothingIsLostWhileThePositionIsAheadOfTheWatermark() {
    store(START - 3 * SECOND, 0); // before it began
    Tail tail = tail(2 * SECOND, Long.MAX_VALUE, Token.before(START + 3_600 * SECOND), null);
    store(START + SECOND, 1); // the first of its wide row that comes after the watermark
    nowNanos = START + SECOND;
    tail.poll();
    assertEquals("1late", shown());
    store(START + 3_600 * SECOND - 1, 2); // the first of its wide row
    tail.poll();
    assertEquals("2late", shown());
    store(START + 3_600 * SECOND, 3);
    tail.poll();
    assertEquals("", shown(), "after the position and not below the watermark");
    nowNanos = START + 3_603 * SECOND;
    tail.poll();
    assertEquals("3", shown());
    tail.poll();
    assertEquals("", shown());
  }

  /// One of five events is late by up to two days. Meanwhile the store is sealed, merged and
  /// reopened with other lanes, answers break off, and the reader restarts from its positions.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void everyEventIsShownOnceInOrderOrFlagged(long seed) {
    var random = new SplittableRandom(seed);
    Tail tail = tail(2 * SECOND, Long.MAX_VALUE, null, null);
    Map<Integer, Long> times = new HashMap<>();
    Set<Integer> punctual = new HashSet<>(); // present when the watermark reached them
    List<String> seen = new ArrayList<>();
    long watermark = START - 2 * SECOND;
    for (int i = 0; i < 150; i++) {
      nowNanos += random.nextLong(SECOND);
      boolean late = random.nextInt(5) == 0;
      long back = late ? random.nextLong(48 * 3_600 * SECOND) : random.nextLong(SECOND);
      long time = Math.max(nowNanos - back, late ? 0 : START);
      times.put(i, time);
      store(time, i);
      if (time >= watermark) {
        punctual.add(i);
      }
      if (random.nextInt(3) == 0) {
        eventsUntilCut = random.nextInt(4) == 0 ? random.nextInt(4) : -1;
        watermark = poll(tail, watermark, seen);
      }
      if (eventsUntilCut < 0 && random.nextInt(10) == 0) { // ends, and continues from its positions
        Token token = Token.parse(tail.token().toString());
        tail = tail(2 * SECOND, Long.MAX_VALUE, token, tail.arrived());
      }
      keepUp(random);
    }
    nowNanos += 3 * SECOND;
    eventsUntilCut = -1;
    long _ = poll(tail, watermark, seen);
    List<String> inOrder = seen.stream().filter(number -> !number.endsWith("late")).toList();
    List<String> sorted =
        punctual.stream()
            .sorted(Comparator.comparing(times::get))
            .map(number -> Integer.toString(number))
            .toList();
    assertEquals(sorted, inOrder);
    Set<String> flagged = new TreeSet<>();
    times.keySet().stream()
        .filter(number -> !punctual.contains(number))
        .forEach(number -> flagged.add(number + "late"));
    List<String> others = seen.stream().filter(number -> number.endsWith("late")).toList();
    assertEquals(others.size(), new TreeSet<>(others).size(), "each is shown once");
    assertEquals(flagged, new TreeSet<>(others));
    assertFalse(flagged.isEmpty());
    assertEquals("", err.toString(StandardCharsets.UTF_8));
  }

  /// The watermark after a poll. When the answer broke off, it is unchanged or at the last event.
  private long poll(Tail tail, long watermark, List<String> seen) {
    long reached = nowNanos - 2 * SECOND;
    try {
      assertTrue(tail.poll());
    } catch (QueryException.Remote cut) {
      reached = Math.max(watermark, tail.token().tickNanos());
    }
    String shown = shown();
    if (!shown.isEmpty()) {
      seen.addAll(List.of(shown.split(" ", -1)));
    }
    return reached;
  }

  @Test
  void expiredEventsAreAGap() {
    nowNanos = System.currentTimeMillis() * 1_000_000; // retention uses the store's own clock
    long day = 24 * 3_600 * SECOND;
    store(nowNanos - 9 * day, 0);
    store(nowNanos - 8 * day, 1);
    store(nowNanos - day, 2);
    RangeQuery first = QueryParameters.parse(Map.of("limit", List.of("1")), nowNanos).query();
    Token token;
    try (StoreView view = store.view();
        RangeReader reader = RangeReader.open(view, first, QueryBudget.DEFAULT)) {
      reader.next();
      token = Token.of(reader.event());
    }
    store.retain(null, Duration.ofDays(3));
    Tail tail = tail(2 * SECOND, Long.MAX_VALUE, token, null);
    String told = out.toString(StandardCharsets.UTF_8);
    assertTrue(told.startsWith("{\"gap\":\"" + tail.token() + "\",\"reason\":\"after: "), told);
    assertTrue(err.toString(StandardCharsets.UTF_8).startsWith("gap: after: events of app at"));
    out.reset();
    tail.poll();
    assertEquals("2", shown());
  }
}
