package io.widerow.storage.scan;

import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.Level;
import io.widerow.event.TimeUuid;
import io.widerow.storage.Grouping;
import io.widerow.storage.Scan;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.BlockLevels;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.SegmentIndex;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Aggregation within a block: it counts the events that a [Grouping] groups together, from the
/// codes of the columns, without visiting events. If, by the index, the block lies in one time
/// step, no id is read. If it lies in a few steps, only the times are read, in any order: the
/// number of times before a step's end is the row at which the step ends.
///
/// ```
///   rows     0  1  2  3  4 | 5  6  7        a step is a run of rows, for ids rise
///   region   0  1  0  2  1 | 1  1  0        codes of its dictionary, 3 of them
///   team     1  0  1  1  0 | 0  0  0        2 of them
///   cells    1  2  1  5  2 | 2  2  0        region * 2 + team
///   counts   cell 1: 2, cell 2: 2, cell 5: 1 | cell 2: 2, cell 0: 1
/// ```
///
/// - Threads: one.
/// - Memory: one int a row, three a cell.
final class BlockAggregation {
  /// Most steps to count from unordered times. For more, the ids are read, which are in order, and
  /// each step's end is found by binary search.
  private static final int STEPS_COUNTED = 8;

  /// Most combinations of values. A block with more is read event by event.
  private static final int CELLS_MAX = 1 << 14;

  private final Grouping fold;
  private final Scan scan;
  private final BlockReader reader;
  private final BlockLevels levels;
  private int[] cells = new int[0]; // by row
  private int[] counts = new int[0]; // by cell; zero between steps
  private int[] rows = new int[0]; // by cell: a row of it
  private int[] met = new int[0]; // cells of the step, in order of appearance
  private int metCount;
  private int shown = -1; // of `met`
  private int row;
  private int limit; // of the range's rows
  private int wanted;
  private long idTime; // of the step's first event
  private long idTail;
  private long lastNanos; // of the block's last event
  private boolean oneStep;
  private long @Nullable [] times; // of the block in any order, if they give the steps
  private long timeNext; // the least after the step

  /// @param reader that of its prefilter
  BlockAggregation(Grouping fold, Scan scan, BlockReader reader) {
    this.fold = fold;
    this.scan = scan;
    this.reader = reader;
    this.levels = new BlockLevels(reader);
  }

  /// Approximate memory held.
  long heldBytes() {
    return Integer.BYTES * (cells.length + 3L * counts.length) + levels.heldBytes();
  }

  /// Opens the rows of a block that are in the scan's range. Returns false when they must be read
  /// one by one; the ids are read by then.
  ///
  /// @param index index of a partition in which no event came with its own id
  /// @param block the block that is open in the reader
  boolean open(SegmentIndex index, int block) {
    int events = reader.directory().events;
    EventId first = index.first(block);
    EventId last = index.last(block);
    lastNanos = TimeUuid.nanosOf(last.time(), last.tail());
    long firstNanos = TimeUuid.nanosOf(first.time(), first.tail());
    oneStep = lastNanos < fold.stepLimit(firstNanos);
    idTime = first.time();
    idTail = first.tail();
    row = 0;
    limit = events;
    times = null;
    timeNext = idTime;
    boolean whole = first.compareTo(scan.from()) >= 0 && last.compareTo(scan.until()) < 0;
    if (whole && !oneStep && fold.isOfTicks() && steps(firstNanos) <= STEPS_COUNTED) {
      times = reader.readTimes();
    } else if (!whole || !oneStep) {
      reader.readIds();
      row = rowOf(scan.from());
      limit = Math.max(row, rowOf(scan.until()));
    }
    wanted = limit - row;
    metCount = 0;
    shown = -1;
    if (number(events)) {
      if (wanted > 0) {
        countStep(); // mostly the only step: the thread that opens the block has done all
      }
      return true;
    }
    reader.readIds();
    return false;
  }

  private long steps(long firstNanos) {
    return 1 + Long.divideUnsigned(lastNanos - firstNanos, fold.stepNanos());
  }

  private int rowOf(EventId id) {
    return reader.ids().firstRow(reader.directory().events, id.time(), id.tail());
  }

