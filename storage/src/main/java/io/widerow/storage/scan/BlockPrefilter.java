package io.widerow.storage.scan;

import io.widerow.storage.Scan;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.BlockPruner;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.BlockSearch;
import io.widerow.storage.segment.SegmentIndex;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// A block, and what a scan has to say of it before any event is looked at: whether its filter
/// keeps something, which rows it may keep, and how many are alike.
///
/// - Threads: one at a time.
/// - Memory: its reader's, which others own.
final class BlockPrefilter {
  private final BlockReader reader;
  private final BlockPruner pruner;
  private final BlockSearch search;
  private final Scan scan;
  private final @Nullable BlockAggregation fold;
  private BlockPruner.Verdict verdict = BlockPruner.Verdict.NOTHING;
  private @Nullable BitSet candidates;
  private boolean searched;
  private boolean folded;
  private boolean foldTried;
  private volatile long heldBytes; // others ask

  BlockPrefilter(BlockReader reader, Scan scan) {
    this.reader = reader;
    this.pruner = new BlockPruner(reader.directory());
    this.search = new BlockSearch(reader);
    this.scan = scan;
    this.fold = scan.fold() == null ? null : new BlockAggregation(scan.fold(), scan, reader);
  }

  /// Opens a block, and forgets the one before.
  void look(SegmentIndex index, int block) {
    candidates = null;
    searched = false;
    foldTried = false;
    reader.open(index, block);
    verdict = pruner.verdict(scan.filter());
  }

  /// The same, with all that whoever filters or folds the block will want.
  void lookThrough(SegmentIndex index, int block) {
    look(index, block);
    switch (verdict) {
      case NOTHING -> {}
      case SOMETHING -> {
        reader.readIds();
        BitSet _ = candidates();
      }
      case EVERYTHING -> {
        BlockAggregation _ = folded(index, block);
      }
    }
    heldBytes = ownBytes();
  }

  /// Reads the columns that the scan shows.
  void readColumns() {
    BlockDirectory directory = reader.directory();
    for (int i = 0; i < directory.columns; i++) {
      if (scan.shows(directory.names[i])) {
        reader.column(i);
      }
    }
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
      candidates = search.rows(scan.filter());
      searched = true;
    }
    return candidates;
  }

  /// The events of a block of which the filter keeps everything, those counted that are alike; null
  /// when each must be looked at.
  ///
  /// @param block that it looks at
  @Nullable BlockAggregation folded(SegmentIndex index, int block) {
    BlockAggregation alike = fold;
    if (alike == null) {
      return null;
    }
    if (!foldTried) {
      folded = alike.open(index, block);
      foldTried = true;
    }
    return folded ? alike : null;
  }

  /// What it holds now.
  long ownBytes() {
    return reader.heldBytes() + (fold == null ? 0 : fold.heldBytes());
  }

  /// What it held behind the last block that it looked through. Called by any thread.
  long heldBytes() {
    return heldBytes;
  }
}
