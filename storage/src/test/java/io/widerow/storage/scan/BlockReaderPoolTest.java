package io.widerow.storage.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.MemoryDisk;
import io.widerow.faults.TestEvent;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentChecksum;
import io.widerow.storage.segment.SegmentProfile;
import io.widerow.storage.segment.SegmentSizes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// Goal: pooled readers serve one view after the other, never two at once, and hold no memory when
/// they are not needed. Method: take, give back and close them by hand; read a segment with readers
/// that read another one before.
class BlockReaderPoolTest {
  private final MemoryDisk disk = new MemoryDisk();
  private final SegmentChecksum checksum = new SegmentChecksum(new UUID(1, 2), 1);
  private final DiskFile file = disk.create(Path.of("some"));

  @Test
  void aReaderThatWasGivenBackIsTakenByOneOnly() {
    try (BlockReaderPool shared = new BlockReaderPool()) {
      BlockReader first = BlockReaders.of(shared).take(file, checksum);
      BlockReader second = BlockReaders.of(shared).take(file, checksum);
      assertNotSame(first, second);
      BlockReaders.of(shared).give(first);
      assertSame(first, BlockReaders.of(shared).take(file, checksum));
      assertNull(shared.poll());
      shared.give(first);
      shared.give(second);
      assertSame(second, shared.poll());
      assertSame(first, shared.poll());
      first.close();
      second.close();
    }
  }

  @Test
  void asManyAreKeptAsFit() {
    try (BlockReaderPool shared = new BlockReaderPool(64 << 10)) {
      List<BlockReader> readers = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        readers.add(new BlockReader(file, checksum));
      }
      long bytes = readers.getFirst().heldBytes();
      readers.forEach(shared::give);
      int kept = 0;
      for (BlockReader reader = shared.poll(); reader != null; reader = shared.poll()) {
        kept++;
        reader.close();
      }
      assertEquals((64 << 10) / bytes, kept);
    }
  }

  @Test
  void eachCursorOfAFewHasAReaderMoreBeforeOneHasAllOfThem() {
    try (BlockReaderPool shared = new BlockReaderPool()) {
      BlockReaders readers = BlockReaders.of(shared);
      assertTrue(readers.tryClaimFurther(1)); // the first cursor, with its own
      assertTrue(readers.tryClaimFurther(2));
      assertFalse(readers.tryClaimFurther(3));
      assertTrue(readers.tryClaimFurther(1)); // the second
      assertFalse(readers.tryClaimFurther(2));
      assertTrue(readers.tryClaimFurther(1)); // the third
      assertFalse(readers.tryClaimFurther(1)); // there is none for the fourth
      readers.releaseFurther(2);
      assertTrue(readers.tryClaimFurther(1));
      assertFalse(BlockReaders.NONE.tryClaimFurther(1));
    }
  }

  @Test
  void afterTheEndNoneIsKept() {
    BlockReaderPool shared = new BlockReaderPool();
    BlockReader reader = BlockReaders.of(shared).take(file, checksum);
    shared.close();
    BlockReaders.of(shared).give(reader);
    assertNull(shared.poll());
  }

  @Test
  void whatAReaderReadBeforeDoesNotMatter() {
    List<List<TestEvent>> logs =
        List.of(
            SegmentSizes.access().subList(0, 900),
            SegmentSizes.metrics(900, 7, 1),
            SegmentSizes.broker().subList(0, 900));
    for (int i = 0; i < logs.size(); i++) {
      SegmentSizes.write(
          disk, Path.of(i + ".seg"), logs.get(i), new SegmentProfile(9, 200, 1 << 20, 8));
    }
    try (BlockReaderPool shared = new BlockReaderPool()) {
      for (int round = 0; round < 6; round++) {
        List<TestEvent> expected = logs.get(round % logs.size());
        List<TestEvent> found = new ArrayList<>();
        Path path = Path.of(round % logs.size() + ".seg");
        try (Segment segment = Segment.open(disk, path, new UUID(1, 2), 1);
            EventCursor cursor =
                SegmentCursor.open(
                    segment,
                    SegmentSizes.key(expected),
                    Scan.all(),
                    BlockReaders.of(shared),
                    Prefetch.OFF)) {
          while (cursor.next() == EventCursor.Step.EVENT) {
            found.add(TestEvent.copyOf(cursor.event()));
          }
        }
        assertEquals(expected, found);
      }
    }
  }
}
