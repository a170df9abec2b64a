package io.widerow.storage.scan;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.EventView;
import io.widerow.event.Level;
import io.widerow.event.PartitionKey;
import io.widerow.storage.Damage;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.Scan;
import io.widerow.storage.ScanStatistics;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.cursor.MergeCursor;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.BlockPruner;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.ColumnProjection;
import io.widerow.storage.segment.ColumnReader;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads a range of one partition of a segment, in either direction.
///
/// ```
///  range -> filters of groups -> directory -> ids -> filter's columns -> wanted columns
///              |                    |           |       |
///              +------ nothing -----+-- skip the block  +-- no row left: skip the columns
/// ```
///
/// - Threads: one. After a block that had to be filtered, others look through the next blocks
///   meanwhile, see [BlockPrefilters].
/// - Memory: one block, and up to two more while others look ahead. Holds a lease on the segment
///   until [#close].
public final class SegmentCursor implements EventCursor {
  private final Segment segment;
  private final PartitionKey key;
  private final MemorySegment type; // its name, UTF-8
  private final BlockWalk blocks;
  private final Scan scan;
  private final ScanWatch watch;
  private final long arrivedFrom;
  private final long arrivedUntil;
  private final BlockView shown;
  private final BlockView filtered;
  private final AttributeValue scratch = new AttributeValue();
  private final int step;
  private BlockPrefilter prefilter; // of the block that is shown
  private BlockReader reader; // that of the prefilter
  private boolean searching; // the last block had to be filtered
  private int row;
  private int rowsLeft;
  private boolean filtering;
  private Filter left; // of the filter, to test on the block's events
  private @Nullable BitSet candidates; // rows of the block that the filter may keep; null for all
  private boolean columnsRead;
  private boolean open = true;
  private boolean yields; // see `yielding`
  private boolean crowded;
  private long held; // bytes reported to the watch
  private long eventsScanned;
  private long eventsKept;

  /// Opens a cursor over a partition; it has no events when the partition is not there. The caller
  /// must hold a lease on the segment, or be its owner; the cursor takes a lease of its own.
  public static EventCursor open(Segment segment, PartitionKey key, Scan scan) {
    return open(segment, key, scan, BlockReaders.NONE, Prefetch.OFF);
  }

  /// The same, for a reader of several partitions. There are no events when the segment is null,
  /// because the scan has passed over it.
  public static EventCursor open(
      @Nullable Segment segment,
      PartitionKey key,
      Scan scan,
      BlockReaders readers,
      Prefetch prefetch) {
    return segment == null
        ? MergeCursor.of(List.of(), scan.descending())
        : leased(segment, key, scan, readers, prefetch);
  }

  /// Opens a cursor over a partition that passes over some of its blocks.
  public static EventCursor openWithout(Segment segment, PartitionKey key, BitSet without) {
    SegmentCursor cursor = leased(segment, key, Scan.all(), BlockReaders.NONE, Prefetch.OFF);
    cursor.blocks.without(without);
    return cursor;
  }

  /// A place of an event in a partition of a segment, and its number in the order of arrival.
  ///
  /// @param block number of the block in the partition, from 0
  /// @param blocks how many these are
  /// @param row number of the event in the block, from 0
  public record Place(int block, int blocks, int row, long arrival) {}

  /// Finds the latest write of an id; null when the partition has none here.
  public static @Nullable Place find(
      Segment segment, PartitionKey key, EventId id, BlockReaders readers) {
    Scan scan = Scan.all().withRange(id, id.next());
    Place found = null;
    try (SegmentCursor cursor = leased(segment, key, scan, readers, Prefetch.OFF)) {
      while (cursor.next() == Step.EVENT) {
        long arrival = cursor.event().arrival();
        if (found == null || arrival > found.arrival) {
          found = new Place(cursor.blocks.block(), cursor.blocks.blocks(), cursor.row, arrival);
        }
      }
    }
    return found;
  }

  static SegmentCursor leased(
      Segment segment, PartitionKey key, Scan scan, BlockReaders readers, Prefetch prefetch) {
    SegmentIndex found = segment.index(key);
    if (!segment.tryAcquire()) {
      throw new IllegalStateException("segment " + segment.segmentId() + " is closed");
    }
    try {
      return new SegmentCursor(segment, key, found, scan, readers, prefetch);
    } catch (Throwable failure) {
      segment.release();
      throw failure;
    }
  }

  private SegmentCursor(
      Segment segment,
      PartitionKey key,
      @Nullable SegmentIndex index,
      Scan scan,
      BlockReaders readers,
      Prefetch prefetch) {
    this.segment = segment;
    this.step = scan.descending() ? -1 : 1;
    this.arrivedFrom = scan.arrivedFrom(key.shard());
    this.arrivedUntil = scan.arrivedUntil(key.shard());
    this.blocks = new BlockWalk(segment, index, scan, readers, prefetch);
    this.prefilter = blocks.prefilter();
    this.reader = prefilter.reader();
    this.key = key;
    this.type = MemorySegment.ofArray(key.type().getBytes(StandardCharsets.UTF_8));
    this.scan = scan;
    this.left = scan.filter();
    this.watch = scan.watch();
    this.shown = new BlockView(scan);
    this.filtered = new BlockView(scan.withColumns(null));
  }

