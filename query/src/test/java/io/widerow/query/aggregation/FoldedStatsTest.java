package io.widerow.query.aggregation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.FoldedText;
import io.widerow.event.Level;
import io.widerow.event.Text;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Slice;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.ReadMode;
import io.widerow.query.StoreDirectory;
import io.widerow.query.Token;
import io.widerow.query.TypeGlobs;
import io.widerow.query.filter.FilterParser;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupFigure;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.Filter;
import io.widerow.storage.Grouping;
import io.widerow.storage.ReadingThreads;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.DeletionControl;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ForkJoinPool;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: aggregates are the same, bit for bit, whether the store returns every event, aggregates
/// columns of blocks (aggregation pushdown), or takes the cells that it keeps by minute (rollups).
/// Method: events with attributes of every encoding, some late, some with ids that the sender
/// chose, over several blocks and shards. Random aggregates and random filters of random ranges
/// while half of the events are open, when all are sealed, and when they are merged; compare with
/// the same aggregates over each event in order. The seed is the test's name, `-Dseed=<n>` replays
/// it.
class FoldedStatsTest {
  private static final long START = 1_763_600_000_000_000_000L;
  private static final long SPAN = 2 * 3_600_000_000_000L;
  private static final int EVENTS = Slice.of(12_000, 30_000);
  private static final int BATCH = 1_000;
  private static final int QUERIES = Slice.of(10, 40);
  private static final List<String> NAMES =
      List.of(
          "type",
          "region",
          "same",
          "host",
          "code",
          "rack",
          "mixed",
          "wide",
          "x",
          "odd",
          "flag",
          "path",
          "line",
          "raw",
          "level",
          "severity",
          "body",
          "absent");
  private static final List<String> TEXTS =
      List.of("region", "same", "host", "rack", "mixed", "path", "line", "body");
  private static final List<String> WORDS =
      List.of("eu", "s", "host_1", "7", "-1", "n/a", "item", "/item/7", "GET", "took 1", "ü", "");
  private static final List<String> REGEXES =
      List.of("^/item/[0-9]$", "(?i)EU|US", "item/1.*3$", "[0-9]{3} took", "", "_1|_2", "^$");
  private static final List<String> MEASURES =
      List.of("count", "distinct", "sum", "min", "max", "avg", "p50", "p99.9");
  private static final List<String> STEPS = List.of("333us", "1s", "7s", "1m", "1m", "1h", "30d");
  private static final TypeGlobs ASSIGNED = new TypeGlobs(List.of("long", "hour*"));

  @TempDir Path directory;

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void countsAreThoseOfEachEvent(long seed) throws InterruptedException {
    var random = new SplittableRandom(seed);
    try (EmbeddedStore store = open(directory)) {
      store.readWith(new ReadingThreads(null, ForkJoinPool.commonPool()));
      write(store, random, 0, EVENTS / 2, EVENTS);
      store.sealAll();
      store.awaitBackground();
      write(store, random, EVENTS / 2, EVENTS, EVENTS);
      assertTrue(store.statistics().openEvents() > 0);
      check(store, random);
      store.sealAll();
      store.awaitBackground();
      check(store, random);
      store.maintain();
      store.awaitBackground();
      assertTrue(store.statistics().merged() > 0);
      check(store, random);
      hide(store);
      check(store, random); // the events are still in the blocks
    }
  }

  /// Begins a deletion that does not go on: it only hides events.
  private static void hide(EmbeddedStore store) {
    String where = "body contains '/item/7' or mixed = 2";
    var asked =
        new DeletionControl.Asked(
            List.of(), Long.MIN_VALUE, Long.MAX_VALUE, where, FilterParser.parse(where, START));
    try (StoreView view = store.view()) {
      var _ = store.deletions().run(store.deletions().plan(asked, view).id());
    }
  }

