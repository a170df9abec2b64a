package io.widerow.storage;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// A block, and what a scan's filter has to say of it before any event is looked at: whether it
/// keeps something, and which rows it may keep.
///
/// - Threads: one at a time.
/// - Memory: its reader's, which others own.
final class BlockScout {
  private final BlockReader reader;
  private final BlockPruner pruner;
  private final BlockSearch search;
  private final Filter filter;
  private BlockPruner.Verdict verdict = BlockPruner.Verdict.NOTHING;
  private @Nullable BitSet candidates;
  private boolean searched;
  private volatile long heldBytes; // others ask

  BlockScout(BlockReader reader, Filter filter) {
    this.reader = reader;
    this.pruner = new BlockPruner(reader.directory());
    this.search = new BlockSearch(reader);
    this.filter = filter;
  }

  /// Opens a block, and forgets the one before.
  void look(SegmentIndex index, int block) {
    candidates = null;
    searched = false;
    reader.open(index, block);
    verdict = pruner.verdict(filter);
  }

  /// The same, with all that whoever filters the block will want.
  void lookThrough(SegmentIndex index, int block) {
    look(index, block);
    if (verdict == BlockPruner.Verdict.SOMETHING) {
      reader.readIds();
      BitSet _ = candidates();
    }
    heldBytes = reader.heldBytes();
  }

  BlockReader reader() {
    return reader;
  }

  BlockPruner.Verdict verdict() {
    return verdict;
  }

  /// The rows of a block that the filter may keep; null when they may be any.
  @Nullable BitSet candidates() {
    if (!searched) {
      candidates = search.rows(filter);
      searched = true;
    }
    return candidates;
  }

  /// What it held behind the last block that it looked through. Called by any thread.
  long heldBytes() {
    return heldBytes;
  }
}
