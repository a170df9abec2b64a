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

/// Iterator over the blocks of a partition that a scan must read, in its order: those in its range,
/// without those that the token filters of their groups rule out. A group's filter is read when the
/// scan reaches its first block.
///
/// - Threads: the cursor's.
/// - Memory: a page of a [GroupFilter], if the scan tests tokens.
final class BlockOrder {
  private static final BitSet NONE = new BitSet();

  /// No block.
  static final int END = -1;

  private final Segment segment;
  private final SegmentIndex index;
  private final SegmentGroups groups;
  private final Filter filter;
  private final ScanWatch watch;
  private final @Nullable GroupFilter tokens; // null when the scan tests no tokens
  private final int step;
  private final int[] ahead = new int[1 << 5]; // a ring
  private int aheadFrom;
  private int aheadCount;
  private int block; // after those in `ahead`
  private int left; // from that block on
  private int ruledOut;
  private BitSet without = NONE;
  private int group = -1; // read last
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

  /// Excludes further blocks. Call it before the first block is requested.
  void without(BitSet blocks) {
    without = blocks;
  }

  SegmentIndex index() {
    return index;
  }

  /// Moves to the next block and returns it; [#END] when there is none.
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

  /// Ends the iteration.
  void end() {
    left = 0;
    aheadCount = 0;
  }

  /// Number of the partition's blocks known to need no reading.
  int ruledOut() {
    return ruledOut;
  }

  /// Bytes read to find that out.
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

  /// A damaged filter rules nothing out, because the blocks themselves can be read.
  private long ask(GroupFilter asked, int its) {
    try {
      return asked.mayKeep(its, filter);
    } catch (StorageException.Corrupt damaged) {
      segment.filterDamaged(damaged);
      return -1;
    }
  }
}
