package io.widerow.query.aggregation;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.TypeGlobs;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.remote.LineEvent;
import io.widerow.query.result.QueryParameters;
import io.widerow.storage.Filter;
import io.widerow.storage.sketch.ValueTable;
import java.math.BigInteger;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
  @MethodSource("io.widerow.faults.Seeds#twenty")
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
        texts(figures.rows(ZoneOffset.UTC)));
  }

  private static List<List<String>> texts(List<List<Cell>> rows) {
    return rows.stream().map(row -> row.stream().map(Cell::text).toList()).toList();
  }

  @Test
  void percentilesAreWithinATenthOfAPercent() {
    var figures =
        new Aggregation(new StatsQuery(Aggregate.parse("p50(n),p99.9(n)"), List.of(), 0), _ -> {});
    for (int i = 1; i <= 10_000; i++) {
      figures.add(event(i));
    }
    List<String> row = texts(figures.rows(ZoneOffset.UTC)).getFirst();
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

  /// Groups are found by the bytes of their attributes. Equal numbers are one group, whatever their
  /// kind; a number, a text and nothing are three.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
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
      String shown =
          switch (n) {
            case String text -> '"' + text + '"';
            case Double d -> "" + d.longValue();
            default -> "" + n;
          };
      if (has) {
        line.put("n", n);
      }
      long m = distinct == 0 ? 7 : random.nextInt(distinct);
      line.put("m", m);
      figures.add(new LineEvent(line));
      expected.merge(List.of(step, has ? shown : "null", type, "" + m), 1L, Long::sum);
    }
    Map<List<String>, Long> counted = new TreeMap<>(Comparator.comparing(List::toString));
    figures
        .rows(ZoneOffset.UTC)
        .forEach(row -> {
          Cell n = row.get(1);
          String shown =
              switch (n.kind()) {
                case TEXT -> '"' + n.text() + '"';
                case MISSING -> "null";
                default -> n.text();
              };
          List<String> group =
              List.of(row.get(0).text(), shown, row.get(2).text(), row.get(3).text());
          assertNull(counted.put(group, row.get(4).whole()), () -> "two rows of " + group);
        });
    assertEquals(expected, counted);
  }

  private static LineEvent event(Object... attributes) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("id", "5a8c6b80-c64a-11f0-8080-808080808080");
    line.put("ts", "2025-11-20T19:15:00.000000001Z");
    line.put("type", "cpu");
    for (int i = 0; i < attributes.length; i += 2) {
      line.put("" + attributes[i], attributes[i + 1]);
    }
    return new LineEvent(line);
  }

  /// What HTTP answers to a query for figures of these events.
  private static String answer(String query, LineEvent... events) {
    Map<String, List<String>> given = new LinkedHashMap<>();
    for (String parameter : query.split("&", -1)) {
      int equals = parameter.indexOf('=');
      given.put(parameter.substring(0, equals), List.of(parameter.substring(equals + 1)));
    }
    var out = new OutputBuffer(64);
    EventWriter writer = QueryParameters.parse(given, 0).writer();
    for (LineEvent event : events) {
      writer.event(event, out);
    }
    writer.end(null, out);
    return out.toString();
  }

  @Test
  void noEventIsCountedAsNone() {
    assertEquals(
        "{\"count\":0,\"count(*)\":0,\"count(x)\":0,\"count(distinct x)\":0,\"sum(x)\":null}\n",
        answer("stats=count,count(*),count(x),count(distinct x),sum(x)"));
    assertEquals("count\r\n0\r\n", answer("stats=count&format=csv"));
    assertEquals("", answer("stats=count&by=x"));
    assertEquals("", answer("stats=count&every=1m"));
  }

  @Test
  void groupsHaveTheKindsOfTheirValues() {
    LineEvent[] events = {
      event("x", 500L),
      event("x", "500"),
      event("x", 500.0),
      event("x", 2.5),
      event("x", ""),
      event("y", 1L),
      event("x", true),
      event("x", "=1")
    };
    assertEquals(
        """
        {"x":true,"count(*)":1}
        {"x":2.5,"count(*)":1}
        {"x":500,"count(*)":2}
        {"x":"","count(*)":1}
        {"x":"500","count(*)":1}
        {"x":"=1","count(*)":1}
        {"x":null,"count(*)":1}
        """,
        answer("stats=count(*)&by=x", events));
    assertEquals(
        "x,count|true,1|2.5,1|500,2|\"\",1|500,1|=1,1|,1|",
        answer("stats=count&by=x&format=csv", events).replace("\r\n", "|"));
  }

  @Test
  void typeIsTheEventsOwnAndAttributesAreReached() {
    assertEquals(
        "{\"type\":\"cpu\",\"attributes.type\":\"own\",\"count(attributes.type)\":1}\n",
        answer(
            "stats=count(attributes.type)&by=type,attributes.type",
            event("attributes.type", "own")));
  }

  @Test
  void numbersInTextsAreNumbersOfFigures() {
    assertEquals(
        "{\"sum(x)\":503.5,\"max(x)\":500,\"count(x)\":4}\n",
        answer(
            "stats=sum(x),max(x),count(x)",
            event("x", "0500"),
            event("x", "2.5"),
            event("x", 1L),
            event("x", "none")));
  }

  @Test
  void groupsAreOrderedAndLimited() {
    LineEvent[] events = new LineEvent[30];
    for (int i = 0; i < events.length; i++) { // 10 of a, 9 of b, 8 of c, 3 of nothing
      String host = i < 10 ? "a" : i < 19 ? "b" : "c";
      events[i] = i >= 27 ? event() : event("host", host, "n", (long) (i % 7) * (i < 10 ? 0 : 1));
    }
    assertEquals(
        "{\"host\":\"a\",\"count\":10}\n{\"host\":\"b\",\"count\":9}\n",
        answer("stats=count&by=host&order-by=count desc&limit=2", events));
    assertEquals("{\"host\":\"a\",\"count\":10}\n", answer("stats=count&by=host&limit=1", events));
    assertEquals("{\"count\":30}\n", answer("stats=count&limit=1", events));
    assertEquals( // 9 and 10 as numbers; equal ones by the second column; null last
        """
        {"host":"c","max(n)":6}
        {"host":"b","max(n)":6}
        {"host":"a","max(n)":0}
        {"host":null,"max(n)":null}
        """,
        answer("stats=max(n)&by=host&order-by=max(n) DESC, host desc", events));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "stats=count&by=host&order-by=size desc|order-by: no such column: size; there are: host,"
            + " count",
        "stats=sum(*)|stats: only count takes * and distinct, not sum(*)",
        "stats=avg(distinct x)|stats: only count takes * and distinct, not avg(distinct x)",
        "stats=median(x)|stats: not an aggregate: median(x) (known: count bytes count(*)",
        "stats=distinct|stats: distinct: requires a field; write distinct(name)",
        "stats=distinct(*)|stats: only count takes * and distinct, not distinct(*)",
        "stats=count&by=ts|by: ts is the time; group by it with every",
        "stats=max(id)|stats: id is the event's id",
        "stats=count&order=desc|order: not together with stats",
        "stats=count&limit=0|limit: must be at least 1, got 0",
        "order-by=x|order-by: orders the rows of stats",
      })
  void figuresThatAreNotAreRefused(String query, String why) {
    var refused = assertThrows(QueryException.Refused.class, () -> answer(query));
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.startsWith(why), message);
  }

  /// Against a set of Java's: texts of all lengths, numbers that are equal across kinds.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void distinctValuesAreCountedExactly(long seed) {
    var random = new SplittableRandom(seed);
    int kinds = random.nextInt(1, 3_000);
    var values = new ValueTable(false);
    var value = new AttributeValue();
    Set<Object> expected = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      int n = random.nextInt(kinds);
      Object one =
          switch (n % 5) {
            case 0 -> (long) n;
            case 1 -> (double) (n - 1);
            case 2 -> n / 7.0 + 0.01;
            case 3 -> n % 2 == 0;
            default -> "v".repeat(n % 40) + n;
          };
      assertTrue(event("x", one).find(AttributeName.of("x"), value));
      int _ = values.add(value);
      expected.add(one instanceof Double d && d == Math.rint(d) ? (Object) d.longValue() : one);
      assertEquals(expected.size(), values.size());
    }
  }

  /// The order of events cannot be seen: fractions that cancel, numbers of both kinds that are
  /// equal, numbers in texts, groups whose names are equal numbers.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void theOrderOfEventsCannotBeSeen(long seed) {
    var random = new SplittableRandom(seed);
    Object[] numbers = {
      1e300,
      -1e300,
      0.1,
      "0.3",
      7L,
      7.0,
      "7",
      -2.5e-9,
      0x1p53,
      (1L << 53) + 1,
      0x1p60,
      1L << 60,
      0.0,
      -0.0,
      Long.MAX_VALUE,
      0x1p63,
      "none",
      true
    };
    LineEvent[] events = new LineEvent[300];
    for (int i = 0; i < events.length; i++) {
      Object group = numbers[random.nextInt(numbers.length)];
      Object one = random.nextInt(3) == 0 ? random.nextDouble() : numbers[random.nextInt(18)];
      events[i] = event("g", group, "x", one);
    }
    for (String by : List.of("", "&by=g")) {
      String query = "stats=count,sum(x),avg(x),min(x),max(x),p1(x),p50(x),p99(x),distinct(x)" + by;
      String first = answer(query, events);
      for (int round = 0; round < 5; round++) {
        for (int i = events.length - 1; i > 0; i--) {
          int j = random.nextInt(i + 1);
          LineEvent event = events[i];
          events[i] = events[j];
          events[j] = event;
        }
        assertEquals(first, answer(query, events));
      }
    }
  }

  @Test
  void extremesAndSumsAreExact() {
    assertEquals(
        "{\"sum(x)\":0.1,\"avg(x)\":0.025,\"max(x)\":1.0E300}\n",
        answer(
            "stats=sum(x),avg(x),max(x)",
            event("x", 0.1),
            event("x", 1e300),
            event("x", -1e300),
            event("x", "0")));
    assertEquals(
        "{\"max(x)\":9007199254740993,\"min(x)\":9.007199254740992E15,\"distinct(x)\":2}\n",
        answer("stats=max(x),min(x),distinct(x)", event("x", (1L << 53) + 1), event("x", 0x1p53)));
    assertEquals(
        "{\"max(x)\":7,\"min(x)\":7,\"distinct(x)\":1,\"count(distinct x)\":1}\n",
        answer(
            "stats=max(x),min(x),distinct(x),count(distinct x)", event("x", 7.0), event("x", 7L)));
  }

  @Test
  void distinctValuesHaveALimit() {
    var figures =
        new Aggregation(
            new StatsQuery(Aggregate.parse("count(distinct x)"), List.of(), 0), _ -> {});
    String large = "x".repeat(60_000);
    var over =
        assertThrows(
            QueryException.OverBudget.class,
            () -> {
              for (int i = 0; i < 5_000; i++) {
                figures.add(event("x", large + i));
              }
            });
    String message = String.valueOf(over.getMessage());
    assertTrue(message.contains("budget of 67108864 bytes of distinct values"), message);
  }

  /// A query with many aggregates for many groups must not fill a daemon's heap.
  @Test
  void groupsCountAgainstTheBudgetOfAllQueries() {
    var memory = new QueryMemory(4 << 20);
    String many =
        IntStream.range(1, 100)
            .mapToObj(i -> ",p%d(n)".formatted(i))
            .collect(joining("", "count", ""));
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
