package io.widerow.query.parse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.Text;
import io.widerow.faults.Seeds;
import io.widerow.query.Condition;
import io.widerow.query.DerivedFields;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.result.QueryParameters;
import io.widerow.query.result.QueryResult;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.TextTest;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.Grouping;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: `| parse` gives the same events and the same aggregates as parsing each event by itself,
/// whatever the store skips, and in every state of the store. Method: events of real lines, some
/// with attributes of the names that parsing finds; filters and aggregates over them, read by the
/// store and event by event.
class ParsedQueryTest {
  private static final long START = 1_780_000_000_000_000_000L;
  private static final List<String> WHERE =
      List.of(
          "| parse as clf",
          "| parse body as clf | status = 404",
          "| parse as clf | status != 200",
          "| parse as clf | status >= 400 and method = \"GET\" and path contains \"images\"",
          "| parse as clf | where not exists bytes",
          "| parse as clf overwrite | status = 7",
          "| parse as clf | status = 7",
          "| parse as clf overwrite | status = 200 | bytes > 10000 | agent has \"Chrome\"",
          "type = \"b\" | parse as nginx | client = \"83.149.9.216\"",
          "| parse as clf | level >= info",
          "| parse as clf | type = \"a\" and status in (301, 304)",
          "| parse as clf | parse path as regexp /^\\/(?P<first>\\w+)/ | first = \"presentations\"",
          "| parse as json | status = 7",
          "status = 7 | parse as pattern `<ip> - <_>` | ip ~ \"^8\"",
          "| parse as grok `%{IPORHOST:client} ` | body contains \"404\"",
          "| where n < 500 | parse as clf | status < 400");
  private static final List<String> STATS =
      List.of(
          "count",
          "count,sum(bytes),p99(bytes),distinct(client)",
          "max(status),bytes",
          "count(level >= error) / count(), avg(bytes where status = 200), min(n)");
  private static final List<String> BY = List.of("", "status", "type,method", "status,first,level");

  @TempDir Path directory;

  private static List<Stored> events(SplittableRandom random) throws IOException {
    List<Stored> events = new ArrayList<>();
    int n = 0;
    for (String line : Files.readAllLines(Path.of("../loadgen/logs/apache_access.log"))) {
      Map<String, Object> attributes = new HashMap<>();
      attributes.put("n", (long) n++);
      switch (random.nextInt(20)) {
        case 0 -> attributes.put("other", "x");
        case 1 -> attributes.put("body", "no line of a log");
        case 2 -> attributes.put("body", 7L);
        case 3 -> attributes.put("body", "{\"status\":7,\"a\":{\"b\":\"c\"}}");
        default -> attributes.put("body", line);
      }
      if (random.nextInt(10) == 0) {
        attributes.put("status", 7L);
      }
      if (random.nextInt(30) == 0) {
        attributes.put("bytes", "many");
      }
      String type = random.nextInt(3) == 0 ? "a" : "b";
      events.add(new Stored(type, START + n * 10_000_000_000L, attributes));
      if (n == 900) {
        break;
      }
    }
    return events;
  }

