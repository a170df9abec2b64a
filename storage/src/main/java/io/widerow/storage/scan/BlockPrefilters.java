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

/// Looks through the blocks of a scan, filters or folds them, the next ones on other threads
/// meanwhile. Blocks that are shown whole are left to the cursor: to have others decode them took a
/// tenth more of the processors, and no less time.
///
/// - Threads: the cursor's; others only look, see [ParallelPrefetch].
/// - Memory: a reader, and while blocks are looked at ahead those that [BlockReaders] lets it have.
///   [#close] returns when nobody looks any more, and gives them back.
final class BlockPrefilters implements ParallelPrefetch.Pieces<BlockPrefilter>, AutoCloseable {
  private final Segment segment;
  private final BlockReaders readers;
  private final Scan scan;
  private final @Nullable BlockOrder order;
  private final List<BlockPrefilter> all = new ArrayList<>();
  private final ParallelPrefetch<BlockPrefilter> ahead;

  /// @param order the scan's, null when it has no blocks
  BlockPrefilters(Segment segment, BlockReaders readers, Scan scan, @Nullable BlockOrder order) {
    this.segment = segment;
    this.readers = readers;
    this.scan = scan;
    this.order = order;
    this.ahead = new ParallelPrefetch<>(this, readers.searchers());
  }

  /// The cursor's first one, that has no block yet.
  BlockPrefilter first() {
    assert all.isEmpty() : "not the first";
    return make();
  }

  private BlockPrefilter make() {
    BlockPrefilter prefilter = new BlockPrefilter(readers.take(segment), scan);
    all.add(prefilter);
    return prefilter;
  }

  /// The scan's next block, looked at.
  ///
  /// @param done the prefilter that it had before, for another block
  /// @param worthwhile true when others may look through these
  /// @throws StorageException.Corrupt as reading it did
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

  /// Memory of those that are not the cursor's.
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
