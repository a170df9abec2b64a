package io.widerow.storage.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.disk.ReadDeadline;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: cells count the events of their segment by minute, in segments that are kept indefinitely
/// too; wrong cells are refused. Method: golden segments, counted again; cells with one number
/// changed.
class CellsTest {
  private static final Path FILE = Path.of("a.seg");
  private static final UUID STORE = new UUID(1, 2);

  /// Of its id and version, as FORMAT-segment.md says.
  private static final int EVENT_BYTES = 24;

  private static Segment open(byte[] bytes) {
    MemoryDisk disk = new MemoryDisk();
    disk.set(FILE, bytes);
    return Segment.open(disk, FILE, STORE, 1);
  }

  private static byte[] written() {
    return SegmentRollupsTest.written(GoldenCells.events(), List.of(), SegmentProfile.SEALED);
  }

  private static Cells cells(Segment segment, int partition) {
    return new SegmentCells.Reader(segment, ReadDeadline.NONE, false)
        .read(partition, partition + 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"sealed", "final"})
  void goldenCellsCountTheirEvents(String form) throws IOException {
    List<List<TestEvent>> partitions = GoldenSegment.partitions("logs");
    try (Segment segment = open(GoldenSegment.bytes("logs", form))) {
      for (int partition : new int[] {0, 1, 3}) { // each event of these has a text and nothing else
        assertCounts(partitions.get(partition), cells(segment, partition));
      }
    }
  }

  private static void assertCounts(List<TestEvent> events, Cells cells) {
    Map<Long, long[]> expected = new TreeMap<>();
    for (TestEvent event : events) {
      long[] sums = expected.computeIfAbsent(Cells.minuteOf(event.idTime()), _ -> new long[4]);
      var body = (TestEvent.Words) event.attributes().firstEntry().getValue();
      sums[0]++;
      sums[1] += EVENT_BYTES + 4 + body.bytes().remaining();
      sums[2] += event.version() == EventLayout.VERSION_ASSIGNED ? 0 : 1;
      sums[3] += event.timeNanos() % PartitionKey.NANOS_PER_MINUTE == 0 ? 1 : 0;
    }
    assertEquals(expected.size(), cells.size());
    int cell = 0;
    for (Map.Entry<Long, long[]> minute : expected.entrySet()) {
      assertEquals(minute.getKey(), cells.minute(cell));
      assertEquals(minute.getValue()[0], cells.events(cell));
      assertEquals(minute.getValue()[1], cells.bytes(cell));
      assertEquals(minute.getValue()[2], cells.ownIds(cell));
      assertEquals(minute.getValue()[3], cells.firsts(cell));
      cell++;
    }
  }

  /// Each byte of the cells and of the index belongs to a checksum, and the cells to the events.
  @Test
  void everyFlippedByteOfThemIsFound() {
    byte[] good = written();
    long from;
    long until;
    try (Segment segment = open(good)) {
      from = segment.cells().offset(0);
      until = segment.cells().offset(1);
    }
    for (int at = (int) from; at < until; at++) {
      byte[] bad = good.clone();
      bad[at] ^= (byte) (1 << at % 8);
      try (Segment segment = open(bad)) {
        assertThrows(StorageException.Corrupt.class, segment::verify, "byte " + at);
        assertThrows(StorageException.Corrupt.class, () -> cells(segment, 0), "byte " + at);
      }
    }
  }

  /// The cells of golden events, with one of them changed, as a writer with a fault would have
  /// written them: the checksum is right.
  @ParameterizedTest
  @CsvSource({
    "0,0,1",
    "1,0,1",
    "2,0,0",
    "5,1,1",
    "5,1,-1",
    "7,2,-2000000",
    "9,3,51",
    "9,3,-1",
    "0,4,-1",
    "9,4,99",
    "3,5,-1",
    "3,5,50"
  })
  void cellsThatDoNotAddUpAreRefused(int cell, int field, long more) {
    List<TestEvent> events = GoldenCells.events();
    SegmentSummary.Partition partition;
    Cells good;
    try (Segment segment = open(written())) {
      partition = segment.partitions().getFirst();
      good = cells(segment, 0);
    }
    assertCounts(events, Cells.read(written(good, partition, -1, 0, 0), partition));
    ByteSource bad = written(good, partition, cell, field, more);
    if (field == 0 && more == 0) {
      assertCounts(events, Cells.read(bad, partition));
    } else {
      assertThrows(StorageException.Corrupt.class, () -> Cells.read(bad, partition));
    }
  }

  private static ByteSource written(
      Cells cells, SegmentSummary.Partition partition, int cell, int field, long more) {
    ByteSink out = new ByteSink();
    out.putVarint(cells.size());
    assert partition.ownIds();
    long before = Cells.minuteOf(TimeUuid.timeOfNanos(partition.key().fromNanos()));
    for (int i = 0; i < cells.size(); i++) {
      long[] fields = {cells.minute(i) - before, cells.events(i), cells.bytes(i), cells.ownIds(i)};
      if (field < fields.length) {
        fields[field] += i == cell ? more : 0;
      }
      before = cells.minute(i);
      for (long each : fields) {
        out.putVarint(each);
      }
    }
    int last = -1;
    for (int i = 0; i < cells.size(); i++) {
      if (cells.firsts(i) > 0) {
        out.putVarint(i - last + (field == 4 && i == cell ? more : 0));
        out.putVarint(cells.firsts(i) + (field == 5 && i == cell ? more : 0));
        last = i;
      }
    }
    byte[] bytes = Arrays.copyOf(out.bytes(), out.length() + ByteSource.SLACK);
    return new ByteSource(FILE).over(bytes, 0, out.length(), 0);
  }
}
