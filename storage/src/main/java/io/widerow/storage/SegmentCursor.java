package io.widerow.storage;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import java.util.BitSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Reads a range of one partition of a segment, in either direction.
///
/// ```
///  range -> filters of groups -> directory -> ids -> filter's columns -> wanted columns
///              |                    |           |       |
///              +------ nothing -----+-- skip the block  +-- no row left: skip the columns
/// ```
///
/// - Threads: one; others look through the next blocks meanwhile, where one had to be filtered or
///   was folded, see [BlockScouts].
/// - Memory: one block, and up to two more where others look.
final class SegmentCursor implements EventCursor {
  /// Blocks that are filtered and have their heads read ahead: so many requests keep an SSD busy.
  private static final int HEADS_AHEAD = 16;

  private final Segment segment;
  private final BlockScouts scouts;
  private final PartitionKey key;
  private final @Nullable BlockOrder order; // null when the partition is not here
  private final Scan scan;
  private final ScanWatch watch;
  private final long arrivedFrom;
  private final Prefetch prefetch;
  private final Lease lease;
  private final BlockView shown;
  private final BlockView filtered;
  private final FoldView folded = new FoldView();
  private final AttributeValue scratch = new AttributeValue();
  private final int step;
  private BlockScout scout; // has the block
  private BlockReader reader; // its
  private int block; // that was opened last
  private int blocksAhead; // that were asked of `prefetch`
  private boolean searching; // the block before had to be looked through, or was folded
  private int row;
  private int rowsLeft;
  private boolean filtering;
  private @Nullable BlockFold folding; // shows the block; null when its rows are
  private @Nullable BitSet candidates; // of the block, that the filter may keep; null for all
  private boolean columnsRead;
  private boolean open = true;
  private long held; // bytes that the watch was told of
  private long bytesBefore; // read of the blocks before
  private long blocksRead;
  private long blocksSkipped;
  private long eventsScanned;
  private long eventsKept;

  /// @param arrivedFrom the first arrival that is shown
  SegmentCursor(
      Segment segment,
      PartitionKey key,
      @Nullable SegmentIndex index,
      Scan scan,
      long arrivedFrom,
      BlockReaders readers,
      Prefetch prefetch,
      Lease lease) {
    this.segment = segment;
    this.step = scan.descending() ? -1 : 1;
    this.order = index == null ? null : new BlockOrder(segment, index, scan, readers.haste());
    Scan looked = arrivedFrom > 0 ? scan.withFold(null) : scan; // a fold knows no arrivals
    this.scouts = new BlockScouts(segment, readers, looked, order);
    this.scout = scouts.first();
    this.reader = scout.reader();
    this.key = key;
    this.scan = scan;
    this.watch = scan.watch();
    this.arrivedFrom = arrivedFrom;
    this.prefetch = prefetch;
    this.lease = lease;
    this.shown = new BlockView(scan);
    this.filtered = new BlockView(scan.withColumns(null));
  }

  /// Passes over some blocks. Before anything is read.
  SegmentCursor without(BitSet blocks) {
    if (order != null) {
      order.without(blocks);
    }
    return this;
  }

  @Override
  public Step next() {
    try {
      return advance();
    } catch (StorageException.Corrupt damaged) {
      Objects.requireNonNull(order).end(); // nothing behind it is shown as if it were the next
      rowsLeft = 0;
      throw segment.damaged(damaged, key, block);
    }
  }

  private Step advance() {
    while (true) {
      if (folding != null) {
        if (showFolded(folding)) {
          return Step.EVENT;
        }
        folding = null;
      }
      while (rowsLeft > 0 && passToCandidate()) {
        row += step;
        rowsLeft--;
        eventsScanned++;
        watch.event();
        if (arrivedFrom > 0 && filtered.arrival() < arrivedFrom) {
          continue;
        }
        if (!filtering || FilterEvaluation.keeps(scan.filter(), filtered, scratch)) {
          eventsKept++;
          if (!columnsRead) {
            scout.readColumns();
            columnsRead = true;
            tellMemory();
          }
          return Step.EVENT;
        }
      }
      if (order == null) {
        return Step.END;
      }
      int next = order.next();
      if (next == BlockOrder.END) {
        return Step.END;
      }
      openBlock(order, next);
    }
  }

  private boolean showFolded(BlockFold alike) {
    if (!alike.next()) {
      return false;
    }
    row = alike.row();
    eventsKept += alike.weight();
    return true;
  }

  /// Passes over rows that are known not to be kept. False when there is no other.
  private boolean passToCandidate() {
    BitSet rows = candidates;
    if (rows == null) {
      return true;
    }
    int next = step > 0 ? rows.nextSetBit(row + 1) : row > 0 ? rows.previousSetBit(row - 1) : -1;
    int passed = next < 0 ? rowsLeft : Math.min(rowsLeft, Math.abs(next - row) - 1);
    row += step * passed;
    rowsLeft -= passed;
    eventsScanned += passed;
    watch.passed(passed);
    return rowsLeft > 0;
  }

