package io.widerow.storage.aggregate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.segment.Cells;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentCells;
import io.widerow.storage.segment.SegmentProfile;
import io.widerow.storage.segment.SegmentWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a minute is counted from cells if, and only if, no event of it can replace another and all
/// of its segments have cells. Method: random pieces, some of them open rows and some without
/// cells, against counts of a plain array. The seed is the test's name, `-Dseed=<n>` replays it.
class CellPlanTest {
  private static final Path FILE = Path.of("a.seg");
  private static final UUID STORE = new UUID(1, 2);
  private static final int MINUTES = 30;
  private static final PartitionKey KEY = new PartitionKey(0, 60, "t", 0);
  private static final long START = Cells.minuteOf(TimeUuid.timeOfNanos(0));

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void minutesAreCountedFromCellsWhereThatIsRight(long seed) {
    var random = new SplittableRandom(seed);
    int from = random.nextInt(MINUTES / 2);
    CellPlan plan = new CellPlan(START + from, MINUTES - from - random.nextInt(5));
    long[] events = new long[MINUTES];
    int[] pieces = new int[MINUTES];
    boolean[] own = new boolean[MINUTES];
    boolean[] unknown = new boolean[MINUTES];
    boolean[] rows = new boolean[MINUTES];
    for (int piece = random.nextInt(6); piece > 0; piece--) {
      int first = random.nextInt(MINUTES);
      int last = first + random.nextInt(MINUTES - first);
      int kind = random.nextInt(4);
      boolean owns = random.nextInt(3) == 0;
      if (kind == 0) {
        plan.addUnknown(START + first, START + last);
      } else if (kind == 1) {
        plan.addRow(START + first, START + last, owns);
      }
      Cells cells = kind > 1 ? cells(random, first, last, owns) : null;
      for (int minute = first; minute <= last && cells == null; minute++) {
        unknown[minute] |= kind == 0;
        rows[minute] |= kind == 1;
        pieces[minute] += kind;
        own[minute] |= kind == 1 && owns;
      }
      if (cells != null) {
        int shown = random.nextInt(3) == 0 ? first + random.nextInt(4) : 0;
        plan.add(cells, START + shown);
        for (int cell = 0; cell < cells.size(); cell++) {
          int minute = (int) (cells.minute(cell) - START);
          if (minute >= shown) {
            events[minute] += cells.events(cell);
            pieces[minute]++;
            own[minute] |= cells.ownIds(cell) > 0;
          }
        }
      }
    }
    int counted = 0;
    int looked = 0;
    for (int at = 0; at < plan.size(); at++) {
      int minute = from + at;
      boolean fromEvents = unknown[minute] || (own[minute] && pieces[minute] > 1);
      assertEquals(fromEvents, plan.isFromEvents(at), "minute " + minute);
      assertEquals(fromEvents ? 0 : events[minute], plan.counted(at), "minute " + minute);
      counted += !fromEvents && events[minute] > 0 ? 1 : 0;
      looked += fromEvents || rows[minute] ? 1 : 0;
    }
    assertEquals(counted, plan.cells());
    assertEquals(looked, plan.minutesFromEvents());
    for (int at = 0; at < plan.size(); at = plan.runEnd(at)) {
      int end = plan.runEnd(at);
      assertTrue(end == plan.size() || plan.isFromEvents(end) != plan.isFromEvents(at));
    }
  }

  /// Cells of a segment with events in some of these minutes, in the first one for sure.
  private static Cells cells(SplittableRandom random, int first, int last, boolean owns) {
    List<TestEvent> events = new ArrayList<>();
    for (int minute = first; minute <= last; minute++) {
      int count = minute == first ? 1 + random.nextInt(3) : random.nextInt(3);
      for (int i = 0; i < count; i++) {
        long nanos = minute * 60_000_000_000L + random.nextLong(60_000_000_000L) / 100 * 100;
        EventId id =
            new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 1, events.size()));
        long version = owns && random.nextBoolean() ? 7 : 0;
        TreeMap<AttributeName, Object> attributes = new TreeMap<>();
        TestEvent.putText(attributes, "body", "x");
        events.add(new TestEvent(id, version, "t", attributes));
      }
    }
    events.sort(Comparator.comparing(TestEvent::id));
    var disk = new MemoryDisk();
    try (var writer = new SegmentWriter(disk, FILE, STORE, 1, SegmentProfile.SEALED)) {
      writer.begin(KEY);
      events.forEach(writer::add);
      var _ = writer.finish();
    }
    try (Segment segment = Segment.open(disk, FILE, STORE, 1)) {
      return new SegmentCells.Reader(segment, ReadDeadline.NONE, false).read(0, 1);
    }
  }
}