  /// Assigns each row the number of its cell. Returns false when the codes do not determine it.
  private boolean number(int events) {
    if (cells.length < events) {
      cells = new int[events];
    }
    Arrays.fill(cells, 0, events, 0);
    int size = 1;
    for (AttributeName name : fold.names()) {
      size *= number(name, events, size);
    }
    if (fold.level() && size > 0) {
      size *= numberLevels(events, size);
    }
    if (size == 0) {
      return false;
    }
    if (counts.length < size) {
      counts = new int[size];
      rows = new int[size];
      met = new int[size];
    }
    return true;
  }

  /// Refines the cells by an attribute. Returns the number of its codes, 0 when they are unknown.
  private int number(AttributeName name, int events, int size) {
    BlockDirectory directory = reader.directory();
    int column = directory.find(name);
    if (size == 0 || (column >= 0 && directory.findNext(column) >= 0)) {
      return 0; // values of several kinds: only the event has its kind
    }
    return column < 0 ? 1 : reader.column(column).number(cells, events, CELLS_MAX / size);
  }

  /// Refines the cells by the level, and by the attribute of its name unless each row has a level.
  private int numberLevels(int events, int size) {
    if (size > CELLS_MAX / BlockLevels.CODES) {
      return 0;
    }
    levels.read();
    for (int i = 0; i < events; i++) {
      cells[i] = cells[i] * BlockLevels.CODES + levels.code(i);
    }
    return levels.isComplete()
        ? BlockLevels.CODES
        : BlockLevels.CODES * number(Level.FIELD, events, size * BlockLevels.CODES);
  }

  /// Number of the block's rows in the scan's range.
  int wanted() {
    return wanted;
  }

  /// Moves to the next group of events. Returns false at the end.
  boolean next() {
    if (shown >= 0) {
      counts[met[shown]] = 0;
    }
    shown++;
    while (shown == metCount) {
      if (row >= limit) {
        shown = -1;
        return false;
      }
      countStep();
      shown = 0;
    }
    return true;
  }

  private void countStep() {
    int from = row;
    long[] unordered = times;
    row = unordered != null ? endByTimes(unordered) : oneStep ? limit : endByIds(from);
    metCount = count(cells, from, row, counts, rows, met);
  }

  private int endByIds(int from) {
    idTime = reader.ids().times[from];
    idTail = reader.ids().tails[from];
    long stepLimit = fold.stepLimit(TimeUuid.nanosOf(idTime, idTail));
    return isLast(stepLimit) ? limit : Math.min(limit, rowOf(EventId.leastOf(stepLimit)));
  }

  /// The row at which the step ends: the number of times before its end. The tail stays that of the
  /// block's first event.
  private int endByTimes(long[] unordered) {
    idTime = timeNext;
    long stepLimit = fold.stepLimit(TimeUuid.tickNanos(idTime));
    if (isLast(stepLimit)) {
      return limit;
    }
    long limitTime = TimeUuid.timeOfNanos(stepLimit);
    long least = Long.MAX_VALUE;
    int before = 0;
    for (int i = 0; i < limit; i++) {
      long time = unordered[i];
      before += time < limitTime ? 1 : 0;
      least = Math.min(least, time < limitTime ? Long.MAX_VALUE : time);
    }
    timeNext = least;
    return before;
  }

  /// True when no event of the block is after the step. The last step of all time has no end.
  private boolean isLast(long stepLimit) {
    return stepLimit == Long.MAX_VALUE || lastNanos < stepLimit;
  }

  private static int count(int[] cells, int from, int until, int[] counts, int[] rows, int[] met) {
    int cellsMet = 0;
    for (int i = from; i < until; i++) {
      int cell = cells[i];
      if (counts[cell]++ == 0) {
        rows[cell] = i;
        met[cellsMet++] = cell;
      }
    }
    return cellsMet;
  }

  /// Number of events in the current group.
  int weight() {
    return counts[met[shown]];
  }

  /// The row of one event of the group.
  int row() {
    return rows[met[shown]];
  }

  /// The time of an event in the group's step.
  long idTime() {
    return idTime;
  }

  /// The tail of an event of the block. Together with [#idTime] it gives an instant in the step.
  long idTail() {
    return idTail;
  }
}
