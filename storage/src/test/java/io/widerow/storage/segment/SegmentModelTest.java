package io.widerow.storage.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.FoldedText;
import io.widerow.event.PartitionKey;
import io.widerow.event.Text;
import io.widerow.event.TimeUuid;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import io.widerow.faults.TestEvent;
import io.widerow.faults.TestEvent.Bits;
import io.widerow.faults.TestEvent.Words;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.Filter.Literal;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.ReadingThreads;
import io.widerow.storage.Scan;
import io.widerow.storage.scan.BlockReaderPool;
import io.widerow.storage.scan.BlockReaders;
import io.widerow.storage.scan.Prefetch;
import io.widerow.storage.scan.SegmentCursor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a segment shows exactly the written events, whatever their shape, and for any range,
/// direction, projection and filter. Method: write random events in random forms, scan at random,
/// compare with a plain list. The seed is the test's name; to replay one, run with `-Dseed=<n>`.
class SegmentModelTest {
  private static final UUID STORE = new UUID(1, 2);
  private static final Path FILE = Path.of("model.seg");
  private static final List<String> NASTY =
      List.of(
          "",
          "\0",
          "0",
          "-0",
          "007",
          "00",
          "-",
          "a\nb\n\tc",
          "\"",
          "\"open",
          "\"a\" \"b\"",
          "[2016-12-19 16:31:47,999] x",
          "10:05:03",
          "10:05:03Z a",
          "24:00:00",
          "10:05:03.123",
          "é漢😀",
          "999999999999999999",
          "1000000000000000000",
          "-17",
          "19.5",
          "0017",
          "1e2",
          "17.0",
          " 17",
          "x=1, y=2",
          "[[[]]]",
          "    ",
          "99:99:99",
          "18446744073709551616",
          "GET /a/b?c=d&e=f HTTP/1.1",
          "%s %d \\n");

