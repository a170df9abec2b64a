package io.widerow.storage.scan;

import io.widerow.storage.Scan;
import io.widerow.storage.StorageException;
import io.widerow.storage.cursor.LookAhead;
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
/// - Threads: the cursor's; others only look, see [LookAhead].
/// - Memory: a reader, and while blocks are looked at ahead those that [BlockReaders] lets it have.
///   [#close] returns when nobody looks any more, and gives them back.
final class BlockScouts implements LookAhead.Pieces<BlockScout>, AutoCloseable {
  private final Segment segment;
  private final BlockReaders readers;
  private final Scan scan;
  private final @Nullable BlockOrder order;
  private final List<BlockScout> all = new ArrayList<>();
  private final LookAhead<BlockScout> ahead;

  /// @param order the scan's, null when it has no blocks
  BlockScouts(Segment segment, BlockReaders readers, Scan scan, @Nullable BlockOrder order) {
    this.segment = segment;
    this.readers = readers;
    this.scan = scan;
    this.order = order;
    this.ahead = new LookAhead<>(this, readers.searchers());
  }

  /// The cursor's first one, that has no block yet.
  BlockScout first() {
    assert all.isEmpty() : "not the first";
    return make();
  }

  private BlockScout make() {
    BlockScout scout = new BlockScout(readers.take(segment), scan);
    all.add(scout);
    return scout;
  }

  /// The scan's next block, looked at.
  ///
  /// @param done the scout that it had before, for another block
  /// @param worthwhile true when others may look through these
  /// @throws StorageException.Corrupt as reading it did
  BlockScout look(int block, BlockScout done, boolean worthwhile) {
    BlockScout looked = ahead.next(block, done, worthwhile);
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
  public @Nullable BlockScout more() {
    return readers.tryClaimFurther(all.size()) ? make() : null;
  }

  @Override
  public void lookThrough(BlockScout scout, int block) {
    scout.lookThrough(index(), block);
  }

  private SegmentIndex index() {
    return Objects.requireNonNull(order).index();
  }

  /// Memory of those that are not the cursor's.
  long heldBytes(BlockScout own) {
    long bytes = 0;
    for (BlockScout scout : all) {
      bytes += scout == own ? 0 : scout.heldBytes();
    }
    return bytes;
  }

  @Override
  public void close() {
    ahead.close();
    all.forEach(scout -> readers.give(scout.reader()));
    readers.releaseFurther(Math.max(0, all.size() - 1));
    all.clear();
  }
}
