package io.widerow.storage.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.scan.SegmentCursor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: whatever names are requested, in whatever order, the values are the visible ones of the
/// current event. Method: events whose attributes and kinds change from block to block, random
/// requests, compared with the written events.
class ColumnProjectionTest {
  private static final Path FILE = Path.of("asked.seg");
  private static final int NAMES = 100; // more than are remembered
  private static final int EVENTS = 60;
  private static final SegmentProfile BLOCKS_OF_SEVEN = new SegmentProfile(1, 7, 2 << 20, 10);

  private static List<AttributeName> names() {
    return IntStream.range(0, NAMES).mapToObj(i -> AttributeName.of("n%02d".formatted(i))).toList();
  }

  private static List<AttributeName> some(List<AttributeName> all, int oneOf, Random random) {
    return all.stream().filter(_ -> random.nextInt(oneOf) == 0).toList();
  }

  private static List<TestEvent> events(Random random) {
    List<TestEvent> events = new ArrayList<>();
    List<AttributeName> all = names();
    for (int i = 0; i < EVENTS; i++) {
      if (i % 20 == 0) {
        all = some(names(), 1 + random.nextInt(3), random);
      }
      TreeMap<AttributeName, Object> attributes = new TreeMap<>();
      for (AttributeName name : some(all, 1 + random.nextInt(2), random)) {
        boolean text = random.nextInt(4) == 0;
        if (text) {
          TestEvent.putText(attributes, name.toString(), "text " + i);
        } else {
          TestEvent.putBits(attributes, name.toString(), AttributeKind.LONG, i);
        }
      }
      long nanos = i * 1_000_000L;
      EventId id = new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 1, i));
      events.add(new TestEvent(id, 0, "t", attributes));
    }
    return events;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void findsWhatTheEventHas(long seed) {
    Random random = new Random(seed);
    List<TestEvent> events = events(random);
    MemoryDisk disk = new MemoryDisk();
    SegmentSizes.write(disk, FILE, events, BLOCKS_OF_SEVEN);
    Set<AttributeName> seen = random.nextBoolean() ? null : new TreeSet<>(some(names(), 2, random));
    int oneOf = 1 + (int) seed % 4; // all of them, too
    List<AttributeName> questions = new ArrayList<>(some(names(), oneOf, random));
    questions.addAll(some(names(), 30, random)); // equal to others, not the same
    AttributeValue value = new AttributeValue();
    int read = 0;
    try (Segment segment = Segment.open(disk, FILE, new UUID(1, 2), 1);
        EventCursor cursor =
            SegmentCursor.open(segment, SegmentSizes.key(events), Scan.all().withColumns(seen))) {
      for (; cursor.next() == EventCursor.Step.EVENT; read++) {
        TestEvent expected = events.get(read).only(seen);
        assertEquals(expected, TestEvent.copyOf(cursor.event()));
        for (AttributeName name : questions) {
          boolean has = cursor.event().find(name, value);
          assertEquals(
              expected.attributes().containsKey(name), has, () -> name + " of " + expected);
          assertTrue(!has || shown(value).equals(expected.attributes().get(name)));
        }
        if (random.nextInt(3) == 0) {
          Collections.shuffle(questions, random);
        }
      }
    }
    assertEquals(EVENTS, read);
  }

  private static Object shown(AttributeValue value) {
    return value.kind().isText()
        ? TestEvent.Words.of(value.kind(), value.toBytes())
        : new TestEvent.Bits(value.kind(), value.bits());
  }
}
