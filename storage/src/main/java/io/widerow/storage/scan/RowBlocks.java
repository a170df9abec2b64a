package io.widerow.storage.scan;

import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.disk.MemoryFile;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentMemory;
import io.widerow.storage.segment.SegmentProfile;
import io.widerow.storage.segment.SegmentWriter;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Encodes events of open rows as the blocks of a segment in memory, so that aggregates read them
/// by column. An event is encoded about once between its arrival and its sealing, and only when
/// somebody asks.
///
/// - Threads: any; one encodes at a time.
/// - Memory: the buffers of a writer from the first call on, until [#close].
final class RowBlocks implements AutoCloseable {
  /// Blocks as sealing writes them.
  private static final SegmentProfile PROFILE = new SegmentProfile(1, 1 << 13, 4 << 20, 10);

  private static final UUID NO_STORE = new UUID(0, 0);
  private static final int BYTES_EXPECTED = 1 << 14;

  private @Nullable SegmentMemory memory; // guarded by this

  synchronized Segment encode(PartitionKey key, EventCursor opened) {
    SegmentMemory buffers = memory;
    if (buffers == null) {
      buffers = new SegmentMemory(PROFILE);
      memory = buffers;
    }
    MemoryFile file = new MemoryFile(BYTES_EXPECTED);
    try (EventCursor events = opened;
        SegmentWriter writer = new SegmentWriter(file, NO_STORE, 0, buffers)) {
      writer.begin(key);
      while (EventCursor.nextLocal(events)) {
        writer.add(events.event());
      }
      writer.finish();
    }
    return Segment.open(file, NO_STORE, 0);
  }

  @Override
  public synchronized void close() {
    if (memory != null) {
      memory.close();
      memory = null;
    }
  }
}
