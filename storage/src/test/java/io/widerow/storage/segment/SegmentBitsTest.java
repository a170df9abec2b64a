package io.widerow.storage.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.PartitionKey;
import io.widerow.faults.FaultRecords;
import io.widerow.faults.MemoryDisk;
import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.scan.SegmentCursor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// Goal: a flipped bit of a large segment is always reported, no unwritten row is ever shown, and
/// the other partitions are served. Method: 75,000 real lines and metrics of hosts in both forms;
/// flip a random bit, open, verify, read its block, and once in fifty all partitions.
/// `-Dbits=20000` sets the number of flips, `-Dseed=<n>` repeats them.
class SegmentBitsTest {
  private static final int BITS = Slice.of("bits", 40, 200);
  private static final int WHOLE = 50; // one flip of so many has all partitions read
  private static final Path FILE = Path.of("bits.seg");
  private static final UUID STORE = new UUID(1, 2);

  private final MemoryDisk disk = new MemoryDisk();
  private final List<List<TestEvent>> partitions =
      List.of(SegmentSizes.access(), SegmentSizes.broker(), SegmentSizes.metrics(60_000, 100, 1));
  private long atOpen;
  private long served;

  @Test
  void everyBitIsTold() throws IOException {
    long seed = Seeds.one();
    var random = new SplittableRandom(seed);
    for (SegmentProfile form :
        List.of(
            new SegmentProfile(1, 1_000, 2 << 20, 10), new SegmentProfile(9, 1_000, 4 << 20, 11))) {
      byte[] good = write(form);
      List<SegmentIndex> indexes;
      try (Segment segment = open(good)) {
        indexes = segment.indexes();
        segment.verify();
      }
      for (int i = 0; i < BITS / 2; i++) {
        long bit = random.nextLong(8L * good.length);
        String what = "seed %d, %s, bit %d".formatted(seed, form, bit);
        byte[] bad = good.clone();
        bad[(int) (bit / 8)] ^= (byte) (1 << bit % 8);
        look(bad, bit / 8, indexes, i % WHOLE == 0, what);
      }
    }
    System.out.printf(
        "%d bits of segments of 75,000 events: all told, %d when they were opened; wrong rows 0,"
            + " partitions next to them served %d times%n",
        BITS, atOpen, served);
    FaultRecords.add(
        FaultRecords.Table.DAMAGE,
        "a random bit of a segment of 75,000 events",
        BITS,
        BITS,
        0,
        0,
        0);
  }

  private byte[] write(SegmentProfile form) {
    disk.delete(FILE);
    try (var writer = new SegmentWriter(disk, FILE, STORE, 1, form)) {
      for (List<TestEvent> events : partitions) {
        writer.begin(SegmentSizes.key(events));
        events.forEach(writer::add);
      }
      writer.finish();
    }
    return disk.bytes(FILE);
  }

  private Segment open(byte[] file) {
    disk.set(FILE, file);
    return Segment.open(disk, FILE, STORE, 1);
  }

  private void look(byte[] bad, long at, List<SegmentIndex> indexes, boolean whole, String what) {
    Segment segment;
    try {
      segment = open(bad);
    } catch (StorageException told) {
      atOpen++;
      return;
    }
    try (segment) {
      assertThrows(StorageException.class, segment::verify, what);
      for (int i = 0; i < indexes.size(); i++) {
        SegmentIndex index = indexes.get(i);
        List<TestEvent> events = partitions.get(i);
        boolean mine = false;
        for (int block = 0, first = 0; block < index.blocks; first += index.events(block++)) {
          if (at >= index.offset(block) && at < index.offset(block) + index.blockBytes(block)) {
            mine = true;
            Scan scan = Scan.all().withRange(index.first(block), index.last(block));
            read(segment, index, scan, events.subList(first, events.size()), what);
          }
        }
        if (whole) {
          boolean all = read(segment, index, Scan.all(), events, what);
          assertTrue(all || mine, () -> what + ": another partition is not served");
          served += mine ? 0 : 1;
        }
      }
    }
  }

  /// Reads until the damage is reported; events shown before it must equal the written ones. True
  /// when there was no damage.
  private static boolean read(
      Segment segment, SegmentIndex index, Scan scan, List<TestEvent> expected, String what) {
    PartitionKey key = index.partition.key();
    int shown = 0;
    try (EventCursor cursor = SegmentCursor.open(segment, key, scan)) {
      while (cursor.next() == EventCursor.Step.EVENT) {
        TestEvent event = TestEvent.copyOf(cursor.event());
        int row = shown++;
        assertEquals(expected.get(row), event, () -> what + ", row " + row);
      }
    } catch (StorageException told) {
      return false;
    }
    return true;
  }
}
