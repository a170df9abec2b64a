package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.LogqlParser;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.logql.run.LogRun;
import io.widerow.query.logql.run.LogqlContext;
import io.widerow.query.logql.run.ShownStreams;
import io.widerow.query.logql.run.StreamEntries;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor.Step;
import io.widerow.storage.Grouping;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a range has the events whose shown times are in it, also where its bounds lie within a
/// tick of 100 ns, whether the store or a sender chose the ids; and pages of Loki's clients lose no
/// line and end. Method: events of a few ticks with random tails, open and sealed, asked for with
/// every pair of bounds, and compared with a list.
class TickBoundsTest {
  private static final long TICK = 1_763_666_100_000_000_000L;
  private static final List<String> TYPES = List.of("assigned", "mixed", "own");

  @TempDir Path directory;

  private final TreeMap<Long, Long> times = new TreeMap<>(); // by number

  private EmbeddedStore open() {
    StoreConfig config =
        StoreConfig.at(directory)
            .withLanes(1, 1)
            .withMemory(8L << 20, Duration.ofMinutes(10))
            .withJournal(1 << 20, 4 << 20)
            .withAges(Duration.ZERO, null);
    return EmbeddedStore.open(config, Runnable::run);
  }

  private void write(EmbeddedStore store, SplittableRandom random, int count) {
    try (var batch = new EventBatch(1 << 12, 1 << 22)) {
      for (int i = 0; i < count; i++) {
        long number = times.size();
        int kind = i % TYPES.size();
        byte[] type = StoreDirectory.utf8(TYPES.get(kind));
        long time = TICK + random.nextInt(300);
        if (kind == 2 || (kind == 1 && random.nextBoolean())) {
          time -= time % TimeUuid.NANOS_PER_TICK;
          long tail = TimeUuid.tailOfHash(random.nextLong());
          batch.begin(type, 0, type.length, new EventId(TimeUuid.timeOfNanos(time), tail));
        } else {
          batch.begin(type, 0, type.length, time);
        }
        StoreDirectory.put(batch, "body", "" + number);
        StoreDirectory.put(batch, "n", number);
        assertNull(batch.end());
        times.put(number, time);
      }
      store
          .lane(0)
          .append(
              batch,
              times.size(),
              (index, why) -> {
                throw new AssertionError(index + ": " + why);
              });
      store.lane(0).commit(Durability.MEMORY);
    }
  }

  private List<Long> expected(long from, long until) {
    List<Long> numbers = new ArrayList<>();
    times.forEach((number, time) -> {
      if (time >= from && time < until) {
        numbers.add(number);
      }
    });
    return numbers;
  }

  private static long number(EventView event) {
    AttributeValue value = new AttributeValue();
    return event.find(AttributeName.of("n"), value) ? value.bits() : -1;
  }

  private static List<Long> numbers(RangeReader reader) {
    List<Long> numbers = new ArrayList<>();
    try (reader) {
      while (reader.nextWhenReady() == Step.EVENT) {
        numbers.add(number(reader.event()));
      }
    }
    return numbers;
  }

  private static RangeReader reader(StoreView view, RangeQuery query) {
    return reader(view, query, ReadMode.IN_ORDER);
  }

  private static RangeReader reader(StoreView view, RangeQuery query, ReadMode mode) {
    return RangeReader.open(view, query, mode, QueryBudget.DEFAULT, QueryMemory.unlimited());
  }

  /// By pages of seven, with tokens.
  private static List<Long> pages(StoreView view, RangeQuery query) {
    List<Long> all = new ArrayList<>();
    RangeQuery page = query.withLimit(7);
    while (true) {
      Token last = null;
      try (RangeReader reader = reader(view, page)) {
        while (reader.nextWhenReady() == Step.EVENT) {
          all.add(number(reader.event()));
          last = Token.of(reader.event());
        }
      }
      if (last == null) {
        return all;
      }
      page = page.withAfter(last);
    }
  }