  private void openBlock(BlockOrder blocks, int opened) {
    block = opened;
    watch.block();
    columnsRead = false;
    shown.asked.clear();
    filtered.asked.clear();
    long bytes = reader.bytesRead();
    scout = scouts.look(opened, scout, searching);
    bytesBefore += bytes;
    reader = scout.reader();
    BlockPruner.Verdict verdict = scout.verdict();
    readAhead(blocks);
    searching = false;
    if (verdict == BlockPruner.Verdict.NOTHING) {
      blocksSkipped++;
      return;
    }
    blocksRead++;
    filtering = verdict != BlockPruner.Verdict.EVERYTHING;
    if (openFolded(blocks.index(), opened)) {
      return;
    }
    int events = reader.directory().events;
    int first = rowOf(scan.from(), events);
    int limit = Math.max(first, rowOf(scan.until(), events));
    rowsLeft = limit - first;
    row = scan.descending() ? limit : first - 1;
    candidates = filtering && rowsLeft > 0 ? scout.candidates() : null;
    searching = candidates != null;
    tellMemory();
  }

  /// False when the block's events must be looked at one by one; its ids are read then.
  private boolean openFolded(SegmentIndex blocks, int opened) {
    BlockFold alike = filtering ? null : scout.folded(blocks, opened);
    if (alike == null) {
      reader.readIds();
      return false;
    }
    folding = alike;
    searching = true;
    eventsScanned += alike.wanted();
    watch.passed(alike.wanted());
    tellMemory();
    return true;
  }

  /// Has the next block read ahead; of several, when they are filtered, what may rule them out.
  private void readAhead(BlockOrder blocks) {
    blocksAhead = Math.max(0, blocksAhead - 1);
    if (reader.waited()) {
      prefetch.waited();
    }
    if (!prefetch.isWanted()) {
      return;
    }
    int most = Prefetch.Range.readsAll(scan) ? 1 : HEADS_AHEAD;
    for (; blocksAhead < most; blocksAhead++) {
      int next = blocks.peek(blocksAhead);
      if (next == BlockOrder.END) {
        return;
      }
      prefetch.next(Prefetch.Range.of(segment, blocks.index(), next, scan));
    }
  }

  /// What was told before it is too much is given back by [#close].
  private void tellMemory() {
    long more = scout.ownBytes() + scouts.heldBytes(scout) - held;
    held += more;
    watch.holds(more);
  }

  private int rowOf(EventId id, int events) {
    return reader.ids().firstRow(events, id.time(), id.tail());
  }

  @Override
  public EventView event() {
    return folding == null ? shown : folded;
  }

  @Override
  public ScanStatistics statistics() {
    long ruledOut = order == null ? 0 : order.ruledOut();
    long bytesAsked = order == null ? 0 : order.bytesRead();
    return new ScanStatistics(
        blocksRead,
        blocksSkipped + ruledOut,
        bytesAsked + bytesBefore + reader.bytesRead(),
        eventsScanned,
        eventsKept);
  }

  @Override
  public void close() {
    if (open) {
      open = false;
      scouts.close();
      lease.release();
      watch.holds(-held);
    }
  }

  /// The current row as an event, with all columns or with some.
  private final class BlockView implements EventView {
    private final AskedColumns asked;

    BlockView(Scan wanted) {
      this.asked = new AskedColumns(wanted);
    }

    @Override
    public long idTime() {
      return reader.ids().times[row];
    }

    @Override
    public long idTail() {
      return reader.ids().tails[row];
    }

    @Override
    public long version() {
      return reader.ids().versions[row];
    }

    @Override
    public String type() {
      return key.type();
    }

    @Override
    public boolean find(AttributeName name, AttributeValue out) {
      ColumnReader column = asked.find(name, reader);
      return column != null && (column.value(row, out) || findOtherKind(asked.lastColumn(), out));
    }

    /// Another column of the same name has what is of another kind.
    private boolean findOtherKind(int column, AttributeValue out) {
      BlockDirectory directory = reader.directory();
      int next = directory.findNext(column);
      while (next >= 0 && !reader.column(next).value(row, out)) {
        next = directory.findNext(next);
      }
      return next >= 0;
    }

    @Override
    public void forEach(AttributeValue value, AttributeVisitor visitor) {
      BlockDirectory directory = reader.directory();
      int count = asked.countShown(directory);
      for (int i = 0; i < count; i++) {
        int column = asked.shown(i);
        if (reader.column(column).value(row, value)) {
          visitor.visit(directory.names[column], value);
        }
      }
    }
  }

  /// An event that stands for others of its block, see [BlockFold].
  private final class FoldView implements EventView {
    @Override
    public long weight() {
      return Objects.requireNonNull(folding).weight();
    }

    @Override
    public long idTime() {
      return Objects.requireNonNull(folding).idTime();
    }

    @Override
    public long idTail() {
      return Objects.requireNonNull(folding).idTail();
    }

    @Override
    public long version() {
      return EventLayout.VERSION_ASSIGNED; // others may replace each other, and are not folded
    }

    @Override
    public String type() {
      return key.type();
    }

    @Override
    public boolean find(AttributeName name, AttributeValue out) {
      return shown.find(name, out);
    }

    @Override
    public void forEach(AttributeValue value, AttributeVisitor visitor) {
      shown.forEach(value, visitor);
    }
  }
}
