package io.widerow.storage.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.Text;
import io.widerow.event.TimeUuid;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Grouping;
import io.widerow.storage.ReadingThreads;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView.Span;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentProfile;
import io.widerow.storage.segment.SegmentSizes;
import io.widerow.storage.sketch.EventRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: runs of events stand for exactly the events that the filter, the range and the spans keep,
/// with the attributes, the time, the arrival and the number of each. Method: random samples, with
/// numbers of both kinds or none, attributes that come and go, and texts that never repeat; each
/// run is taken apart and compared with the events that a cursor shows.
class BlockRunsTest {
  private static final Path FILE = Path.of("runs.seg");
  private static final long START = 1_700_000_000_000_000_000L;
  private static final AttributeName VALUE = AttributeName.of("value");
  private static final AttributeName HOST = AttributeName.of("host");

  private final MemoryDisk disk = new MemoryDisk();

  private static List<TestEvent> events(SplittableRandom random) {
    List<TestEvent> events = new ArrayList<>();
    int hosts = 1 + random.nextInt(40);
    boolean unique = random.nextInt(4) == 0;
    boolean marked = random.nextBoolean();
    long nanos = START;
    for (int i = 0; i < 3_000; i++) {
      nanos += random.nextInt(3) * (long) random.nextInt(2_000_000_000);
      TreeMap<AttributeName, Object> attributes = new TreeMap<>();
      TestEvent.putText(attributes, "host", "h" + random.nextInt(hosts));
      if (random.nextInt(3) > 0) {
        TestEvent.putText(attributes, "job", "j" + random.nextInt(3));
      }
      if (unique) {
        TestEvent.putText(attributes, "trace", Long.toHexString(random.nextLong()));
      }
      if (marked && random.nextInt(50) == 0) {
        TestEvent.putBits(
            attributes,
            "exemplar",
            AttributeKind.DOUBLE,
            Double.doubleToRawLongBits(random.nextDouble()));
      }
      TestEvent.putBits(attributes, "start", AttributeKind.LONG, START + random.nextInt(2));
      switch (random.nextInt(5)) {
        case 0 -> TestEvent.putBits(attributes, "value", AttributeKind.LONG, random.nextLong());
        case 1 -> TestEvent.putBits(attributes, "stale", AttributeKind.BOOLEAN, 1);
        default ->
            TestEvent.putBits(
                attributes,
                "value",
                AttributeKind.DOUBLE,
                Double.doubleToRawLongBits(random.nextDouble()));
      }
      EventId id = new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 1, 1_000 + i));
      events.add(new TestEvent(id, 0, "hits", attributes));
    }
    return events;
  }

  private static List<Span> spans(SplittableRandom random) {
    List<Span> spans = new ArrayList<>();
    long from = START;
    for (int i = random.nextInt(12); i > 0; i--) {
      from += random.nextLong(400_000_000_000L);
      long until = from + 1 + random.nextLong(200_000_000_000L);
      spans.add(new Span(from, until));
      from = until + 1;
    }
    return spans;
  }

  private static String shown(TestEvent event, long nanos, long arrival, @Nullable Object number) {
    TreeMap<AttributeName, Object> attributes = new TreeMap<>(event.attributes());
    if (number != null) {
      attributes.put(VALUE, number);
    }
    return nanos + " " + arrival + " " + attributes;
  }

  private List<String> runs(
      Segment segment, PartitionKey key, Scan scan, @Nullable Executor others) {
    BlockReaderPool shared = new BlockReaderPool();
    shared.helpWith(new ReadingThreads(null, others));
    BlockScan.Part all = new BlockScan.Part(key, scan, () -> segment);
    List<String> found = new ArrayList<>();
    try (EventCursor cursor =
        new BlockScan(List.of(all), scan, BlockReaders.of(shared), Prefetch.OFF)) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        EventRun run = (EventRun) cursor.event();
        TestEvent first = TestEvent.copyOf(run);
        assertEquals(run.size(), run.weight());
        assertEquals(first.timeNanos(), run.timeNanos(0));
        for (int i = 0; i < run.size(); i++) {
          Object number =
              first.attributes().get(VALUE) instanceof TestEvent.Bits(AttributeKind kind, long bits)
                  ? new TestEvent.Bits(kind, i == 0 ? bits : run.bits(i))
                  : null;
          assertTrue(number == null || number.equals(bits(number, run.bits(i))), "the first's");
          found.add(shown(first, run.timeNanos(i), run.arrival(i), number));
        }
      }
    }
    found.sort(null);
    return found;
  }

  private static Object bits(Object of, long bits) {
    return of instanceof TestEvent.Bits(AttributeKind kind, var _)
        ? new TestEvent.Bits(kind, bits)
        : of;
  }

  private static List<String> wanted(Segment segment, PartitionKey key, Scan scan) {
    List<String> wanted = new ArrayList<>();
    Grouping fold = scan.fold();
    Grouping.Runs runs = fold == null ? null : fold.runs();
    List<Span> spans = runs == null ? List.of() : runs.spans();
    try (EventCursor cursor = SegmentCursor.open(segment, key, scan.withFold(null))) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        TestEvent event = TestEvent.copyOf(cursor.event());
        long nanos = event.timeNanos();
        boolean inside =
            spans.size() < 2
                || spans.stream()
                    .anyMatch(each -> nanos >= each.fromNanos() && nanos < each.untilNanos());
        if (inside) {
          wanted.add(shown(event, nanos, event.arrival(), null));
        }
      }
    }
    wanted.sort(null);
    return wanted;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void runsStandForTheirEvents(long seed) {
    var random = new SplittableRandom(seed);
    List<TestEvent> events = events(random);
    SegmentSizes.write(
        disk, FILE, events, new SegmentProfile(1, 50 + random.nextInt(500), 1 << 20, 10));
    PartitionKey key = SegmentSizes.key(events);
    try (Segment segment = Segment.open(disk, FILE, new UUID(1, 2), 1)) {
      for (int i = 0; i < 5; i++) {
        Scan scan =
            Scan.ofTime(
                    START + random.nextLong(500_000_000_000L),
                    START + random.nextLong(4_000_000_000_000L))
                .withFold(Grouping.ofRuns(new Grouping.Runs(VALUE, spans(random))));
        if (random.nextBoolean()) {
          scan = scan.withFilter(new Filter.Contains(HOST, Text.of("1")));
        }
        List<String> wanted = wanted(segment, key, scan);
        assertEquals(wanted, runs(segment, key, scan, null));
        assertEquals(wanted, runs(segment, key, scan, task -> Thread.ofPlatform().start(task)));
      }
    }
  }

  @Test
  void samplesOfOneSeriesInABlockAreOneRun() {
    List<TestEvent> events = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      TreeMap<AttributeName, Object> attributes = new TreeMap<>();
      TestEvent.putText(attributes, "host", "h" + i % 10);
      TestEvent.putBits(
          attributes, "value", AttributeKind.DOUBLE, Double.doubleToRawLongBits(i * 1.5));
      long nanos = START + i * 1_000_000L;
      EventId id = new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 1, 1_000 + i));
      events.add(new TestEvent(id, 0, "hits", attributes));
    }
    SegmentSizes.write(disk, FILE, events, new SegmentProfile(1, 500, 1 << 20, 10));
    Scan scan = Scan.all().withFold(Grouping.ofRuns(new Grouping.Runs(VALUE, List.of())));
    PartitionKey key = SegmentSizes.key(events);
    try (Segment segment = Segment.open(disk, FILE, new UUID(1, 2), 1)) {
      BlockScan.Part all = new BlockScan.Part(key, scan, () -> segment);
      int runs = 0;
      long samples = 0;
      try (EventCursor cursor =
          new BlockScan(List.of(all), scan, BlockReaders.of(new BlockReaderPool()), Prefetch.OFF)) {
        while (cursor.next() == EventCursor.Step.EVENT) {
          samples += cursor.event().weight();
          runs++;
        }
      }
      assertEquals(1_000, samples);
      assertTrue(runs <= 40, runs + " runs of 10 series in 4 blocks");
    }
  }
}
