package io.widerow.storage.scan;

import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// Iterator over the blocks of a partition that a scan must read, in its order: the blocks in its
/// range, except blocks that the token filters of their groups rule out. A group's filter is read
/// when the scan reaches its first block.
///
/// - Threads: the cursor's.
/// - Memory: that of [TokenGroups], if the scan tests tokens.
final class BlockOrder {
  private static final BitSet NONE = new BitSet();

  /// No block.
  static final int END = -1;

  private final SegmentIndex index;
  private final Filter filter;
  private final @Nullable TokenGroups tokens; // null when the scan tests no tokens
  private final @Nullable RunSpans spans; // null when all times are wanted
  private final int step;
  private final int[] ahead = new int[1 << 5]; // a ring
  private int aheadFrom;
  private int aheadCount;
  private int block; // after those in `ahead`
  private int left; // from that block on
  private int ruledOut;
  private BitSet without = NONE;

  BlockOrder(Segment segment, SegmentIndex index, Scan scan, ReadDeadline deadline) {
    this.index = index;
    this.filter = scan.filter();
    this.spans = RunSpans.of(scan);
    this.step = scan.descending() ? -1 : 1;
    this.tokens =
        TokenGroups.tell(segment, filter)
            ? new TokenGroups(segment, deadline, scan.watch()::block)
            : null;
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
    if (spans != null && !spans.touch(index.first(candidate), index.last(candidate))) {
      ruledOut++;
      return false;
    }
    if (tokens != null && !tokens.mayKeep(index.blocksBefore + candidate, filter)) {
      ruledOut++;
      return false;
    }
    return true;
  }
}