  /// A store of which one type has wide buckets.
  static EmbeddedStore open(Path directory) {
    StoreConfig config =
        StoreConfig.at(directory.resolve("s"))
            .withLanes(1, 2)
            .withBuckets(60, Map.of("long", 1_440))
            .withDiskReserveBytes(0)
            .withAges(Duration.ZERO, null);
    return EmbeddedStore.open(config, Runnable::run);
  }

  /// Writes events with these numbers, of so many in all.
  static void write(EmbeddedStore store, SplittableRandom random, int from, int until, int events) {
    try (var batch = new EventBatch(1 << 12, 1 << 24)) {
      for (int i = from; i < until; i++) {
        put(batch, i, events, random);
        if (batch.count() == BATCH) {
          store
              .lane(0)
              .append(
                  batch,
                  i / BATCH,
                  (index, why) -> {
                    throw new AssertionError(index + ": " + why);
                  });
          store.lane(0).commit(Durability.MEMORY);
          batch.clear();
        }
      }
    }
  }

  private static void put(EventBatch batch, int number, int events, SplittableRandom random) {
    long time = START + (long) ((double) number / events * SPAN) + random.nextInt(1_000);
    if (random.nextInt(20) == 0) {
      time -= random.nextLong(SPAN);
    }
    byte[] type = utf8(number % 50 == 0 ? "own" : number % 10 == 0 ? "hourly" : "long");
    if (number % 50 == 0) { // every second of these replaces the one before
      time = START + number / 100 * 1_000_000L;
      long tail = TimeUuid.tailOf(time, 1, number / 100);
      batch.begin(type, 0, type.length, new EventId(TimeUuid.timeOfNanos(time), tail));
    } else {
      batch.begin(type, 0, type.length, time);
    }
    text(batch, "region", List.of("eu", "us", "ap-south-1").get(random.nextInt(3)));
    text(batch, "same", "s");
    text(batch, "rack", random.nextInt(9) == 0 ? "n/a" : "" + random.nextInt(40));
    text(batch, "body", "GET /item/" + random.nextInt(500) + " took " + number);
    text(batch, "path", "/item/" + random.nextInt(50));
    if (random.nextInt(3) == 0) {
      text(batch, "line", "user " + random.nextInt(9_000) + " of host_" + random.nextInt(9));
    }
    byte[] raw = {(byte) random.nextInt(4), (byte) 0xff};
    batch.putBytes(utf8("raw"), 0, 3, raw, 0, raw.length);
    if (random.nextInt(4) == 0) {
      text(batch, "level", List.of("info", "Error", "strange").get(random.nextInt(3)));
    } else if (random.nextInt(3) == 0) {
      batch.putLong(utf8("severity"), 0, 8, random.nextInt(8));
    }
    if (random.nextInt(3) > 0) {
      double[] odd = {Double.NaN, -0.0, 0.0, Double.POSITIVE_INFINITY, 1e300, -7, 0.1, 3};
      batch.putDouble(utf8("odd"), 0, 3, odd[random.nextInt(odd.length)]);
    }
    if (random.nextInt(3) > 0) {
      text(batch, "host", "host_" + random.nextInt(30));
    }
    batch.putLong(utf8("code"), 0, 4, 200 + random.nextInt(3) * 100);
    batch.putLong(utf8("wide"), 0, 4, random.nextInt(4) == 0 ? random.nextLong() : 7);
    batch.putDouble(utf8("x"), 0, 1, random.nextInt(3) / 2.0);
    if (random.nextBoolean()) {
      batch.putBoolean(utf8("flag"), 0, 4, random.nextBoolean());
    }
    if (random.nextInt(5) == 0) {
      batch.putLong(utf8("mixed"), 0, 5, random.nextInt(3));
    } else {
      text(batch, "mixed", "" + random.nextInt(3));
    }
    assertNull(batch.end());
  }

  private static void text(EventBatch batch, String name, String value) {
    batch.putString(utf8(name), 0, name.length(), utf8(value));
  }

  private static byte[] utf8(String text) {
    return StoreDirectory.utf8(text);
  }

