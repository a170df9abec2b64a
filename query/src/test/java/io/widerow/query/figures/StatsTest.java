package io.widerow.query.figures;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.TypeGlobs;
import io.widerow.query.answer.QueryParameters;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.remote.LineEvent;
import io.widerow.storage.Filter;
import java.math.BigInteger;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: aggregates are exact where documented, and bad parameters are refused with their value.
/// Method: random longs against BigInteger; the seed is the test's name, `-Dseed=<n>` replays it.
class StatsTest {
  private static LineEvent event(long value) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("id", "5a8c6b80-c64a-11f0-8080-808080808080");
    line.put("ts", "2025-11-20T19:15:00.000000001Z");
    line.put("type", "cpu");
    line.put("n", value);
    return new LineEvent(line);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.query.QuerySeeds#twenty")
  void sumsOfLongsAreExactBeyond64Bits(long seed) {
    var random = new SplittableRandom(seed);
    var figures =
        new Aggregation(
            new StatsQuery(
                Aggregate.parse("count,sum(n),min(n),max(n),p50(none)"),
                List.of(AttributeName.of("type")),
                60_000_000_000L),
            _ -> {});
    BigInteger sum = BigInteger.ZERO;
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    int count = random.nextInt(1, 500);
    for (int i = 0; i < count; i++) {
      long value = random.nextLong() | (1L << 62);
      figures.add(event(value));
      sum = sum.add(BigInteger.valueOf(value));
      min = Math.min(min, value);
      max = Math.max(max, value);
    }
    assertEquals(
        List.of(
            List.of(
                "2025-11-20T19:15:00.000000000Z",
                "cpu",
                "" + count,
                "" + sum,
                "" + min,
                "" + max,
                "")),
        figures.rows(ZoneOffset.UTC));
  }

  @Test
  void percentilesAreWithinATenthOfAPercent() {
    var figures =
        new Aggregation(new StatsQuery(Aggregate.parse("p50(n),p99.9(n)"), List.of(), 0), _ -> {});
    for (int i = 1; i <= 10_000; i++) {
      figures.add(event(i));
    }
    List<String> row = figures.rows(ZoneOffset.UTC).getFirst();
    assertEquals(5_000, Double.parseDouble(row.get(0)), 5.1);
    assertEquals(9_990, Double.parseDouble(row.get(1)), 10);
  }

  @Test
  void globs() {
    var globs = new TypeGlobs(List.of("nginx.*", "c?u", "*a*b*"));
    for (String yes : List.of("nginx.", "nginx.access", "cpu", "xxaxxbxx", "ab")) {
      assertTrue(globs.test(yes), yes);
    }
    for (String no : List.of("nginx", "cpux", "cu", "ba", "")) {
      assertTrue(!globs.test(no), no);
    }
  }

  @Test
  void parametersAreRefusedWithTheirValue() {
    Map<String, String> bad =
        Map.of(
            "limit",
            "zero",
            "order",
            "up",
            "from",
            "tomorrow",
            "after",
            "w1.x",
            "where",
            "a ==",
            "format",
            "xml",
            "colour",
            "red",
            "to",
            "1969-12-31");
    bad.forEach((name, value) -> {
      var refused =
          assertThrows(
              QueryException.Refused.class,
              () -> QueryParameters.parse(Map.of(name, List.of(value)), 1L));
      String message = String.valueOf(refused.getMessage());
      assertTrue(message.startsWith(name.equals("to") ? "from" : name), message);
    });
    long now = 1_763_666_100_000_000_000L;
    RangeQuery query =
        QueryParameters.parse(
                Map.of(
                    "since", List.of("15m"), "to", List.of("1763666100"), "where", List.of("a=1")),
                now)
            .query();
    assertEquals(now - 900_000_000_000L, query.fromNanos());
    assertEquals(now, query.untilNanos());
    assertTrue(query.filter() instanceof Filter.Compare);
  }

  /// Groups are found by the bytes of their attributes. Values of equal text are one group,
  /// whatever their kind.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.query.QuerySeeds#twenty")
  void groupsAreThoseOfAPlainCount(long seed) {
    var random = new SplittableRandom(seed);
    Object[] values = {200L, "200", 200.0, "200.0", true, "true", "", "é", "x".repeat(2_000)};
    int distinct = random.nextInt(2) * 9_000; // more than the cache holds, or few
    var figures =
        new Aggregation(
            new StatsQuery(
                Aggregate.parse("count"),
                List.of(AttributeName.of("n"), AttributeName.of("type"), AttributeName.of("m")),
                60_000_000_000L),
            _ -> {});
    Map<List<String>, Long> expected = new TreeMap<>(Comparator.comparing(List::toString));
    for (int i = 0; i < 20_000; i++) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("id", "00000000-0000-1000-8080-808080808080");
      String step = "2025-11-20T19:1%d:00.000000000Z".formatted(random.nextInt(3));
      line.put("ts", step.replace("00.000", "30.000"));
      String type = random.nextBoolean() ? "cpu" : "mem";
      line.put("type", type);
      Object n = values[random.nextInt(values.length)];
      boolean has = random.nextInt(10) > 0;
      if (has) {
        line.put("n", n);
      }
      long m = distinct == 0 ? 7 : random.nextInt(distinct);
      line.put("m", m);
      figures.add(new LineEvent(line));
      expected.merge(List.of(step, has ? "" + n : "", type, "" + m), 1L, Long::sum);
    }
    Map<List<String>, Long> counted = new TreeMap<>(Comparator.comparing(List::toString));
    figures
        .rows(ZoneOffset.UTC)
        .forEach(row -> counted.put(row.subList(0, 4), Long.valueOf(row.get(4))));
    assertEquals(expected, counted);
  }

  /// A query with many aggregates for many groups must not fill a daemon's heap.
  @Test
  void groupsCountAgainstTheBudgetOfAllQueries() {
    var memory = new QueryMemory(4 << 20);
    String many = "count" + ",avg(n)".repeat(99);
    EventWriter writer =
        QueryParameters.parse(Map.of("stats", List.of(many), "by", List.of("n")), 0).writer(memory);
    var sink = new OutputBuffer(64);
    var over =
        assertThrows(
            QueryException.OverBudget.class,
            () -> {
              for (int i = 0; i < 1_000; i++) { // 100 aggregates each: far more than 4 MiB
                writer.event(event(i), sink);
              }
            });
    assertTrue(String.valueOf(over.getMessage()).contains("bytes of memory"), over.getMessage());
    assertTrue(memory.bytesUsed() > 4 << 20);
    writer.close();
    writer.close();
    assertEquals(0, memory.bytesUsed());
  }
}
