package io.widerow.storage;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// The readers of blocks of one view. Their buffers are large, so each serves one cursor after the
/// other. Every cursor has one; a few more are there for those that look ahead, however many
/// cursors there are, see [BlockScouts].
///
/// - Threads: any.
/// - Memory: some readers that nobody uses, until [#close].
final class BlockReaders implements AutoCloseable {
  /// More readers than cursors, in a view.
  private static final int FURTHER_MAX = 2;

  private static final int IDLE_MAX = 1 + FURTHER_MAX;

  /// For who reads one cursor: keeps none, and nobody looks ahead.
  static final BlockReaders NONE = new BlockReaders(null, 0, 0);

  private final @Nullable Executor searchers;
  private final int furtherMax;
  private final int idleMax;
  private final ArrayDeque<BlockReader> idle = new ArrayDeque<>(); // guarded by this, as all below
  private int further;
  private boolean over;

  private BlockReaders(@Nullable Executor searchers, int furtherMax, int idleMax) {
    this.searchers = searchers;
    this.furtherMax = furtherMax;
    this.idleMax = idleMax;
  }

  /// @param searchers who looks through blocks ahead; null for nobody
  static BlockReaders of(@Nullable Executor searchers) {
    return new BlockReaders(searchers, FURTHER_MAX, IDLE_MAX);
  }

  @Nullable Executor searchers() {
    return searchers;
  }

  /// A reader, to be given back.
  synchronized BlockReader take(DiskFile file, SegmentChecksum checksum) {
    BlockReader reader = idle.poll();
    return reader == null ? new BlockReader(file, checksum) : reader.over(file, checksum);
  }

  synchronized void give(BlockReader reader) {
    if (over || idle.size() >= idleMax) {
      reader.close();
    } else {
      idle.push(reader); // the one whose buffers were used last
    }
  }

  /// Lets a cursor have one more reader than its own, until [#releaseFurther]; false when there are
  /// enough.
  synchronized boolean tryClaimFurther() {
    if (further >= furtherMax) {
      return false;
    }
    further++;
    return true;
  }

  synchronized void releaseFurther(int readers) {
    further -= readers;
  }

  @Override
  public synchronized void close() {
    over = true;
    idle.forEach(BlockReader::close);
    idle.clear();
  }
}
