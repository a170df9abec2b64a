package io.widerow.storage.scan;

import io.widerow.event.EventId;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.StorageException;
import io.widerow.storage.segment.BlockPruner;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import java.util.BitSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Opens the blocks of a partition that a scan must read, one after the other. The next ones are
/// requested from the disk ahead, see [Prefetch], and filtered ahead, see [BlockPrefilters].
///
/// - Threads: the cursor's.
/// - Memory: that of the prefilters, until [#close].
final class BlockWalk implements AutoCloseable {
  /// Blocks whose heads are read ahead when they are filtered: so many requests keep an SSD busy.
  private static final int HEADS_AHEAD = 16;

  private final Segment segment;
  private final Scan scan;
  private final @Nullable BlockOrder order; // null when the partition is not here
  private final BlockPrefilters prefilters;
  private final Prefetch prefetch;
  private BlockPrefilter prefilter; // the one that has the block
  private int block; // the one that was opened last
  private int requested; // from `prefetch`, after that block
  private long bytesBefore; // read of earlier blocks
  private long blocksRead;
  private long blocksSkipped;

  /// @param index of the partition; null when it is not here
  BlockWalk(
      Segment segment,
      @Nullable SegmentIndex index,
      Scan scan,
      BlockReaders readers,
      Prefetch prefetch) {
    this.segment = segment;
    this.scan = scan;
    this.order = index == null ? null : new BlockOrder(segment, index, scan, readers.deadline());
    this.prefilters = new BlockPrefilters(segment, readers, scan, order);
    this.prefetch = prefetch;
    this.prefilter = prefilters.first();
  }

  /// Excludes blocks. Call it before the first block is opened.
  void without(BitSet blocks) {
    if (order != null) {
      order.without(blocks);
    }
  }

  private BlockOrder order() {
    return Objects.requireNonNull(order);
  }

  boolean isAtEnd() {
    return order == null || order.peek(0) == BlockOrder.END;
  }

  /// Ends the walk.
  void end() {
    order().end();
  }

  /// The first id of the next block in the scan's direction. Call it before the end only.
  EventId bound() {
    SegmentIndex index = order().index();
    int next = order().peek(0);
    return scan.descending() ? index.last(next) : index.first(next);
  }

  /// Number of the block that was opened last, also when that failed.
  int block() {
    return block;
  }

  /// File offset of that block.
  long offset() {
    return order().index().offset(block);
  }

  /// Number of blocks of the partition.
  int blocks() {
    return order().index().blocks;
  }

  /// The events of the block that was opened last.
  PartitionInfo info() {
    return order().index().info(block);
  }

  /// Opens the next block. Returns false when the filter keeps none of its events.
  ///
  /// @param worthwhile whether other threads may work on the blocks after it
  /// @throws StorageException.Corrupt when the block is damaged
  boolean next(boolean worthwhile) {
    BlockOrder blocks = order();
    block = blocks.next();
    scan.watch().block();
    long bytes = prefilter.reader().bytesRead();
    prefilter = prefilters.look(block, prefilter, worthwhile);
    bytesBefore += bytes;
    prefilter.requireLookedThrough(); // now that the walk has the prefilter, to be reused
    requestAhead(blocks);
    if (prefilter.verdict() == BlockPruner.Verdict.NOTHING) {
      blocksSkipped++;
      return false;
    }
    blocksRead++;
    return true;
  }

  /// Requests the next block ahead; when blocks are filtered, the heads of several, which may rule
  /// them out.
  private void requestAhead(BlockOrder blocks) {
    requested = Math.max(0, requested - 1);
    if (prefilter.reader().waited()) {
      prefetch.waited();
    }
    if (!prefetch.isWanted()) {
      return;
    }
    int most = Prefetch.Range.readsAll(scan) ? 1 : HEADS_AHEAD;
    for (; requested < most; requested++) {
      int next = blocks.peek(requested);
      if (next == BlockOrder.END) {
        return;
      }
      prefetch.next(Prefetch.Range.of(segment, blocks.index(), next, scan));
    }
  }

  /// The prefilter of the block that was opened last.
  BlockPrefilter prefilter() {
    return prefilter;
  }

  /// Bytes that the block holds, and those that are looked through ahead.
  long heldBytes() {
    return prefilter.ownBytes() + prefilters.heldBytes(prefilter);
  }

  /// The statistics of the blocks so far, with those of the events.
  ScanStatistics statistics(long eventsScanned, long eventsKept) {
    BlockOrder blocks = order;
    return new ScanStatistics(
        blocksRead,
        blocksSkipped + (blocks == null ? 0 : blocks.ruledOut()),
        (blocks == null ? 0 : blocks.bytesRead()) + bytesBefore + prefilter.reader().bytesRead(),
        eventsScanned,
        eventsKept);
  }

  @Override
  public void close() {
    prefilters.close();
  }
}
