package io.widerow.storage.scan;

import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.segment.GroupFilter;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentGroups;
import io.widerow.storage.segment.SegmentIndex;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// The blocks of a partition that a scan looks at, in its order: those of its range, without those
/// that the filters of their groups rule out. A group is asked when its first block is come to.
///
/// - Threads: the cursor's.
/// - Memory: a page of a [GroupFilter], if there is one to ask.
final class BlockOrder {
  private static final BitSet NONE = new BitSet();

  /// No block.
  static final int END = -1;

  private final Segment segment;
  private final SegmentIndex index;
  private final SegmentGroups groups;
  private final Filter filter;
  private final ScanWatch watch;
  private final @Nullable GroupFilter tokens; // null when nothing asks for tokens
  private final int step;
  private final int[] ahead = new int[1 << 5]; // a ring
  private int aheadFrom;
  private int aheadCount;
  private int block; // behind those ahead
  private int left; // from it on
  private int ruledOut;
  private BitSet without = NONE;
  private int group = -1; // that was asked
  private long kept; // of its blocks

  BlockOrder(Segment segment, SegmentIndex index, Scan scan, ReadDeadline deadline) {
    this.segment = segment;
    this.index = index;
    this.groups = segment.groups();
    this.filter = scan.filter();
    this.watch = scan.watch();
    this.step = scan.descending() ? -1 : 1;
    boolean asks = groups.groups > 0 && GroupFilter.isAsked(filter);
    this.tokens = asks ? segment.groupFilter(deadline) : null;
    int first = index.firstBlock(scan.from());
    int limit = Math.max(first, index.limitBlock(scan.until()));
    block = scan.descending() ? limit - 1 : first;
    left = limit - first;
    ruledOut = index.blocks - left;
  }

  /// Leaves out some more. Before anything is asked.
  void without(BitSet blocks) {
    without = blocks;
  }

  SegmentIndex index() {
    return index;
  }

  /// Moves on to the next block and returns it; [#END] when there is none.
  int next() {
    int next = peek(0);
    if (next != END) {
      aheadFrom = (aheadFrom + 1) % ahead.length;
      aheadCount--;
    }
    return next;
  }

  /// The block that comes `distance` after the next one; [#END] when there is none.
  ///
  /// @param distance 0 to 31
  int peek(int distance) {
    while (aheadCount <= distance && left > 0) {
      int candidate = block;
      block += step;
      left--;
      if (keeps(candidate)) {
        ahead[(aheadFrom + aheadCount) % ahead.length] = candidate;
        aheadCount++;
      }
    }
    return distance < aheadCount ? ahead[(aheadFrom + distance) % ahead.length] : END;
  }

  /// There is no next block any more.
  void end() {
    left = 0;
    aheadCount = 0;
  }

  /// Blocks of the partition that need not be looked at, as far as it is known.
  int ruledOut() {
    return ruledOut;
  }

  /// Bytes that were read to know it.
  long bytesRead() {
    return tokens == null ? 0 : tokens.bytesRead();
  }

  private boolean keeps(int candidate) {
    if (without.get(candidate)) {
      return false;
    }
    if (tokens != null && !mayHaveTokens(tokens, candidate)) {
      ruledOut++;
      return false;
    }
    return true;
  }

  private boolean mayHaveTokens(GroupFilter asked, int candidate) {
    int number = index.blocksBefore + candidate;
    int its = groups.groupOf(number);
    if (its != group) {
      watch.block();
      group = its;
      kept = ask(asked, its);
    }
    return (kept >>> (number - groups.firstBlock(its)) & 1) != 0;
  }

  /// A filter that is damaged rules nothing out: the blocks themselves can be read.
  private long ask(GroupFilter asked, int its) {
    try {
      return asked.mayKeep(its, filter);
    } catch (StorageException.Corrupt damaged) {
      segment.filterDamaged(damaged);
      return -1;
    }
  }
}
