package io.widerow.storage.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.scan.SegmentCursor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: real logs stay within the size limits and round-trip byte for byte. Method: write them in
/// both forms, compare the sizes with the limits and the events with the written ones.
class SegmentSizesTest {
  @Test
  void accessLog() {
    List<TestEvent> events = SegmentSizes.access();
    assertEquals(10_000, events.size());
    check(events, SegmentProfile.SEALED, 19.8);
    check(events, SegmentProfile.FINAL, 10.9); // 0.07 of it are counts by minute
    checkIds(events, 0.87); // its lines are not in the order of their times
  }

  @Test
  void brokerLog() {
    List<TestEvent> events = SegmentSizes.broker();
    assertEquals(4_681, events.size());
    check(events, SegmentProfile.SEALED, 8.52);
    check(events, SegmentProfile.FINAL, 4.11);
    checkIds(events, 0.46);
  }

  @Test
  @Tag("deep")
  void metrics() {
    List<TestEvent> events = SegmentSizes.metrics(32_000, 100, 1);
    check(events, SegmentProfile.SEALED, 5.5);
    check(events, SegmentProfile.FINAL, 3.4); // the walks alone have 2.7, the hosts' starts 0.4
    events = SegmentSizes.metrics(32_000, 1_000, 1);
    check(events, SegmentProfile.SEALED, 8.6);
    check(events, SegmentProfile.FINAL, 4.7);
  }

  private static void check(List<TestEvent> events, SegmentProfile form, double bytesMax) {
    var disk = new MemoryDisk();
    Path file = Path.of("sizes.seg");
    SegmentSummary summary = SegmentSizes.write(disk, file, events, form);
    double bytes = (double) summary.bytes() / events.size();
    System.out.printf("%s %s: %.2f bytes/event%n", events.getFirst().type(), form, bytes);
    List<TestEvent> found = new ArrayList<>();
    try (Segment segment = Segment.open(disk, file, new UUID(1, 2), 1);
        EventCursor cursor = SegmentCursor.open(segment, SegmentSizes.key(events), Scan.all())) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        found.add(TestEvent.copyOf(cursor.event()));
      }
    }
    assertEquals(events, found);
    assertTrue(bytes <= bytesMax, () -> bytes + " bytes an event, at most " + bytesMax);
  }

  /// Checks the bytes read when no attribute is wanted: ids, their checksums, and the blocks'
  /// directories.
  private static void checkIds(List<TestEvent> events, double bytesMax) {
    var disk = new MemoryDisk();
    Path file = Path.of("ids.seg");
    SegmentSizes.write(disk, file, events, SegmentProfile.FINAL);
    try (Segment segment = Segment.open(disk, file, new UUID(1, 2), 1);
        EventCursor cursor =
            SegmentCursor.open(
                segment, SegmentSizes.key(events), Scan.all().withColumns(Set.of()))) {
      int found = 0;
      while (cursor.next() == EventCursor.Step.EVENT) {
        assertEquals(events.get(found++).id(), cursor.event().id());
      }
      assertEquals(events.size(), found);
      double bytes = (double) cursor.statistics().bytesRead() / events.size();
      System.out.printf("%s ids: %.2f bytes/event%n", events.getFirst().type(), bytes);
      assertTrue(bytes <= bytesMax, () -> bytes + " bytes an id, at most " + bytesMax);
    }
  }
}
