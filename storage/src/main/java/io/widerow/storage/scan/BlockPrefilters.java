package io.widerow.storage.scan;

import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.cursor.ParallelPrefetch;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Parallel prefilter of a scan's blocks: it filters or folds them, the next ones ahead on other
/// threads. Blocks that are shown whole stay with the cursor: decoding them on other threads took a
/// tenth more processor time and no less wall time.
///
/// - Threads: the cursor's; others only filter or fold, see [ParallelPrefetch].
/// - Memory: one block reader, and while it works ahead as many more as [BlockReaders] grants.
///   [#close] waits for the other threads and gives the readers back.
final class BlockPrefilters implements ParallelPrefetch.Pieces<BlockPrefilter>, AutoCloseable {
  private final Segment segment;
  private final BlockReaders readers;
  private final Scan scan;
  private final @Nullable BlockOrder order;
  private final List<BlockPrefilter> all = new ArrayList<>();
  private final ParallelPrefetch<BlockPrefilter> ahead;

  /// @param order the scan's; null when it has no blocks
  BlockPrefilters(Segment segment, BlockReaders readers, Scan scan, @Nullable BlockOrder order) {
    this.segment = segment;
    this.readers = readers;
    this.scan = scan;
    this.order = order;
    this.ahead = new ParallelPrefetch<>(this, readers.searchers());
  }

  /// The cursor's first prefilter, without a block.
  BlockPrefilter first() {
    assert all.isEmpty() : "not the first";
    return make();
  }

  private BlockPrefilter make() {
    BlockPrefilter prefilter =
        new BlockPrefilter(segment, readers.take(segment), scan, readers.deadline());
    all.add(prefilter);
    return prefilter;
  }

  /// Opens the scan's next block and returns its prefilter.
  ///
  /// @param done the cursor's previous prefilter, to be reused
  /// @param worthwhile whether other threads may work ahead
  /// @throws StorageException.Corrupt when the block is damaged; of one that others looked through
  ///   [BlockPrefilter#requireLookedThrough] says so
  BlockPrefilter look(int block, BlockPrefilter done, boolean worthwhile) {
    BlockPrefilter looked = ahead.next(block, done, worthwhile);
    if (looked != null) {
      return looked;
    }
    done.look(index(), block);
    return done;
  }

  @Override
  public int peek(int distance) {
    return order == null ? END : order.peek(distance);
  }

  @Override
  public @Nullable BlockPrefilter more() {
    return readers.tryClaimFurther(all.size()) ? make() : null;
  }

  @Override
  public void lookThrough(BlockPrefilter prefilter, int block) {
    prefilter.lookThrough(index(), block);
  }

  private SegmentIndex index() {
    return Objects.requireNonNull(order).index();
  }

  /// Memory of the prefilters other than the cursor's own.
  long heldBytes(BlockPrefilter own) {
    long bytes = 0;
    for (BlockPrefilter prefilter : all) {
      bytes += prefilter == own ? 0 : prefilter.heldBytes();
    }
    return bytes;
  }

  @Override
  public void close() {
    ahead.close();
    all.forEach(prefilter -> readers.give(prefilter.reader()));
    readers.releaseFurther(Math.max(0, all.size() - 1));
    all.clear();
  }
}