  @Test
  void theStoreAnswersAsTheEventsDo() throws IOException, InterruptedException {
    long seed = Seeds.one();
    List<Stored> events = events(new SplittableRandom(seed));
    StoreConfig config =
        StoreConfig.at(directory.resolve("s"))
            .withBuckets(15, Map.of())
            .withDiskReserveBytes(0)
            .withAges(Duration.ZERO, null);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run)) {
      StoreDirectory.append(store, events.subList(0, 600));
      store.sealAll();
      store.awaitBackground();
      StoreDirectory.append(store, events.subList(600, events.size()));
      check(store, "open, seed " + seed);
      store.sealAll();
      store.awaitBackground();
      store.maintain();
      store.awaitBackground();
      check(store, "merged, seed " + seed);
    }
  }

  private static void check(EmbeddedStore store, String state) {
    try (StoreView view = store.view()) {
      int kept = 0;
      for (String where : WHERE) {
        String what = state + ": " + where;
        for (String fields : List.of("", "n,status,client,first")) {
          Map<String, List<String>> given = given("where", where, "fields", fields);
          String answer = read(view, given);
          assertSame(byEvent(view, given), answer, what);
          kept += answer.lines().count() > 1 ? 1 : 0;
          given.put("order", List.of("desc"));
          given.put("limit", List.of("7"));
          assertSame(byEvent(view, given), read(view, given), what);
        }
        for (int i = 0; i < STATS.size(); i++) { // each with another grouping at each filter
          String by = BY.get((i + kept) % BY.size());
          Map<String, List<String>> given =
              given("where", where, "stats", STATS.get(i), "by", by, "every", "10m");
          assertSame(byEvent(view, given), read(view, given), what + given);
        }
      }
      assertTrue(kept > WHERE.size(), kept + " answers with events");
    }
  }

  /// Shows the first line that differs, not thousands.
  private static void assertSame(String expected, String found, String what) {
    List<String> lines = expected.lines().toList();
    List<String> others = found.lines().toList();
    for (int i = 0; i < Math.min(lines.size(), others.size()); i++) {
      assertEquals(lines.get(i), others.get(i), what);
    }
    assertEquals(lines.size(), others.size(), what);
  }

  private static Map<String, List<String>> given(String... pairs) {
    Map<String, List<String>> given = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      if (!pairs[i + 1].isEmpty()) {
        given.put(pairs[i], List.of(pairs[i + 1]));
      }
    }
    return given;
  }

  private static String read(StoreView view, Map<String, List<String>> given) {
    QueryParameters parameters = QueryParameters.parse(given, START);
    OutputBuffer out = new OutputBuffer(1 << 10);
    RangeReader reader =
        RangeReader.open(
            view,
            parameters.query(),
            parameters.readMode(),
            QueryBudget.DEFAULT,
            QueryMemory.unlimited());
    try (QueryResult result = new QueryResult(reader, parameters.writer(), null)) {
      while (result.writeNext(out)) {
        // all of it
      }
      result.requireWhole();
    }
    return out.toString().replaceAll("\\{\"token\".*\n", "");
  }

  /// Reads all events, and applies the filter and the steps to each.
  private static String byEvent(StoreView view, Map<String, List<String>> given) {
    QueryParameters parameters = QueryParameters.parse(given, START);
    DerivedFields derived = Objects.requireNonNull(parameters.query().derived());
    RangeQuery all = RangeQuery.ALL.withDescending(parameters.query().descending());
    Filter filter = parameters.query().filter();
    AttributeValue scratch = new AttributeValue();
    OutputBuffer out = new OutputBuffer(1 << 10);
    EventWriter writer = parameters.writer();
    writer.begin(out);
    long left = parameters.query().limit();
    try (RangeReader reader = RangeReader.open(view, all, QueryBudget.DEFAULT)) {
      DerivedFields.Making making = derived.begin();
      while (left > 0 && reader.next() == Step.EVENT) {
        if (FilterEvaluation.keeps(filter, reader.event(), scratch)) {
          EventView event = making.of(reader.event());
          if (event != null) {
            writer.event(event, out);
            left--;
          }
        }
      }
      writer.end(null, out);
    }
    writer.close();
    return out.toString().replaceAll("\\{\"token\".*\n", "");
  }

  /// Counts the events of which fields are made, and the texts that the store asks for.
  private static final class Counted implements DerivedFields {
    private final DerivedFields steps;
    private int events;
    private int texts;

    Counted(DerivedFields steps) {
      this.steps = steps;
    }

    @Override
    public Set<AttributeName> columns() {
      return steps.columns();
    }

    @Override
    public Filter required() {
      return steps.required() instanceof Filter.Or(var parts)
              && parts.getFirst() instanceof Filter.Matches(AttributeName name, TextTest test)
          ? new Filter.Matches(name, counted(test))
          : steps.required();
    }

    private TextTest counted(TextTest test) {
      return new TextTest() {
        @Override
        public boolean keeps(MemorySegment memory, long offset, int length) {
          texts++;
          return test.keeps(memory, offset, length);
        }

        @Override
        public @Nullable Text required() {
          return test.required();
        }
      };
    }

    @Override
    public DerivedFields where(Filter further) {
      return steps.where(further);
    }

    @Override
    public @Nullable Grouping grouping(Grouping wanted) {
      return steps.grouping(wanted);
    }

    @Override
    public Making begin() {
      Making making = steps.begin();
      return event -> {
        events++;
        return making.of(event);
      };
    }

    /// The answer, which is that of the store without counting.
    String read(StoreView view, String... given) {
      QueryParameters parameters = QueryParameters.parse(given(given), START);
      OutputBuffer out = new OutputBuffer(1 << 10);
      RangeQuery query = parameters.query();
      RangeReader reader =
          RangeReader.open(
              view,
              query.withCondition(new Condition(query.filter(), this)),
              parameters.readMode(),
              QueryBudget.DEFAULT,
              QueryMemory.unlimited());
      try (QueryResult result = new QueryResult(reader, parameters.writer(), null)) {
        while (result.writeNext(out)) {
          // all of it
        }
      }
      return out.toString();
    }
  }

  private static Counted counted(String where) {
    QueryParameters parameters = QueryParameters.parse(given("where", where), START);
    return new Counted(Objects.requireNonNull(parameters.query().derived()));
  }

  /// Goal: a query parses what it must and no more. Method: 20,000 sealed events with 40 texts in a
  /// dictionary, and 20,000 of another hour; the events of which fields are made, and the texts
  /// that are tested, are counted.
  @Test
  void eachTextOfADictionaryIsParsedOnceAndOtherBlocksNotAtAll() throws InterruptedException {
    List<Stored> events = new ArrayList<>();
    for (int i = 0; i < 40_000; i++) {
      boolean early = i < 20_000;
      String line =
          early
              ? "1.2.3.%d - - [x] \"GET /a HTTP/1.1\" %d 5".formatted(i % 40, 200 + i % 4)
              : "1.2.3.%d - - [x] \"POST /b HTTP/1.1\" 500 7".formatted(i % 40);
      long time = START + (early ? 0 : 7_200_000_000_000L) + i * 1_000_000L;
      events.add(new Stored("web", time, Map.of("body", line)));
    }
    StoreConfig config =
        StoreConfig.at(directory.resolve("d"))
            .withDiskReserveBytes(0)
            .withAges(Duration.ZERO, null);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run)) {
      StoreDirectory.append(store, events);
      store.sealAll();
      store.awaitBackground();
      try (StoreView view = store.view()) {
        String grouped = "| parse as clf";
        Counted all = counted(grouped);
        String[] query = {"where", grouped, "stats", "count,count(status)", "by", "status,method"};
        assertEquals(read(view, given(query)), all.read(view, query));
        assertTrue(all.events < 2_000, all.events + " events for 80 texts");
        String skipping = "| parse as clf | method = \"POST\"";
        Counted some = counted(skipping);
        query[1] = skipping;
        assertEquals(read(view, given(query)), some.read(view, query));
        assertTrue(some.events < 1_000, some.events + " events for 40 texts");
        assertTrue(some.texts < 1_000, some.texts + " texts tested, of 80");
        query[3] = "sum(bytes),p99(bytes),avg(bytes where status = 500),count(level >= error)";
        Counted sums = counted(skipping);
        assertEquals(read(view, given(query)), sums.read(view, query));
        assertTrue(sums.events < 1_000, sums.events + " events for 40 texts");
        query[3] = "bytes";
        Counted each = counted(skipping);
        assertEquals(read(view, given(query)), each.read(view, query));
        assertEquals(20_000, each.events, "the bytes are of each event");
      }
    }
  }

  @Test
  void theStoreGetsAFilterThatSkips() {
    Filter required = required("| parse as clf | status = 404 and method = \"GET\"");
    Filter.Or either = assertInstanceOf(Filter.Or.class, required);
    assertEquals(3, either.parts().size(), "the text, and the two attributes");
    Filter.Matches text = assertInstanceOf(Filter.Matches.class, either.parts().getFirst());
    assertEquals("GET", String.valueOf(text.test().required()));
    for (String where :
        List.of(
            "| parse as clf",
            "| parse as clf | status != 404",
            "| parse as clf | level = error",
            "| parse as clf | ts > 15m")) {
      assertInstanceOf(Filter.Everything.class, required(where), where);
    }
    assertFalse(required("| parse as json | a = 1") instanceof Filter.Everything);
  }

  private static Filter required(String where) {
    QueryParameters parameters = QueryParameters.parse(given("where", where), START);
    return Objects.requireNonNull(parameters.query().derived()).required();
  }
}
