package io.widerow.storage.scan;

import io.widerow.event.EventView;
import io.widerow.storage.segment.BlockLevels;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.SegmentIndex;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// Makes events that stand for several out of blocks: groups or runs, see
/// [io.widerow.storage.Grouping].
///
/// - Threads: one at a time.
interface BlockFold {
  /// Adds all events of a block without reading it. Returns false when that is not enough.
  boolean addCount(SegmentIndex index, int block);

  /// Adds rows of the block that is open in a reader. Nothing is added when a part of the block is
  /// damaged.
  ///
  /// @param levels those of the reader
  /// @param index of the block's partition, in which no event came with its own id
  /// @param kept the rows to add; null for all
  /// @throws io.widerow.storage.StorageException.Corrupt when it is damaged
  void add(
      BlockReader reader, BlockLevels levels, SegmentIndex index, int block, @Nullable BitSet kept);

  /// What was made so far.
  Result result();

  /// True when that should be shown before more is added.
  boolean isFull();

  /// Begins with nothing.
  void begin();

  /// Approximate memory held.
  long heldBytes();

  /// Events that stand for several.
  interface Result {
    /// Number of them.
    int size();

    /// Approximate memory held.
    long heldBytes();

    /// Shows them one after the other.
    Shown shown();
  }

  /// One of them.
  interface Shown extends EventView {
    /// Moves to the next one; false after the last.
    boolean next();
  }
}
