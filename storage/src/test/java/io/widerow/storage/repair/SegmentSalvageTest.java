package io.widerow.storage.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.event.PartitionKey;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.scan.SegmentCursor;
import io.widerow.storage.segment.GoldenSegment;
import io.widerow.storage.segment.Segment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a segment without index and footer loses no event, whatever its columns are: with ranges,
/// series, compressed numbers, derived times, token filters between its blocks. Method: the golden
/// segments, read from the blocks that a salvage finds.
class SegmentSalvageTest {
  private static final Path FILE = Path.of("a.seg");
  private static final UUID STORE = new UUID(1, 2);

  @ParameterizedTest
  @CsvSource({
    "logs,sealed",
    "logs,final",
    "metrics,sealed",
    "metrics,final",
    "rollups,sealed",
    "rollups,final"
  })
  void everyBlockIsFound(String name, String form) throws IOException {
    var disk = new MemoryDisk();
    disk.set(FILE, GoldenSegment.bytes(name, form));
    SegmentEntry entry;
    try (Segment whole = Segment.open(disk, FILE, STORE, 1)) {
      entry = SegmentEntry.of(whole.summary(), whole.partitions().getFirst().key(), false);
    }
    DiskFile file = disk.open(FILE);
    SegmentSalvage salvage = SegmentSalvage.of(file, STORE, entry);
    assertEquals(List.of(), salvage.lost());
    try (Segment found = Segment.of(file, STORE, 1, salvage.indexes())) {
      List<List<TestEvent>> partitions = new ArrayList<>();
      found.partitions().forEach(partition -> partitions.add(events(found, partition.key())));
      assertEquals(GoldenSegment.partitions(name), partitions);
    }
  }

  private static List<TestEvent> events(Segment segment, PartitionKey key) {
    List<TestEvent> events = new ArrayList<>();
    try (EventCursor cursor = SegmentCursor.open(segment, key, Scan.all())) {
      while (EventCursor.nextLocal(cursor)) {
        events.add(TestEvent.copyOf(cursor.event()));
      }
    }
    return events;
  }
}
