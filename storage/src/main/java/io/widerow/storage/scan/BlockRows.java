package io.widerow.storage.scan;

import io.widerow.event.EventId;
import io.widerow.storage.Filter;
import io.widerow.storage.Scan;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.segment.BlockLevels;
import io.widerow.storage.segment.BlockPruner;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// The rows that a scan keeps of one block after the other, by its range and its filter.
///
/// ```
///   block    0 1 2 3 4 5 6 7
///   range        ---------       scanned: 5
///   filter       x   x x         kept: 2, 4, 5
/// ```
///
/// - Threads: one.
/// - Memory: its reader's, which it does not own, and what the filter remembers of texts.
final class BlockRows {
  private final BlockReader reader;
  private final BlockLevels levels;
  private final BlockFilter filter;
  private Scan scan;
  private @Nullable RunSpans spans; // null when all times are wanted
  private BlockPrefilter prefilter;
  private @Nullable BitSet kept;
  private int scanned;

  /// @param reader of blocks of the segment
  /// @param scan its range, and its filter without tests of the type
  BlockRows(Segment segment, BlockReader reader, Scan scan, ReadDeadline deadline) {
    this.reader = reader;
    this.levels = new BlockLevels(reader);
    this.filter = new BlockFilter(reader, levels);
    this.scan = scan;
    this.spans = RunSpans.of(scan);
    this.prefilter = new BlockPrefilter(segment, reader, scan, deadline);
  }

  /// Goes on with another partition, which may lie in another segment.
  void over(Segment segment, Scan other, ReadDeadline deadline) {
    BlockReader same = reader.over(segment.file(), segment.checksum());
    scan = other;
    spans = RunSpans.of(other);
    prefilter = new BlockPrefilter(segment, same, other, deadline);
  }

  /// True when all of a block is in the range of a scan.
  static boolean isInside(SegmentIndex index, int block, Scan scan) {
    return index.first(block).compareTo(scan.from()) >= 0
        && index.last(block).compareTo(scan.until()) < 0;
  }

  /// Opens a block.
  ///
  /// @return false when its statistics rule out every row
  boolean open(SegmentIndex index, int block) {
    kept = null;
    scanned = 0;
    prefilter.look(index, block);
    BlockPruner.Verdict verdict = prefilter.verdict();
    if (verdict == BlockPruner.Verdict.NOTHING) {
      return false;
    }
    scanned = reader.directory().events;
    BitSet rows = null;
    if (spans != null) {
      reader.readIds();
      rows = spans.rows(reader.ids(), scanned, scan);
      scanned = rows.cardinality();
    } else if (!isInside(index, block, scan)) {
      reader.readIds();
      int first = rowOf(scan.from());
      int limit = Math.max(first, rowOf(scan.until()));
      rows = new BitSet();
      rows.set(first, limit);
      scanned = limit - first;
    }
    if (verdict == BlockPruner.Verdict.SOMETHING && scanned > 0) {
      rows = filter.rows(prefilter.left(), rows);
    }
    kept = rows == null || rows.cardinality() == reader.directory().events ? null : rows;
    return true;
  }

  /// Keeps the rows that another filter does not keep. False when all rows stay.
  boolean leaveOut(Filter other) {
    Filter left = prefilter.leftOf(other);
    BitSet all = kept;
    BitSet out = left == null ? new BitSet() : filter.rows(left, all);
    if (out != null && out.isEmpty()) {
      return false;
    }
    BitSet rows = new BitSet();
    if (out != null) {
      rows.set(0, reader.directory().events);
      rows.and(all == null ? rows : all);
      rows.andNot(out);
    }
    kept = rows;
    return true;
  }

  private int rowOf(EventId id) {
    return reader.ids().firstRow(reader.directory().events, id.time(), id.tail());
  }

  BlockReader reader() {
    return reader;
  }

  /// The levels of the open block.
  BlockLevels levels() {
    return levels;
  }

  /// Number of the open block's rows in the range.
  int scanned() {
    return scanned;
  }

  /// The rows of the open block that are kept; null for all.
  @Nullable BitSet kept() {
    return kept;
  }

  /// Number of these.
  int count() {
    BitSet rows = kept;
    return rows == null ? reader.directory().events : rows.cardinality();
  }

  /// Approximate memory held.
  long heldBytes() {
    return reader.heldBytes() + levels.heldBytes() + filter.heldBytes();
  }
}