  private static void check(EmbeddedStore store, SplittableRandom random) {
    try (StoreView view = store.view()) {
      for (int i = 0; i < QUERIES; i++) {
        compare(view, query(random), figures(random));
      }
      RangeQuery query = RangeQuery.ALL.withTypes(ASSIGNED);
      assertTrue(compare(view, query, parsed("count", "type", "1m")) > 0);
      long shown = compare(view, query, parsed("count", "region", "1m"));
      assertTrue(shown < EVENTS * 2 / 3, shown + " events were shown: few stood for others");
    }
  }

  /// Returns how many events the reader returned when one may stand for others.
  private static long compare(StoreView view, RangeQuery query, StatsQuery figures) {
    RangeQuery asked = query.withFields(figures.fields());
    Answer each = answer(view, asked, figures, null);
    Answer alike = answer(view, asked, figures, figures.fold());
    String what = figures + " of " + asked;
    assertEquals(each.rows, alike.rows, what);
    assertTrue(alike.looked <= each.looked, what);
    assertEquals(each.shown, each.stoodFor, what);
    assertEquals(each.stoodFor, alike.stoodFor, what);
    Grouping fold = figures.fold();
    if (fold == null || !figures.isOfCounts()) {
      return alike.shown;
    }
    Answer kept = answer(view, asked, figures, fold.withCells());
    assertEquals(each.rows, kept.rows, () -> "from cells: " + what);
    assertEquals(each.stoodFor, kept.stoodFor, () -> "from cells: " + what);
    return alike.shown;
  }

  private static StatsQuery figures(SplittableRandom random) {
    List<String> by = new ArrayList<>();
    for (int left = random.nextInt(4); left > 0; left--) {
      by.add(any(NAMES, random));
    }
    List<String> measures = new ArrayList<>(List.of("count"));
    for (String name : by) {
      measures.add("%s(%s)".formatted(any(MEASURES, random), name));
    }
    for (int left = random.nextInt(4); left > 0; left--) {
      measures.add("%s(%s)".formatted(any(MEASURES, random), any(NAMES, random)));
    }
    StatsQuery figures =
        StatsQuery.parse(
            String.join(",", measures),
            by.isEmpty() ? null : String.join(",", by),
            random.nextInt(5) == 0 ? null : STEPS.get(random.nextInt(STEPS.size())));
    assertNotNull(figures);
    return figures;
  }

  private static RangeQuery query(SplittableRandom random) {
    RangeQuery query = RangeQuery.ALL;
    if (random.nextBoolean()) {
      long from = START - SPAN / 2 + random.nextLong(SPAN);
      query = query.withRange(from, from + random.nextLong(1, SPAN));
    }
    if (random.nextInt(3) > 0) { // without events whose ids the sender chose: those are not folded
      query = query.withTypes(ASSIGNED);
    }
    if (random.nextBoolean()) {
      query = query.withFilter(filter(random, 3));
    }
    if (random.nextInt(4) == 0) {
      query = query.withAfter(Token.before(START - SPAN / 2 + random.nextLong(SPAN)));
    }
    return query.withDescending(random.nextInt(4) == 0);
  }

  private static <T> T any(List<T> values, SplittableRandom random) {
    return values.get(random.nextInt(values.size()));
  }

