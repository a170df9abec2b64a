package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.faults.Seeds;
import io.widerow.query.output.JsonLinesWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.result.QueryResult;
import io.widerow.questions.OracleEvents;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.EventStore;
import io.widerow.storage.Filter;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the answer to a query is the sorted list, in both directions and page by page, for any
/// number of lanes and shards, and for open, sealed, merged and reopened data. Lines of events
/// whose ids the sender chose are the same bytes in every store. Method: write the same events to
/// three stores on disk: 100,000 of them, 2 million with `-Plong`. `-Dseed=<n>` replays.
@Tag("deep")
class StoreOracleTest {
  private static final AttributeName NUMBER = AttributeName.of("n");
  private static final int[][] LANES_AND_SHARDS = {{1, 3}, {2, 4}, {4, 4}};
  private static final TypeGlobs OWN = new TypeGlobs(List.of("own?*"));
  private static final int QUERIES = 3;

  @TempDir Path directory;

  private final long seed = Seeds.one();
  private final SplittableRandom random = new SplittableRandom(seed);
  private final OracleEvents events =
      new OracleEvents(Integer.getInteger("oracle.events", 100_000), random);
  private final Set<String> lines = new HashSet<>(); // digests of answers

  @Test
  void answersEqualTheSortedListInEveryState() throws InterruptedException {
    int[] sorted = events.sorted();
    int half = events.count() / 2;
    for (int[] form : LANES_AND_SHARDS) {
      Path store = directory.resolve("lanes-" + form[0]);
      StoreConfig first = config(store, form[0], form[1]);
      try (EmbeddedStore open = EmbeddedStore.open(first, Runnable::run)) {
        events.write(open, 0, half);
      }
      // Reopened with another number of shards for the second half.
      StoreConfig config = config(store, form[0], form[1] + form[0]);
      try (EmbeddedStore open = EmbeddedStore.open(config, Runnable::run)) {
        events.write(open, half, events.count());
        assertTrue(open.statistics().openEvents() > 0, "some are open, some sealed");
        check(open, sorted, form[0] + " lanes, open");
        open.sealAll();
        open.awaitBackground();
        assertEquals(0, open.statistics().openEvents());
        check(open, sorted, form[0] + " lanes, sealed");
        open.maintain();
        open.awaitBackground();
        assertTrue(open.statistics().merged() > 0, "some segments are merged");
        check(open, sorted, form[0] + " lanes, merged");
      }
      try (EmbeddedStore read = EmbeddedStore.openForReading(store)) {
        check(read, sorted, form[0] + " lanes, read only");
      }
    }
    assertEquals(1, lines.size(), "the same bytes everywhere; seed " + seed);
  }

  private static StoreConfig config(Path directory, int lanes, int shards) {
    return StoreConfig.at(directory)
        .withLanes(lanes, shards)
        .withBuckets(60, Map.of("cpu", 1_440, "disk", 15, "own.a", 240))
        .withMemory(16L << 20, Duration.ofHours(1))
        .withJournal(8 << 20, 64 << 20)
        .withDiskReserveBytes(0)
        .withAges(Duration.ZERO, null);
  }

  private void check(EventStore store, int[] sorted, String state) {
    String what = state + ", seed " + seed;
    try (StoreView view = store.view()) {
      assertArrayEquals(sorted, read(view, RangeQuery.ALL, sorted.length), what);
      int[] reversed = reversed(sorted);
      RangeQuery backwards = RangeQuery.ALL.withDescending(true);
      assertArrayEquals(reversed, read(view, backwards, sorted.length), what);
      assertArrayEquals(sorted, pages(view, RangeQuery.ALL, sorted.length), what);
      assertArrayEquals(reversed, pages(view, backwards, sorted.length), what);
      for (int i = 0; i < QUERIES; i++) {
        RangeQuery query = query();
        int[] expected = expected(sorted, query);
        assertArrayEquals(expected, read(view, query, sorted.length), what + ", " + query);
        assertArrayEquals(expected, pages(view, query, sorted.length), what + ", " + query);
      }
      lines.add(digest(view));
    }
  }

  private static int[] reversed(int[] numbers) {
    return IntStream.range(0, numbers.length).map(i -> numbers[numbers.length - 1 - i]).toArray();
  }

  private RangeQuery query() {
    long from = OracleEvents.START - OracleEvents.SPAN + random.nextLong(2 * OracleEvents.SPAN);
    from -= random.nextBoolean() ? from % 1_000_000 : 0;
    RangeQuery query =
        RangeQuery.ALL
            .withRange(from, from + random.nextLong(1, OracleEvents.SPAN / 2))
            .withDescending(random.nextBoolean());
    if (random.nextBoolean()) {
      query = query.withTypes(new TypeGlobs(List.of("access*", "own.?", "nothing")));
    }
    if (random.nextBoolean()) {
      var literal = new Filter.Literal.Whole(random.nextInt(events.count()));
      query = query.withFilter(new Filter.Compare(NUMBER, Filter.Comparison.LESS, literal));
    }
    return query;
  }

  private int[] expected(int[] sorted, RangeQuery query) {
    long least =
        query.filter() instanceof Filter.Compare(var _, var _, Filter.Literal.Whole(long value))
            ? value
            : Long.MAX_VALUE;
    int[] kept =
        Arrays.stream(sorted)
            .filter(i ->
                events.nanos(i) >= query.fromNanos()
                    && events.nanos(i) < query.untilNanos()
                    && i < least
                    && query.types().test(events.type(i)))
            .toArray();
    return query.descending() ? reversed(kept) : kept;
  }

  private static int[] read(StoreView view, RangeQuery query, int most) {
    int[] numbers = new int[most];
    int count = 0;
    AttributeValue value = new AttributeValue();
    try (RangeReader reader = RangeReader.open(view, query, QueryBudget.DEFAULT)) {
      while (reader.next() == Step.EVENT) {
        assertTrue(reader.event().find(NUMBER, value));
        numbers[count++] = (int) value.bits();
      }
    }
    return Arrays.copyOf(numbers, count);
  }

  /// The answer as text, in pages of random sizes, each from the token of the page before.
  private int[] pages(StoreView view, RangeQuery query, int most) {
    int[] numbers = new int[most];
    int count = 0;
    RangeQuery page = query;
    while (true) {
      int size = random.nextInt(1, 2 + most / 5);
      try (RangeReader reader = RangeReader.open(view, page.withLimit(size), QueryBudget.DEFAULT)) {
        Token[] token = new Token[1];
        AttributeValue value = new AttributeValue();
        int before = count;
        while (reader.next() == Step.EVENT) {
          assertTrue(reader.event().find(NUMBER, value));
          numbers[count++] = (int) value.bits();
          token[0] = count - before == size ? Token.of(reader.event()) : token[0];
        }
        if (count - before < size) {
          return Arrays.copyOf(numbers, count);
        }
        page = page.withAfter(Token.parse(token[0].toString()));
      }
    }
  }

  private static String digest(StoreView view) {
    try (RangeReader reader =
            RangeReader.open(view, RangeQuery.ALL.withTypes(OWN), QueryBudget.DEFAULT);
        QueryResult answer = new QueryResult(reader, new JsonLinesWriter(ZoneOffset.UTC), null)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      OutputBuffer sink = new OutputBuffer(1 << 16);
      while (answer.writeNext(sink)) {
        if (sink.length() > 1 << 15) {
          digest.update(sink.bytes(), 0, sink.length());
          sink.clear();
        }
      }
      digest.update(sink.bytes(), 0, sink.length());
      assertTrue(answer.events() > 0);
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException missing) {
      throw new AssertionError(missing);
    }
  }
}
