package io.widerow.storage.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.Text;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.scan.SegmentCursor;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// Goal: a scan reads only what it needs. Method: the access log in small blocks, scans with known
/// results, and their statistics.
class SegmentSkipTest {
  private static final Path FILE = Path.of("skip.seg");
  private final MemoryDisk disk = new MemoryDisk();
  private final List<TestEvent> events = SegmentSizes.access().subList(0, 2_000);

  private ScanStatistics scan(Scan scan) {
    if (!disk.exists(FILE)) {
      SegmentSizes.write(disk, FILE, events, new SegmentProfile(1, 100, 1 << 20, 10));
    }
    try (Segment segment = Segment.open(disk, FILE, new UUID(1, 2), 1);
        EventCursor cursor = SegmentCursor.open(segment, SegmentSizes.key(events), scan)) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        assertEquals(SegmentSizes.key(events).type(), cursor.event().type());
      }
      return cursor.statistics();
    }
  }

  @Test
  void aTokenThatIsNowhereOpensFewBlocks() {
    List<Filter> filters =
        List.of(
            new Filter.Contains(AttributeName.BODY, Text.of(" zyxwvu ")),
            new Filter.Has(AttributeName.BODY, Text.of("zyxwvu")));
    for (Filter filter : filters) {
      ScanStatistics statistics = scan(Scan.all().withFilter(filter));

      assertEquals(21, statistics.blocksRead() + statistics.blocksSkipped());
      assertTrue(statistics.blocksSkipped() >= 18, statistics::toString);
      assertEquals(0, statistics.eventsKept());
    }
  }

  @Test
  void aRangeOpensItsBlocksAlone() {
    Scan range = Scan.all().withRange(events.get(250).id(), events.get(350).id());
    ScanStatistics statistics = scan(range);

    assertEquals(2, statistics.blocksRead());
    assertEquals(19, statistics.blocksSkipped());
    assertEquals(100, statistics.eventsKept());
  }

  @Test
  void columnsThatAreNotWantedAreNotRead() {
    SegmentSizes.write(disk, FILE, events, new SegmentProfile(1, 2_000, 1 << 20, 10));
    long all = scan(Scan.all()).bytesRead();
    long none = scan(Scan.all().withColumns(Set.of())).bytesRead();

    assertTrue(none * 5 < all, () -> none + " of " + all);
  }

  /// One system call for the whole block costs less than one for each of its columns.
  @Test
  void aSmallBlockIsReadAtOnce() {
    long all = scan(Scan.all()).bytesRead();
    assertEquals(all, scan(Scan.all().withColumns(Set.of())).bytesRead());
  }

  /// A long partition ends in a small block, so that its newest events cost less than its oldest.
  @Test
  void theNewestEventsAreCheap() {
    SegmentSizes.write(disk, FILE, events, new SegmentProfile(1, 640, 1 << 20, 10));
    long oldest = bytesOfTen(Scan.all());
    long newest = bytesOfTen(Scan.all().withDescending(true));

    assertTrue(newest * 5 < oldest, () -> newest + " bytes read, " + oldest + " for the oldest");
  }

  private long bytesOfTen(Scan scan) {
    try (Segment segment = Segment.open(disk, FILE, new UUID(1, 2), 1);
        EventCursor cursor = SegmentCursor.open(segment, SegmentSizes.key(events), scan)) {
      for (int i = 0; i < 10; i++) {
        assertEquals(EventCursor.Step.EVENT, cursor.next());
      }
      assertEquals(1, cursor.statistics().blocksRead());
      return cursor.statistics().bytesRead();
    }
  }
}
