package io.widerow.query.aggregation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.query.QueryBudget;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.ReadMode;
import io.widerow.query.TypeGlobs;
import io.widerow.query.filter.FilterParser;
import io.widerow.query.result.RollupParameters;
import io.widerow.rollup.RollupDefinition;
import io.widerow.rollup.RollupRequest;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: aggregates are the same to the last digit whether they come from the cells of rollups or
/// from the events, whatever has cells: rollups are defined before, between and after events, which
/// are late, replace each other, are open, sealed and merged; and merging fills the cells of
/// earlier events. Method: the events of [FoldedStatsTest]; random aggregates, ranges and filters,
/// both ways. The seed is the test's name, `-Dseed=<n>` replays it.
class RollupStatsTest {
  private static final long START = 1_763_600_000_000_000_000L;
  private static final long SPAN = 2 * 3_600_000_000_000L;
  private static final int EVENTS = 6_000;
  private static final int QUERIES = 10;
  private static final List<String> MEASURES =
      List.of(
          "count",
          "bytes",
          "count(*)",
          "count(flag)",
          "count(host)",
          "sum(wide)",
          "sum(x)",
          "avg(x)",
          "avg(mixed)",
          "min(mixed)",
          "max(wide)",
          "p99(rack)",
          "p50(wide)",
          "p99.9(x)",
          "distinct(host)",
          "distinct(mixed)",
          "count(distinct body)",
          "count(code)",
          "distinct(code)",
          "distinct(region)",
          "count(type)",
          "max(type)");
  private static final List<String> NAMES = List.of("type", "code", "region", "code");
  private static final List<String> STEPS = List.of("1m", "5m", "90s", "1h", "2h", "30d");
  private static final List<String> FILTERS =
      List.of(
          "code == 200",
          "region == \"eu\"",
          "region == \"eu\" and code = 300",
          "code in (200, 400) or region is null",
          "type = 'long' and not region contains \"u\"",
          "code == 200 and host == \"host_1\"");

  private static final RollupDefinition MINUTES =
      RollupParameters.parse(
          "minutes",
          Map.of(
              "type", List.of("*"),
              "by", List.of("code,region"),
              "stats",
                  List.of(
                      "count,count(flag),count(host),sum(wide),avg(x),avg(mixed),min(mixed),"
                          + "max(wide),p99(rack),p95(wide),p50(x),distinct(host),distinct(mixed),"
                          + "distinct(body)")));
  private static final RollupDefinition HOURS =
      RollupParameters.parse(
          "hours",
          Map.of(
              "type", List.of("l*"),
              "by", List.of("code"),
              "every", List.of("1h"),
              "stats", List.of("sum(x),sum(wide),p99(rack),count(flag)")));
  private static final RollupDefinition TOO_MANY =
      RollupParameters.parse(
          "many",
          Map.of(
              "type", List.of("long"),
              "by", List.of("body,region"),
              "stats", List.of("count,sum(wide)")));

  @TempDir Path directory = Path.of("");

  private long cells;

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void figuresAreThoseOfTheEvents(long seed) throws InterruptedException {
    var random = new SplittableRandom(seed);
    try (EmbeddedStore store = FoldedStatsTest.open(directory)) {
      List<RollupDefinition> later = new ArrayList<>(List.of(MINUTES, HOURS, TOO_MANY));
      define(store, later, random);
      FoldedStatsTest.write(store, random, 0, EVENTS / 2, EVENTS);
      seal(store);
      define(store, later, random);
      FoldedStatsTest.write(store, random, EVENTS / 2, EVENTS, EVENTS);
      check(store, random);
      seal(store);
      check(store, random);
      store.maintain();
      store.awaitBackground();
      define(store, later, random);
      check(store, random);
    }
    try (EmbeddedStore store = FoldedStatsTest.open(directory)) {
      store.rollups().set(MINUTES);
      store.rollups().set(HOURS);
      store.awaitBackground();
      store.maintain();
      store.awaitBackground();
      for (RollupDefinition rollup : store.rollups().all()) {
        assertEquals(0, store.rollups().standing(rollup).without(), rollup.name());
      }
      long before = cells;
      check(store, random);
      assertTrue(cells > before + 50, cells - before + " cells were used");
      store.rollups().unset("minutes");
      store.rollups().unset("hours");
      check(store, random);
    }
  }

  private static void seal(EmbeddedStore store) throws InterruptedException {
    store.sealAll();
    store.awaitBackground();
  }

  private static void define(
      EmbeddedStore store, List<RollupDefinition> later, SplittableRandom random) {
    if (random.nextInt(4) > 0 && !later.isEmpty()) {
      store.rollups().set(later.remove(random.nextInt(later.size())));
    }
  }

  private void check(EmbeddedStore store, SplittableRandom random) {
    try (StoreView view = store.view()) {
      for (int i = 0; i < QUERIES; i++) {
        StatsQuery figures = figures(random);
        RangeQuery query = query(random).withFields(figures.fields());
        String what = figures + " of " + query;
        assertEquals(
            answer(view, query, figures, null),
            answer(view, query, figures, figures.question()),
            what);
      }
    }
  }

  private static StatsQuery figures(SplittableRandom random) {
    List<String> by = new ArrayList<>();
    for (int left = random.nextInt(3); left > 0; left--) {
      by.add(NAMES.get(random.nextInt(NAMES.size())));
    }
    List<String> measures = new ArrayList<>();
    for (int left = 1 + random.nextInt(3); left > 0; left--) {
      measures.add(MEASURES.get(random.nextInt(MEASURES.size())));
    }
    return Objects.requireNonNull(
        StatsQuery.parse(
            String.join(",", measures),
            by.isEmpty() ? null : String.join(",", by),
            random.nextInt(4) == 0 ? null : STEPS.get(random.nextInt(STEPS.size()))));
  }

  private static RangeQuery query(SplittableRandom random) {
    RangeQuery query = RangeQuery.ALL;
    if (random.nextBoolean()) {
      long from = START - SPAN / 2 + random.nextLong(SPAN);
      query = query.withRange(from, from + random.nextLong(1, SPAN));
    }
    if (random.nextInt(3) == 0) {
      query = query.withTypes(new TypeGlobs(List.of("long")));
    }
    if (random.nextBoolean()) {
      String filter = FILTERS.get(random.nextInt(FILTERS.size()));
      query = query.withFilter(FilterParser.parse(filter, START));
    }
    return query;
  }

  private List<List<Cell>> answer(
      StoreView view, RangeQuery query, StatsQuery figures, @Nullable RollupRequest question) {
    var statistics = new Aggregation(figures, _ -> {});
    ReadMode mode = ReadMode.grouped(figures.fold()).withRollup(question);
    try (RangeReader reader =
        RangeReader.open(view, query, mode, QueryBudget.DEFAULT, QueryMemory.unlimited())) {
      while (reader.next() == Step.EVENT) {
        statistics.add(reader.event());
      }
      cells += reader.cells();
      return statistics.rows(ZoneOffset.UTC);
    }
  }
}
