package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.RecordView;
import io.widerow.event.TimeUuid;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.Filter;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a query returns exactly the events of its range, types and filter, in order, for any
/// partitions, however few of them may be open at once; and pages of any size add up to the same
/// answer. Method: random events in partitions of mixed widths and shards, some with equal ids in
/// different types; compare with a sorted list. The seed is the test's name; to replay one, run
/// with `-Dseed=<n>`.
class RangeReaderModelTest {
  private static final long START = 1_000_000L * PartitionKey.NANOS_PER_MINUTE * 24;
  private static final List<String> TYPES = List.of("nginx.access", "nginx.error", "cpu", "disk");
  private static final int[] WIDTHS = {60, 60, 1_440, 15};

  private final List<Long> offsets = new ArrayList<>();

  private void fill(MemoryView view, SplittableRandom random) {
    int events = random.nextInt(1, 400);
    long span = random.nextBoolean() ? 4_000_000_000_000L : 200_000_000_000_000L;
    long counter = 0;
    for (int i = 0; i < events; i++) {
      int type = random.nextInt(TYPES.size());
      long time = START + random.nextLong(span) / 1_000 * (random.nextInt(4) == 0 ? 0 : 1_000);
      byte[] name = TYPES.get(type).getBytes(StandardCharsets.UTF_8);
      EventId id =
          new EventId(
              TimeUuid.timeOfNanos(time),
              TimeUuid.tailOf(time, 0, random.nextInt(8) == 0 ? 7 : counter++));
      long offset = view.batch.bytes();
      view.batch.begin(name, 0, name.length, id);
      view.batch.putLong(new byte[] {'n'}, 0, 1, random.nextInt(10));
      assertEquals(null, view.batch.end());
      RecordView shown = view.show(offset);
      boolean isTwice =
          offsets.stream()
              .anyMatch(other -> MemoryView.order().compare(view.show(other), shown) == 0);
      if (!isTwice) {
        int width = WIDTHS[type];
        int bucket = PartitionKey.bucketOf(shown.timeNanos(), width);
        view.place(new PartitionKey(bucket, width, TYPES.get(type), random.nextInt(3)), offset);
        offsets.add(offset);
      }
    }
    offsets.sort((a, b) -> MemoryView.order().compare(view.show(a), view.show(b)));
  }

  private static RangeQuery query(SplittableRandom random) {
    long from = START + random.nextLong(100_000_000_000_000L) - 1_000_000_000_000L;
    RangeQuery query = RangeQuery.ALL.withDescending(random.nextBoolean());
    if (random.nextBoolean()) {
      query = query.withRange(from, from + random.nextLong(1, 200_000_000_000_000L));
    }
    if (random.nextBoolean()) {
      query = query.withTypes(new TypeGlobs(List.of("nginx*", "d?sk")));
    }
    if (random.nextBoolean()) {
      query =
          query.withFilter(
              new Filter.Compare(
                  AttributeName.of("n"),
                  Filter.Comparison.LESS,
                  new Filter.Literal.Whole(random.nextInt(11))));
    }
    return query;
  }

  private List<String> expected(MemoryView view, RangeQuery query) {
    List<String> tokens = new ArrayList<>();
    for (long offset : offsets) {
      RecordView event = view.show(offset);
      boolean inRange =
          event.timeNanos() >= query.fromNanos() && event.timeNanos() < query.untilNanos();
      if (inRange
          && query.types().test(event.type())
          && FilterEvaluation.keeps(query.filter(), event, new io.widerow.event.AttributeValue())) {
        tokens.add(Token.of(event).toString());
      }
    }
    if (query.descending()) {
      Collections.reverse(tokens);
    }
    return tokens;
  }

  private static List<String> read(MemoryView view, RangeQuery query) {
    return read(view, query, QueryBudget.DEFAULT);
  }