  static List<Long> seeds() {
    return Seeds.of(Slice.of(12, 60));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void scansShowWhatAListShows(long seed) {
    var random = new SplittableRandom(seed);
    var disk = new MemoryDisk();
    var key = new PartitionKey(60, 60, "t", 3);
    List<TestEvent> model = events(random, random.nextInt(1, 600));
    SegmentProfile form =
        new SegmentProfile(
            random.nextBoolean() ? 1 : 7,
            random.nextInt(1, 300),
            random.nextInt(1, 1 << 16),
            random.nextInt(0, 9));
    SegmentSummary summary;
    try (var writer = new SegmentWriter(disk, FILE, STORE, 7, form)) {
      writer.begin(new PartitionKey(0, 60, "empty", 0));
      writer.begin(key);
      model.forEach(writer::add);
      summary = writer.finish();
    }
    assertEquals(disk.bytes(FILE).length, summary.bytes());
    assertEquals(model.size(), summary.events());
    try (Segment segment = Segment.open(disk, FILE, STORE, 7)) {
      segment.verify();
      assertEquals(summary.partitions(), segment.partitions());
      for (int i = 0; i < 12; i++) {
        try (BlockReaderPool shared = new BlockReaderPool()) {
          BlockReaders helpers = helpers(random, shared);
          compare(segment, key, scan(random, model), model, helpers);
          compare(segment, key, scan(random, model), model, helpers); // which are used again
        }
      }
    }
  }

  /// Helpers: none, threads that run at once, or threads that never run.
  private static BlockReaders helpers(SplittableRandom random, BlockReaderPool shared) {
    int who = random.nextInt(3);
    shared.helpWith(new ReadingThreads(null, who == 1 ? ForkJoinPool.commonPool() : _ -> {}));
    return who == 0 ? BlockReaders.NONE : BlockReaders.of(shared);
  }

  /// More names than a writer remembers, some of them carried over from block to block.
  @Test
  void columnsThatComeAndGoAreShown() {
    var disk = new MemoryDisk();
    var key = new PartitionKey(60, 60, "t", 3);
    List<TestEvent> model = new ArrayList<>();
    for (int i = 0; i < 9_000; i++) {
      TreeMap<AttributeName, Object> attributes = new TreeMap<>();
      attributes.put(AttributeName.of("n" + i), new Bits(AttributeKind.LONG, i));
      attributes.put(AttributeName.of("n" + i / 700), new Bits(AttributeKind.LONG, 7L * i));
      model.add(
          new TestEvent(new EventId(1_000 + i, TimeUuid.tailOf(0, 1, i)), 0, "t", attributes));
    }
    try (var writer =
        new SegmentWriter(disk, FILE, STORE, 7, new SegmentProfile(1, 512, 1 << 20, 8))) {
      writer.begin(key);
      model.forEach(writer::add);
      writer.finish();
    }
    try (Segment segment = Segment.open(disk, FILE, STORE, 7)) {
      compare(segment, key, Scan.all(), model, BlockReaders.NONE);
    }
  }

  private static void compare(
      Segment segment, PartitionKey key, Scan scan, List<TestEvent> model, BlockReaders helpers) {
    List<TestEvent> expected = new ArrayList<>();
    var scratch = new AttributeValue();
    for (TestEvent event : model) {
      if (event.id().compareTo(scan.from()) >= 0
          && event.id().compareTo(scan.until()) < 0
          && FilterEvaluation.keeps(scan.filter(), event, scratch)) {
        expected.add(event.only(scan.columns()));
      }
    }
    if (scan.descending()) {
      expected = expected.reversed();
    }
    List<TestEvent> found = new ArrayList<>();
    try (EventCursor cursor = SegmentCursor.open(segment, key, scan, helpers, Prefetch.OFF)) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        found.add(TestEvent.copyOf(cursor.event()));
      }
      assertEquals(found.size(), cursor.statistics().eventsKept());
    }
    assertEquals(expected, found, () -> "" + scan);
  }

  private static Scan scan(SplittableRandom random, List<TestEvent> model) {
    EventId from = model.get(random.nextInt(model.size())).id();
    EventId until = model.get(random.nextInt(model.size())).id();
    Scan scan =
        Scan.all().withDescending(random.nextBoolean()).withFilter(filter(random, model, 0));
    if (random.nextBoolean()) {
      scan = scan.withRange(from, random.nextBoolean() ? until : until.next());
    }
    if (random.nextInt(3) == 0) {
      Set<AttributeName> columns = new HashSet<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        columns.add(name(random));
      }
      scan = scan.withColumns(columns);
    }
    return scan;
  }

  private static Filter filter(SplittableRandom random, List<TestEvent> model, int depth) {
    return switch (random.nextInt(depth > 2 ? 11 : 14) - 5) {
      case -5 -> ofOtherKind(name(random), random.nextBoolean());
      case -4 -> new Filter.ContainsFolded(name(random), FoldedText.of(needle(random)));
      case -3 -> {
        String type = random.nextBoolean() ? "t" : "u";
        yield new Filter.OfType(
            new Filter.Compare(name(random), comparison(random), new Literal.Word(Text.of(type))));
      }
      case -2 -> new Filter.OfTime(comparison(random), any(random, model).timeNanos());
      case -1 -> new Filter.OfId(any(random, model).id());
      case 0 -> new Filter.Everything();
      case 1 -> new Filter.Exists(name(random));
      case 2 -> new Filter.Compare(name(random), comparison(random), literal(random));
      case 3 -> new Filter.Contains(name(random), Text.of(needle(random)));
      case 4 -> new Filter.Matches(name(random), (_, _, length) -> length % 2 == 0);
      case 5 -> new Filter.Has(name(random), Text.of(needle(random)));
      case 6 -> new Filter.Not(filter(random, model, depth + 1));
      case 7 ->
          new Filter.And(
              List.of(filter(random, model, depth + 1), filter(random, model, depth + 1)));
      default ->
          new Filter.Or(
              List.of(filter(random, model, depth + 1), filter(random, model, depth + 1)));
    };
  }

  /// Values of an attribute that are no texts, or no numbers: the directory may rule them out.
  private static Filter ofOtherKind(AttributeName name, boolean text) {
    Literal least =
        text ? new Literal.Word(Text.of("")) : new Literal.Fraction(Double.NEGATIVE_INFINITY);
    Filter ofKind = new Filter.Compare(name, Comparison.GREATER_OR_EQUAL, least);
    return new Filter.And(List.of(new Filter.Exists(name), new Filter.Not(ofKind)));
  }

  private static Comparison comparison(SplittableRandom random) {
    var all = Comparison.values();
    return all[random.nextInt(all.length)];
  }

  private static TestEvent any(SplittableRandom random, List<TestEvent> model) {
    return model.get(random.nextInt(model.size()));
  }

  private static String needle(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> " GET ";
      case 1 -> "/path" + random.nextInt(40);
      case 2 -> " " + random.nextInt(100) + " ";
      default -> "user" + random.nextInt(2000) + " ";
    };
  }

  private static Literal literal(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> new Literal.Word(Text.of(NASTY.get(random.nextInt(NASTY.size()))));
      case 1 -> new Literal.Whole(random.nextInt(-5, 200));
      case 2 -> new Literal.Fraction(random.nextInt(400) / 4.0 - 2);
      default -> new Literal.Truth(random.nextBoolean());
    };
  }

  private static AttributeName name(SplittableRandom random) {
    return AttributeName.of("a" + random.nextInt(8));
  }

  private static List<TestEvent> events(SplittableRandom random, int count) {
    List<TestEvent> events = new ArrayList<>();
    boolean own = random.nextInt(4) == 0;
    boolean sparse = random.nextBoolean();
    long nanos = 3_600_000_000_000L;
    long unit = List.of(1L, 100L, 1_000_000L, 1_000_000_000L).get(random.nextInt(4));
    TreeMap<EventId, TestEvent> sorted = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      nanos += unit * random.nextInt(3);
      long tail =
          own && random.nextInt(3) == 0
              ? EventId.of(new UUID(0x1000, 0x8000_0000_0000_0000L | random.nextLong() >>> 2))
                  .tail()
              : TimeUuid.tailOf(nanos, 5, 1_000_000 + i);
      TreeMap<AttributeName, Object> attributes = new TreeMap<>();
      for (int column = 0; column < 8; column++) {
        if (!sparse || random.nextInt(1 + column) == 0) {
          attributes.put(AttributeName.of("a" + column), value(random, column, i));
        }
      }
      EventId id = new EventId(TimeUuid.timeOfNanos(nanos), tail);
      sorted.put(id, new TestEvent(id, own ? i + 1L : 0, "t", attributes));
    }
    events.addAll(sorted.values());
    return events;
  }

  private static Object value(SplittableRandom random, int column, int i) {
    int shape = random.nextInt(40) == 0 ? random.nextInt(8) : column;
    return switch (shape) {
      case 0 ->
          words(
              ("10.0.%d.%d - - [17/May/2015:%02d:%02d:%02d +0000]"
                      + " \"GET /path%d HTTP/1.1\" %d %s user%d ")
                  .formatted(
                      random.nextInt(3),
                      random.nextInt(250),
                      i / 3600 % 24,
                      i / 60 % 60,
                      i % 60,
                      random.nextInt(60),
                      random.nextInt(2) * 100 + 200,
                      random.nextInt(9) == 0 ? "-" : "" + random.nextInt(5000),
                      i));
      case 1 -> words(NASTY.get(random.nextInt(NASTY.size())));
      case 2 -> words("level" + random.nextInt(4));
      case 3 -> new Bits(AttributeKind.LONG, random.nextInt(200));
      case 4 ->
          new Bits(AttributeKind.LONG, random.nextInt(9) == 0 ? random.nextLong() : i * 1000L);
      case 5 ->
          new Bits(
              AttributeKind.DOUBLE,
              Double.doubleToRawLongBits(
                  random.nextInt(30) == 0
                      ? List.of(-0.0, Double.NaN, Double.POSITIVE_INFINITY, 1e300, Double.MIN_VALUE)
                          .get(random.nextInt(5))
                      : random.nextInt(1000) / 8.0));
      case 6 -> new Bits(AttributeKind.BOOLEAN, random.nextInt(2));
      default -> {
        byte[] bytes = new byte[random.nextInt(20)];
        for (int at = 0; at < bytes.length; at++) {
          bytes[at] = (byte) random.nextInt(256);
        }
        yield Words.of(AttributeKind.BYTES, bytes);
      }
    };
  }

  private static Words words(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    assertTrue(utf8.length < 1000);
    return Words.of(AttributeKind.STRING, utf8);
  }
}
