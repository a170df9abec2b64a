package io.widerow.storage.scan;

import io.widerow.storage.ReadingThreads;
import io.widerow.storage.segment.BlockReader;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// What the views of a store share to read with: threads that help them, and readers of blocks that
/// no view has at the moment. Who asks a question again and again would otherwise decode it into
/// tens of megabytes of new memory each time.
///
/// - Threads: any.
/// - Memory: idle readers, an eighth of the heap at most, until [#close].
public final class BlockReaderPool implements AutoCloseable {
  private static final int HEAP_SHARE = 8;

  private final long bytesMax;
  private volatile ReadingThreads threads = ReadingThreads.NONE;
  private final ArrayDeque<BlockReader> idle = new ArrayDeque<>(); // guarded by this, as all below
  private long idleBytes;
  private boolean over;

  public BlockReaderPool() {
    this(Runtime.getRuntime().maxMemory() / HEAP_SHARE);
  }

  /// @param bytesMax of idle readers
  BlockReaderPool(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  public ReadingThreads threads() {
    return threads;
  }

  /// Has views that are taken from now on helped.
  public void helpWith(ReadingThreads newThreads) {
    threads = newThreads;
  }

  /// The reader that was given back last; null when there is none.
  synchronized @Nullable BlockReader poll() {
    BlockReader reader = idle.poll();
    if (reader != null) {
      idleBytes -= reader.heldBytes();
    }
    return reader;
  }

  /// Keeps a reader for another view, or closes it when there are enough.
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
  }
}