  private static List<String> read(MemoryView view, RangeQuery query, QueryBudget budget) {
    List<String> tokens = new ArrayList<>();
    try (RangeReader reader = RangeReader.open(view, query, budget)) {
      while (reader.next() == Step.EVENT) {
        tokens.add(Token.of(reader.event()).toString());
      }
      assertEquals(Step.END, reader.next(), "END is final");
    }
    return tokens;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void answerEqualsSortedListAtOnceAndByPages(long seed) {
    var random = new SplittableRandom(seed);
    try (var view = new MemoryView()) {
      fill(view, random);
      for (int i = 0; i < 10; i++) {
        RangeQuery query = query(random);
        List<String> expected = expected(view, query);
        var few = new QueryBudget(random.nextInt(1, 5), Long.MAX_VALUE, Duration.ofMinutes(1));
        assertEquals(expected, read(view, query));
        assertEquals(expected, read(view, query, few));
        assertEquals(expected, inRounds(view, query, random));
        assertEquals(
            expected.stream().sorted().toList(),
            inAnyOrder(view, query, few).stream().sorted().toList());

        List<String> paged = new ArrayList<>();
        RangeQuery page = query;
        while (true) {
          List<String> part = read(view, page.withLimit(random.nextInt(1, 20)), few);
          if (part.isEmpty()) {
            break;
          }
          paged.addAll(part);
          page = page.withAfter(Token.parse(part.getLast()));
        }
        assertEquals(expected, paged);
      }
    }
  }

  /// All partitions as one group, in rounds of a few events.
  private static List<String> inRounds(MemoryView view, RangeQuery query, SplittableRandom random) {
    List<PartitionKey> keys =
        view.partitions(query.types(), query.fromNanos(), query.untilNanos()).stream()
            .map(PartitionInfo::key)
            .toList();
    if (keys.isEmpty()) {
      return List.of();
    }
    List<List<PartitionKey>> sets = RoundCursor.sets(keys, random.nextInt(1, 5));
    assertEquals(keys.size(), sets.stream().mapToInt(List::size).sum());
    List<String> tokens = new ArrayList<>();
    long[] held = {0};
    Scan scan =
        query.toScan().withWatch(new ScanWatch(() -> {}, bytesMore -> held[0] += bytesMore));
    try (var rounds = new RoundCursor(view, sets, scan, random.nextInt(1, 9), () -> {})) {
      while (rounds.next() == Step.EVENT) {
        tokens.add(Token.of(rounds.event()).toString());
      }
      assertEquals(Step.END, rounds.next(), "END is final");
    }
    assertEquals(0, held[0], "all memory is given back");
    return tokens;
  }

  private static List<String> inAnyOrder(MemoryView view, RangeQuery query, QueryBudget budget) {
    List<String> tokens = new ArrayList<>();
    try (RangeReader reader =
        RangeReader.open(view, query, ReadMode.ANY_ORDER, budget, QueryMemory.unlimited())) {
      while (reader.next() == Step.EVENT) {
        tokens.add(Token.of(reader.event()).toString());
      }
    }
    return tokens;
  }

  @Test
  void limitedQueryOpensNoFurtherGroups() {
    var random = new SplittableRandom(1);
    try (var view = new MemoryView()) {
      fill(view, random);
      for (boolean descending : new boolean[] {false, true}) {
        view.opened = 0;
        view.planned = 0;
        RangeQuery one = RangeQuery.ALL.withDescending(descending).withLimit(1);
        assertEquals(1, read(view, one).size());
        assertEquals(1, view.opened);
        assertEquals(1, view.planned);
      }
    }
  }

  @Test
  void budgetAndCancelEndAQuery() {
    try (var view = new MemoryView()) {
      fill(view, new SplittableRandom(2));
      var few = new QueryBudget(4_096, 1, Duration.ofMinutes(1));
      var error =
          assertThrows(
              QueryException.OverBudget.class,
              () -> {
                try (var reader = RangeReader.open(view, RangeQuery.ALL, few)) {
                  while (reader.next() == Step.EVENT) {
                    // reads on until the budget ends it
                  }
                }
              });
      assertEquals(true, String.valueOf(error.getMessage()).contains("events scanned"));
      try (var reader = RangeReader.open(view, RangeQuery.ALL, QueryBudget.DEFAULT)) {
        reader.cancel();
        assertThrows(QueryException.Stopped.class, reader::next);
      }
    }
  }

  @Test
  void mistypedTokenIsRefused() {
    String token = new Token(EventId.leastOf(START), "cpu").toString();
    assertEquals(token, Token.parse(token).toString());
    for (int i = 0; i < token.length(); i++) {
      char other = token.charAt(i) == 'A' ? 'B' : 'A';
      String changed = token.substring(0, i) + other + token.substring(i + 1);
      assertThrows(QueryException.Refused.class, () -> Token.parse(changed), changed);
      String cut = token.substring(0, i);
      assertThrows(QueryException.Refused.class, () -> Token.parse(cut), cut);
    }
  }
}
