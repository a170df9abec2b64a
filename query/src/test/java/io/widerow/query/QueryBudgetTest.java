package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.filter.FilterParser;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a query whose filter keeps nothing of one large partition, sealed or open, ends within a
/// few thousand scanned events of its cancel, its deadline or its budget. Method: 60,000 events of
/// one hour in a store on disk, and a filter that cannot skip any block.
@TestInstance(Lifecycle.PER_CLASS)
@Tag("deep")
class QueryBudgetTest {
  private static final long START = 1_763_666_100_000_000_000L;
  private static final int EVENTS = 60_000;
  private static final Filter NOTHING = FilterParser.parse("body ~ 'x[0-9]+z'", START);
  private static final Duration LONG = Duration.ofHours(1);

  @TempDir static Path directory;

  private final List<EmbeddedStore> stores = new ArrayList<>();

  @BeforeAll
  void fill() {
    List<Stored> events = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      events.add(new Stored("app", START + i * 1_000L, Map.of("body", "x" + i + "y")));
    }
    for (String name : List.of("open", "sealed")) {
      StoreConfig config = StoreConfig.at(directory.resolve(name));
      EmbeddedStore store = EmbeddedStore.open(config, Runnable::run);
      StoreDirectory.append(store, events);
      stores.add(store);
    }
    stores.get(1).sealAll();
  }

  @AfterAll
  void close() {
    stores.forEach(EmbeddedStore::close);
  }

  /// Events scanned until the query ended or was ended.
  private static long scanned(RangeReader reader) {
    reader.next();
    return reader.eventsScanned();
  }

  @ParameterizedTest(name = "store {0}")
  @ValueSource(ints = {0, 1})
  void queryWithinTheBudgetScansAll(int store) {
    var exactly = new QueryBudget(1, EVENTS, LONG);
    try (StoreView view = stores.get(store).view();
        var reader = RangeReader.open(view, RangeQuery.ALL.withFilter(NOTHING), exactly)) {
      assertEquals(EVENTS, scanned(reader));
    }
  }

  @ParameterizedTest(name = "store {0}")
  @ValueSource(ints = {0, 1})
  void eventBudgetEndsTheQuery(int store) {
    var few = new QueryBudget(1, 10_000, LONG);
    try (StoreView view = stores.get(store).view();
        var reader = RangeReader.open(view, RangeQuery.ALL.withFilter(NOTHING), few)) {
      assertThrows(QueryException.OverBudget.class, reader::next);
      assertTrue(reader.eventsScanned() > 10_000);
      assertTrue(reader.eventsScanned() <= 10_000 + ScanWatch.EVENTS_BETWEEN);
    }
  }

  @ParameterizedTest(name = "store {0}")
  @ValueSource(ints = {0, 1})
  void cancelEndsTheQueryEarly(int store) {
    try (StoreView view = stores.get(store).view();
        var reader =
            RangeReader.open(view, RangeQuery.ALL.withFilter(NOTHING), QueryBudget.DEFAULT)) {
      long[] cancelledAt = new long[1];
      reader.onProgress(() -> {
        if (reader.eventsScanned() > EVENTS / 2 && cancelledAt[0] == 0) {
          cancelledAt[0] = reader.eventsScanned();
          reader.cancel();
        }
      });
      assertThrows(QueryException.Stopped.class, reader::next);
      long more = reader.eventsScanned() - cancelledAt[0];
      assertTrue(more <= ScanWatch.EVENTS_BETWEEN, more + " more");
    }
  }

  /// The types and ids of all events. `each` is called after each of them.
  private static List<String> ids(
      EmbeddedStore store, boolean descending, QueryMemory memory, Runnable each) {
    List<String> ids = new ArrayList<>();
    RangeQuery query = RangeQuery.ALL.withDescending(descending);
    try (StoreView view = store.view();
        var reader = RangeReader.open(view, query, QueryBudget.DEFAULT, memory)) {
      while (reader.next() == EventCursor.Step.EVENT) {
        ids.add(reader.event().type() + reader.event().id());
        each.run();
      }
    }
    return ids;
  }

  /// The same, by the only reader of a memory, which stays within it.
  private static List<String> ids(EmbeddedStore store, boolean descending, QueryMemory memory) {
    Runnable within =
        () -> assertTrue(memory.bytesUsed() <= memory.bytesMax(), memory.bytesUsed() + " bytes");
    List<String> ids = ids(store, descending, memory, within);
    assertEquals(0, memory.bytesUsed());
    return ids;
  }

  /// What does not fit is read in slices; only where not even these fit, a query is refused.
  @Test
  void memoryBudgetIsSharedAndGivenBack() {
    List<String> all = ids(stores.get(1), false, QueryMemory.unlimited());
    assertEquals(EVENTS, all.size());
    assertEquals(all, ids(stores.get(1), false, new QueryMemory(1 << 18)));
    QueryMemory memory = new QueryMemory((1 << 10) + 100);
    try (StoreView view = stores.get(1).view()) {
      try (var reader = RangeReader.open(view, RangeQuery.ALL, QueryBudget.DEFAULT, memory)) {
        var refused = assertThrows(QueryException.OverBudget.class, reader::next);
        assertTrue(String.valueOf(refused.getMessage()).contains("bytes of memory"));
        assertTrue(memory.bytesUsed() > memory.bytesMax());
      }
      assertEquals(0, memory.bytesUsed());
      assertEquals(1, memory.refused());
    }
    QueryMemory enough = new QueryMemory(64 << 20);
    try (StoreView view = stores.get(1).view();
        var reader = RangeReader.open(view, RangeQuery.ALL, QueryBudget.DEFAULT, enough)) {
      assertEquals(EventCursor.Step.EVENT, reader.next());
      assertTrue(enough.bytesUsed() > 1 << 18, enough.bytesUsed() + " bytes");
    }
    assertEquals(0, enough.bytesUsed());
  }

  /// A block takes 128 KiB to decompress it alone, so a block of each type does not fit.
  @Test
  void aMergeOfManyBlocksNeedsTheMemoryOfFew() {
    List<Stored> events = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      String body = "GET /cart/" + i + " of " + i % 97;
      events.add(new Stored("app" + i % 40, START + i * 1_000L, Map.of("body", body)));
    }
    StoreConfig config = StoreConfig.at(directory.resolve("types"));
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run)) {
      StoreDirectory.append(store, events);
      store.sealAll();
      for (boolean descending : List.of(false, true)) {
        List<String> all = ids(store, descending, QueryMemory.unlimited());
        assertEquals(EVENTS, all.size());
        QueryMemory memory = new QueryMemory(1 << 20);
        assertEquals(all, ids(store, descending, memory));
        assertEquals(0, memory.refused());
        assertEveryReaderIsAnswered(store, descending, all);
      }
    }
  }

  /// Readers at the same time share the memory and take turns.
  private static void assertEveryReaderIsAnswered(
      EmbeddedStore store, boolean descending, List<String> all) {
    QueryMemory memory = new QueryMemory(4 << 20);
    List<CompletableFuture<List<String>>> answers = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (int i = 0; i < 8; i++) {
        answers.add(
            CompletableFuture.supplyAsync(() -> ids(store, descending, memory, () -> {}), threads));
      }
    }
    answers.forEach(answer -> assertEquals(all, answer.join()));
    assertEquals(0, memory.bytesUsed());
    assertEquals(0, memory.refused());
  }

  /// Cursors whose turn never comes count as well: of thousands of types, a query for the latest
  /// events opens the blocks of a few.
  @Test
  void partitionsCountBeforeTheirBlocksAreOpen() {
    QueryMemory memory = new QueryMemory(100);
    try (StoreView view = stores.getFirst().view(); // its rows are open, so there are no blocks
        var reader = RangeReader.open(view, RangeQuery.ALL, QueryBudget.DEFAULT, memory)) {
      assertThrows(QueryException.OverBudget.class, reader::next);
    }
    assertEquals(0, memory.bytesUsed());
  }

  @Test
  void deadlineEndsTheQuery() {
    var brief = new QueryBudget(1, Long.MAX_VALUE, Duration.ofNanos(1));
    try (StoreView view = stores.getFirst().view();
        var reader = RangeReader.open(view, RangeQuery.ALL.withFilter(NOTHING), brief)) {
      var stopped = assertThrows(QueryException.Stopped.class, reader::next);
      assertTrue(String.valueOf(stopped.getMessage()).contains("longer than its budget"));
    }
  }
}