  private static long counted(StoreView view, RangeQuery query, boolean cells) {
    long count = 0;
    Grouping all = new Grouping(List.of(), 0, cells);
    ReadMode mode = ReadMode.grouped(all).withKept(new ReadMode.Kept(null));
    try (RangeReader reader = reader(view, query, mode)) {
      while (reader.nextWhenReady() == Step.EVENT) {
        count += reader.event().weight();
      }
    }
    return count;
  }

  private void check(StoreView view) {
    List<Integer> bounds = List.of(-1, 0, 1, 7, 50, 99, 100, 101, 199, 200, 250, 299, 300, 301);
    for (int from : bounds) {
      for (int until : bounds) {
        if (from < until) {
          RangeQuery query = RangeQuery.ALL.withRange(TICK + from, TICK + until);
          List<Long> expected = expected(TICK + from, TICK + until);
          String what = from + " to " + until;
          assertEquals(expected, sorted(numbers(reader(view, query))), what);
          assertEquals(expected, sorted(pages(view, query)), what);
          assertEquals(expected, sorted(pages(view, query.withDescending(true))), what);
          assertEquals(expected, sorted(numbers(reader(view, query, ReadMode.ANY_ORDER))), what);
          assertEquals(expected.size(), counted(view, query, true), what);
          assertEquals(expected.size(), counted(view, query, false), what);
        }
      }
    }
  }

  private static List<Long> sorted(Collection<Long> numbers) {
    return numbers.stream().sorted().toList();
  }

  @Test
  void shownTimesDecideWithinATick() throws InterruptedException {
    var random = new SplittableRandom(4);
    try (EmbeddedStore store = open()) {
      write(store, random, 120);
      try (StoreView view = store.view()) {
        check(view);
      }
      store.sealAll();
      store.awaitBackground();
      write(store, random, 120);
      try (StoreView view = store.view()) {
        check(view);
      }
    }
  }

  @Test
  void clientsOfLokiGoOnAfterTheLastTimeAndSeeEachLineOnce() {
    var random = new SplittableRandom(5);
    try (EmbeddedStore store = open()) {
      write(store, random, 120);
      try (StoreView view = store.view()) {
        for (int limit : new int[] {1, 5, 40}) {
          assertEquals(expected(TICK, TICK + 300), sorted(forward(view, limit)), "limit " + limit);
          assertEquals(expected(TICK, TICK + 300), sorted(backward(view, limit)), "limit " + limit);
        }
      }
    }
  }

  private List<Long> forward(StoreView view, int limit) {
    List<Long> all = new ArrayList<>();
    long start = TICK - 5;
    while (true) {
      List<ShownStreams.Entry> page = page(view, start, TICK + 300, false, limit);
      if (page.isEmpty() || all.size() > times.size()) { // else without end where lines repeat
        return all;
      }
      page.forEach(line -> all.add(Long.valueOf(line.text())));
      start = page.stream().mapToLong(ShownStreams.Entry::timeNanos).max().orElseThrow() + 1;
    }
  }

  private List<Long> backward(StoreView view, int limit) {
    List<Long> all = new ArrayList<>();
    long end = TICK + 305;
    while (true) {
      List<ShownStreams.Entry> page = page(view, TICK, end, true, limit);
      if (page.isEmpty() || all.size() > times.size()) { // else without end where lines repeat
        return all;
      }
      page.forEach(line -> all.add(Long.valueOf(line.text())));
      end = page.stream().mapToLong(ShownStreams.Entry::timeNanos).min().orElseThrow();
    }
  }

  private static List<ShownStreams.Entry> page(
      StoreView view, long from, long until, boolean backward, int limit) {
    QueryMemory memory = QueryMemory.unlimited();
    LabelMapping labels = new LabelMapping(LabelMapping.DEFAULT);
    try (LogqlContext execution = new LogqlContext(view, labels, QueryBudget.DEFAULT, memory)) {
      StreamEntries entries = new StreamEntries(execution, false);
      new LogRun(execution, (LogQuery) LogqlParser.parse("{}"), entries)
          .read(from, until, backward, limit);
      return ShownStreams.all(entries);
    }
  }
}