  private static Filter filter(SplittableRandom random, int depth) {
    if (depth > 0 && random.nextInt(3) == 0) {
      List<Filter> parts = new ArrayList<>();
      for (int left = random.nextInt(4); left > 0; left--) {
        parts.add(filter(random, depth - 1));
      }
      return switch (random.nextInt(3)) {
        case 0 -> new Filter.And(parts);
        case 1 -> new Filter.Or(parts);
        default -> new Filter.Not(filter(random, depth - 1));
      };
    }
    AttributeName name = AttributeName.of(any(NAMES, random));
    AttributeName text = AttributeName.of(any(TEXTS, random));
    String word = any(WORDS, random);
    String needle = word.isEmpty() ? "o" : word;
    Filter.Comparison comparison = any(List.of(Filter.Comparison.values()), random);
    return switch (random.nextInt(12)) {
      case 0 -> new Filter.Exists(name);
      case 1, 2 ->
          new Filter.Compare(
              name, comparison, new Filter.Literal.Whole(random.nextInt(4) * 100L - 100));
      case 3 -> new Filter.Compare(name, comparison, new Filter.Literal.Fraction(fraction(random)));
      case 4 ->
          new Filter.Compare(name, comparison, new Filter.Literal.Truth(random.nextBoolean()));
      case 5 -> new Filter.Compare(text, comparison, new Filter.Literal.Word(Text.of(word)));
      case 6 -> new Filter.Contains(text, Text.of(needle));
      case 7 -> new Filter.ContainsFolded(text, FoldedText.of(needle));
      case 8 -> new Filter.Has(text, Text.of(needle));
      case 9 -> FilterParser.parse("%s ~ '%s'".formatted(text, any(REGEXES, random)), START);
      case 10 ->
          random.nextBoolean()
              ? new Filter.HasLevel()
              : new Filter.OfLevel(comparison, any(List.of(Level.values()), random));
      default ->
          random.nextBoolean()
              ? new Filter.OfTime(comparison, START + random.nextLong(SPAN))
              : new Filter.OfType(
                  new Filter.Compare(
                      AttributeName.of("type"),
                      comparison,
                      new Filter.Literal.Word(Text.of("hourly"))));
    };
  }

  private static double fraction(SplittableRandom random) {
    double[] some = {0.5, -0.0, 1, Double.NaN, Double.NEGATIVE_INFINITY, 0.1, 1e18};
    return some[random.nextInt(some.length)];
  }

  /// @param looked events scanned, or counted without a scan
  /// @param shown events that the reader returned
  /// @param stoodFor events that these stood for
  private record Answer(List<List<Cell>> rows, long looked, long shown, long stoodFor) {}

  private static Answer answer(
      StoreView view, RangeQuery query, StatsQuery figures, @Nullable Grouping fold) {
    var statistics = new Aggregation(figures, _ -> {});
    long shown = 0;
    long stoodFor = 0;
    ReadMode mode = fold == null ? ReadMode.IN_ORDER : ReadMode.grouped(fold);
    try (RangeReader reader =
        RangeReader.open(view, query, mode, QueryBudget.DEFAULT, QueryMemory.unlimited())) {
      while (reader.next() == Step.EVENT) {
        statistics.add(reader.event());
        shown++;
        stoodFor += reader.event().weight();
      }
      var looked = reader.statistics().eventsScanned();
      return new Answer(statistics.rows(ZoneOffset.UTC), looked, shown, stoodFor);
    }
  }

  @Test
  void groupsHaveTheAggregatesThatTheirValuesDoNotTell() {
    assertEquals(new Grouping(List.of(), 0), parsed("count", null, null).fold());
    assertEquals(
        new Grouping(List.of(AttributeName.of("a")), 1_000_000_000L),
        parsed("count,count(a)", "a", "1s").fold());
    assertEquals(
        new Grouping(List.of(AttributeName.of("type")), 0),
        parsed("count(*),count(type)", "type,attributes.type", null).fold());
    AttributeName a = AttributeName.of("a");
    AttributeName b = AttributeName.of("b");
    int both = RollupFigure.SUM.bit | RollupFigure.GRID.bit;
    assertEquals(
        new Grouping(List.of(a), 0)
            .withFields(
                List.of(new RollupField(a, RollupFigure.MAX.bit), new RollupField(b, both))),
        parsed("count(a),avg(b),max(a),p50(b)", "a", null).fold());
    assertNull(parsed("bytes", "a", null).fold());
    assertNull(parsed("sum(type)", "a", null).fold());
    assertNull(parsed("count", "level,attributes.level", null).fold());
  }

  private static StatsQuery parsed(String stats, @Nullable String by, @Nullable String every) {
    StatsQuery figures = StatsQuery.parse(stats, by, every);
    assertNotNull(figures);
    return figures;
  }
}
