package io.widerow.storage.scan;

import io.widerow.event.PartitionKey;
import io.widerow.storage.ReadingThreads;
import io.widerow.storage.rows.RowChunk;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.Segment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// Pool of idle block readers that all views of a store share, with the threads that help views to
/// read. Without the pool, a repeated query would decode into tens of megabytes of new memory each
/// time.
///
/// - Threads: any.
/// - Memory: idle readers, at most an eighth of the heap, until [#close].
public final class BlockReaderPool implements AutoCloseable {
  private static final int HEAP_SHARE = 8;

  private final SegmentNames names = new SegmentNames();
  private final long bytesMax;
  private final RowBlocks rowBlocks = new RowBlocks();
  private volatile ReadingThreads threads = ReadingThreads.NONE;
  private final ArrayDeque<BlockReader> idle =
      new ArrayDeque<>(); // guarded by this, as is the rest
  private long idleBytes;
  private boolean over;

  public BlockReaderPool() {
    this(Runtime.getRuntime().maxMemory() / HEAP_SHARE);
  }

  /// @param bytesMax limit on the memory of idle readers
  BlockReaderPool(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /// The cached names of the attributes in segments.
  SegmentNames names() {
    return names;
  }

  public ReadingThreads threads() {
    return threads;
  }

  /// The blocks of a chunk of an open row.
  Segment blocksOf(PartitionKey key, RowChunk chunk) {
    return chunk.form(Segment.class, events -> rowBlocks.encode(key, events));
  }

  /// Sets the threads that help views opened from now on.
  public void helpWith(ReadingThreads newThreads) {
    threads = newThreads;
  }

  /// Takes the reader given back last; null when the pool is empty.
  synchronized @Nullable BlockReader poll() {
    BlockReader reader = idle.poll();
    if (reader != null) {
      idleBytes -= reader.heldBytes();
    }
    return reader;
  }

  /// Puts a reader into the pool, or closes it when the pool is full.
  synchronized void give(BlockReader reader) {
    long bytes = reader.heldBytes();
    if (over || idleBytes + bytes > bytesMax) {
      reader.close();
      return;
    }
    idleBytes += bytes;
    idle.push(reader);
  }

  @Override
  public synchronized void close() {
    over = true;
    idle.forEach(BlockReader::close);
    idle.clear();
    rowBlocks.close();
  }
}