  @Override
  public Step next() {
    return EventCursor.searchThrough(this);
  }

  /// A piece is a block.
  @Override
  public @Nullable Step search() {
    try {
      return advance();
    } catch (StorageException.Corrupt damaged) {
      StorageException.Corrupt told = segment.damaged(damaged, key, blocks.block());
      return passOver(told, told);
    } catch (StorageException.Unreachable away) {
      return passOver(away.unread(segment.path(), blocks.offset()), away);
    }
  }

  /// Passes over a block, or ends with the failure.
  private @Nullable Step passOver(StorageException.Corrupt told, StorageException failure) {
    rowsLeft = 0;
    if (watch.passesOver(ScanWatch.Unread.of(told, Damage.Kind.BLOCK, blocks.info()))) {
      return blocks.isAtEnd() ? Step.END : null;
    }
    blocks.end(); // no later event is shown as if it were the next
    throw failure;
  }

  private @Nullable Step advance() {
    boolean searched = false;
    while (true) {
      while (rowsLeft > 0 && passToCandidate()) {
        row += step;
        rowsLeft--;
        eventsScanned++;
        watch.event();
        if (!wantsAllArrivals() && !isWantedArrival(filtered.arrival())) {
          continue;
        }
        if (!filtering || FilterEvaluation.keeps(left, filtered, scratch)) {
          eventsKept++;
          if (!columnsRead) {
            prefilter.readColumns();
            columnsRead = true;
            tellMemory();
          }
          return Step.EVENT;
        }
      }
      if (blocks.isAtEnd()) {
        return Step.END;
      }
      if (searched) {
        return null;
      }
      openBlock();
      searched = true;
    }
  }

  @Override
  public EventId bound() {
    return blocks.bound();
  }

  private boolean wantsAllArrivals() {
    return arrivedFrom == 0 && arrivedUntil == Long.MAX_VALUE;
  }

  private boolean isWantedArrival(long arrival) {
    return arrival >= arrivedFrom && arrival < arrivedUntil;
  }

  /// Passes over rows that the filter does not keep. False when no other row is left.
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

  private void openBlock() {
    columnsRead = false;
    shown.clear();
    filtered.clear();
    boolean keepsSome = blocks.next(searching);
    prefilter = blocks.prefilter();
    reader = prefilter.reader();
    searching = false;
    if (!keepsSome) {
      return;
    }
    filtering = prefilter.verdict() != BlockPruner.Verdict.EVERYTHING;
    left = prefilter.left();
    reader.readIds();
    int events = reader.directory().events;
    int first = rowOf(scan.from(), events);
    int limit = Math.max(first, rowOf(scan.until(), events));
    rowsLeft = limit - first;
    row = scan.descending() ? limit : first - 1;
    candidates = filtering && rowsLeft > 0 ? prefilter.candidates() : null;
    searching = candidates != null;
    tellMemory();
  }

  /// Reports the memory that this holds. When that is too much, [#close] takes the report back.
  private void tellMemory() {
    long more = blocks.heldBytes() - held;
    if (yields) {
      crowded = !watch.tryHoldBlock(more);
      held += crowded ? 0 : more;
      return;
    }
    held += more;
    watch.holds(more);
  }

  /// Makes this cursor request room, and report when there is none, see [#isCrowded].
  SegmentCursor yielding() {
    yields = true;
    return this;
  }

  /// True when there is no room for the block of the current event.
  boolean isCrowded() {
    return crowded;
  }

  private int rowOf(EventId id, int events) {
    return reader.ids().firstRow(events, id.time(), id.tail());
  }

  @Override
  public EventView event() {
    return shown;
  }

  @Override
  public ScanStatistics statistics() {
    return blocks.statistics(eventsScanned, eventsKept);
  }

  @Override
  public void close() {
    if (open) {
      open = false;
      blocks.close();
      segment.release();
      watch.holds(-held);
    }
  }

  /// The current row as an event, with all columns or some.
  private final class BlockView implements EventView {
    private final ColumnProjection asked;
    private final RowLevels levels;

    BlockView(Scan wanted) {
      this.asked = new ColumnProjection(wanted);
      this.levels = new RowLevels(wanted);
    }

    void clear() {
      asked.clear();
      levels.clear();
    }

    @Override
    public @Nullable Level level(AttributeValue value) {
      return levels.of(reader, row, value);
    }

    @Override
    public String type() {
      return key.type();
    }

    @Override
    public void readType(AttributeValue out) {
      out.setText(AttributeKind.STRING, type, 0, (int) type.byteSize());
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
    public boolean find(AttributeName name, AttributeValue out) {
      ColumnReader column = asked.find(name, reader);
      return column != null && (column.value(row, out) || findOtherKind(asked.lastColumn(), out));
    }

    /// A value of another kind is in another column of the same name.
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
}
