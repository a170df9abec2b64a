package io.widerow.storage.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.TimeUuid;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.Slice;
import io.widerow.faults.TestEvent;
import io.widerow.rollup.RollupDefinition;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupFigure;
import io.widerow.rollup.RollupShape;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.repair.SegmentCheck;
import io.widerow.storage.sketch.AttributeFigures;
import io.widerow.storage.sketch.Extreme;
import io.widerow.storage.sketch.GroupCells;
import io.widerow.storage.sketch.HashedValues;
import io.widerow.storage.sketch.NumberSum;
import io.widerow.storage.sketch.PercentileHistogram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: cells of rollups have the aggregates of their segment's events, in segments that are kept
/// indefinitely too; a step of too many groups or values is marked; damage is found. Method: golden
/// segments and others, aggregated again; each byte flipped.
class SegmentRollupsTest {
  private static final Path FILE = Path.of("a.seg");
  private static final UUID STORE = new UUID(1, 2);

  private static Segment open(byte[] bytes) {
    MemoryDisk disk = new MemoryDisk();
    disk.set(FILE, bytes);
    return Segment.open(disk, FILE, STORE, 1);
  }

  static byte[] written(
      List<TestEvent> events, List<RollupDefinition> rollups, SegmentProfile form) {
    return GoldenSegment.written(List.of(events), rollups, form);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sealed", "final"})
  void goldenCellsHaveTheFiguresOfTheirEvents(String form) throws IOException {
    byte[] bytes = GoldenSegment.bytes("rollups", form);
    List<TestEvent> events = GoldenRollups.events();
    assertEquals(events, GoldenSegment.read(bytes, events));
    try (Segment segment = open(bytes)) {
      segment.verify();
      assertEquals(2, segment.rollups().pieces(0));
      for (int piece = 0; piece < 2; piece++) {
        assertFigures(events, segment, piece);
      }
    }
  }

  @Test
  void writtenCellsHaveTheFiguresOfTheirEvents() {
    List<TestEvent> events = GoldenRollups.events();
    List<RollupDefinition> rollups = GoldenRollups.rollups();
    try (Segment segment = open(written(events, rollups, SegmentProfile.SEALED))) {
      segment.verify();
      assertEquals(2, segment.rollups().pieces(0));
      for (int piece = 0; piece < 2; piece++) {
        assertFigures(events, segment, piece);
      }
    }
  }

  /// Aggregates the events again.
  private static void assertFigures(List<TestEvent> events, Segment segment, int piece) {
    RollupShape shape = segment.rollups().shape(0, piece);
    Map<String, List<TestEvent>> groups = new TreeMap<>();
    for (TestEvent event : events) {
      groups.computeIfAbsent(keyOf(event, shape), _ -> new ArrayList<>()).add(event);
    }
    GroupCells cells = new SegmentCells.GroupReader(segment, ReadDeadline.NONE).read(0, piece);
    int found = 0;
    for (int at = 0; at < cells.size(); at++) {
      assertTrue(cells.isKept(at));
      GroupCells.Groups group = cells.groups(at, "counted");
      while (group.next()) {
        String key = cells.step(at) + values(group, shape);
        List<TestEvent> of = groups.get(key);
        assertNotNull(of, key);
        assertEquals(of.size(), group.weight(), key);
        for (RollupField field : shape.fields()) {
          AttributeFigures figures = Objects.requireNonNull(group.figures(field.name()));
          assertEquals(results(of, field), results(figures, field), key);
        }
        found++;
      }
    }
    assertEquals(groups.size(), found);
  }

  private static String keyOf(TestEvent event, RollupShape shape) {
    long step = event.idTime() / shape.stepTicks();
    StringBuilder key = new StringBuilder().append(step);
    shape.by().forEach(name -> key.append(' ').append(event.attributes().get(name)));
    return key.toString();
  }

  private static String values(GroupCells.Groups group, RollupShape shape) {
    TreeMap<AttributeName, Object> attributes = TestEvent.copyOf(group).attributes();
    StringBuilder key = new StringBuilder();
    shape.by().forEach(name -> key.append(' ').append(attributes.get(name)));
    return key.toString();
  }

  private static List<Object> results(List<TestEvent> events, RollupField field) {
    long values = 0;
    NumberSum sum = new NumberSum();
    Extreme least = Extreme.least();
    Extreme greatest = Extreme.greatest();
    PercentileHistogram grid = new PercentileHistogram();
    HashedValues distinct = new HashedValues();
    AttributeValue value = new AttributeValue();
    for (TestEvent event : events) {
      if (event.find(field.name(), value)) {
        values++;
        distinct.add(value);
        if (AttributeFigures.isNumber(value)) {
          sum.add(value);
          least.add(value);
          greatest.add(value);
          grid.add(value.asDouble());
        }
      }
    }
    return results(field, values, sum, least, greatest, grid, distinct);
  }

  private static List<Object> results(AttributeFigures figures, RollupField field) {
    return results(
        field,
        figures.count(),
        field.has(RollupFigure.SUM) ? figures.sum() : new NumberSum(),
        field.has(RollupFigure.MIN) ? figures.least() : Extreme.least(),
        field.has(RollupFigure.MAX) ? figures.greatest() : Extreme.greatest(),
        field.has(RollupFigure.GRID) ? figures.grid() : new PercentileHistogram(),
        field.has(RollupFigure.DISTINCT) ? figures.distinct() : new HashedValues());
  }

  private static List<Object> results(
      RollupField field,
      long values,
      NumberSum sum,
      Extreme least,
      Extreme greatest,
      PercentileHistogram grid,
      HashedValues distinct) {
    List<Object> results = new ArrayList<>();
    if (field.has(RollupFigure.COUNT)) {
      results.add(values);
    }
    if (field.has(RollupFigure.SUM)) {
      results.addAll(List.of(sum.count(), sum.whole(), sum.value()));
    }
    if (field.has(RollupFigure.MIN)) {
      results.addAll(List.of(least.isAny(), least.isLong(), least.number()));
    }
    if (field.has(RollupFigure.MAX)) {
      results.addAll(List.of(greatest.isAny(), greatest.isLong(), greatest.number()));
    }
    if (field.has(RollupFigure.GRID) && grid.total() > 0) {
      results.addAll(List.of(grid.percentile(50), grid.percentile(99)));
    }
    if (field.has(RollupFigure.DISTINCT)) {
      results.add(distinct.size());
    }
    return results;
  }

  /// Cells that are other ones, though their checksum is right, are found by counting again.
  @Test
  void figuresThatTheEventsDoNotHaveAreFound() {
    byte[] good = written(GoldenRollups.events(), GoldenRollups.rollups(), SegmentProfile.SEALED);
    for (int piece = 0; piece < 2; piece++) {
      int from;
      int skipped;
      int length;
      SegmentChecksum checksum;
      try (Segment segment = open(good)) {
        assertEquals(List.of(), SegmentCheck.of(segment).damage());
        from = (int) segment.rollups().offset(0, piece);
        skipped = segment.rollups().shape(0, piece).by().isEmpty() ? 1 : 0; // how many groups
        length = segment.rollups().bytes(0, piece);
        checksum = segment.checksum();
      }
      for (int at = from + skipped; at < from + length; at += 1 + length / 60) {
        byte[] bad = good.clone();
        bad[at] ^= (byte) (1 << at % Byte.SIZE);
        ByteSink.INT.set(bad, from + length, checksum.of(bad, from, length, from));
        try (Segment segment = open(bad)) {
          assertEquals(1, SegmentCheck.of(segment).damage().size(), "byte " + (at - from));
        }
      }
    }
  }

  /// Each byte of the cells and of the index belongs to a checksum.
  @Test
  void everyFlippedByteIsFound() throws IOException {
    byte[] good = GoldenSegment.bytes("rollups", "sealed");
    long from;
    long until;
    try (Segment segment = open(good)) {
      from = segment.rollups().offset(0, 0);
      until = segment.cells().offset(0);
    }
    assertTrue(until - from > 1_000, until - from + " bytes");
    for (int at = (int) from; at < until; at += Slice.of(35, 7)) {
      byte[] bad = good.clone();
      bad[at] ^= (byte) (1 << at % 8);
      try (Segment segment = open(bad)) {
        assertThrows(StorageException.Corrupt.class, segment::verify, "byte " + at);
      }
    }
    for (int at = (int) until; at < good.length; at += Slice.of(5, 1)) {
      byte[] bad = good.clone();
      bad[at] ^= (byte) (1 << at % 8);
      assertThrows(
          StorageException.Corrupt.class,
          () -> {
            try (Segment segment = open(bad)) {
              segment.verify();
            }
          },
          "byte " + at);
    }
  }

  /// The minute of too many groups has none, and so has that of too many distinct values.
  @Test
  void tooManySaySo() {
    List<TestEvent> events = new ArrayList<>();
    for (int minute = 0; minute < 3; minute++) {
      int groups = minute == 1 ? GroupCells.GROUPS_MAX + 1 : GroupCells.GROUPS_MAX;
      for (int i = 0; i < groups; i++) {
        events.add(event(events.size(), minute, i, 1));
      }
    }
    for (int i = 0; i <= HashedValues.CELL_MAX; i++) {
      events.add(event(events.size(), 3, 0, i));
    }
    events.add(event(events.size(), 4, 0, 0));
    RollupShape shape =
        new RollupShape(
            1,
            List.of(GroupField.KEY),
            List.of(new RollupField(GroupField.VALUE, RollupFigure.DISTINCT.bit)));
    var rollup = new RollupDefinition("r", "*", shape, "distinct(value)", null);
    try (Segment segment = open(written(events, List.of(rollup), SegmentProfile.SEALED))) {
      segment.verify();
      GroupCells cells = new SegmentCells.GroupReader(segment, ReadDeadline.NONE).read(0, 0);
      assertEquals(5, cells.size());
      assertTrue(cells.isKept(0));
      assertFalse(cells.isKept(1));
      assertTrue(cells.isKept(2));
      assertFalse(cells.isKept(3));
      assertTrue(cells.isKept(4));
      assertEquals(GroupCells.GROUPS_MAX + 1, cells.events(1));
      GroupCells.Groups groups = cells.groups(2, "t");
      int count = 0;
      while (groups.next()) {
        count++;
      }
      assertEquals(GroupCells.GROUPS_MAX, count);
    }
  }

  private static final class GroupField {
    static final AttributeName KEY = AttributeName.of("key");
    static final AttributeName VALUE = AttributeName.of("value");
  }

  private static TestEvent event(int number, int minute, long key, long value) {
    TreeMap<AttributeName, Object> attributes = new TreeMap<>();
    TestEvent.putBits(attributes, "key", AttributeKind.LONG, key);
    TestEvent.putBits(attributes, "value", AttributeKind.LONG, value);
    long nanos = minute * 60_000_000_000L + number * 100L;
    EventId id = new EventId(TimeUuid.timeOfNanos(nanos), TimeUuid.tailOf(nanos, 3, number & 0xff));
    return new TestEvent(id, EventLayout.VERSION_ASSIGNED, "t", attributes);
  }

  @Test
  void aSegmentOfNoRollupsHasNone() {
    byte[] bytes = written(GoldenCells.events(), List.of(), SegmentProfile.SEALED);
    try (Segment segment = open(bytes)) {
      assertFalse(segment.rollups().isThere());
      assertEquals(0, segment.rollups().pieces(0));
    }
  }
}
