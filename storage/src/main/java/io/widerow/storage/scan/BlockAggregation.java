package io.widerow.storage.scan;

import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.storage.Grouping;
import io.widerow.storage.Scan;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.SegmentIndex;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Counts the events of a block that are alike by a [Grouping], from the codes of its columns: no
/// event is looked at. Where the index says that a block lies in one step, no id is read; where it
/// lies in a few, only the times, which need no order: a step ends at the row that as many are
/// before.
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
/// - Memory: a number for each row, three for each cell.
final class BlockAggregation {
  /// Blocks of more steps have their ids read, which are in order: then a step's end is searched
  /// for.
  private static final int STEPS_COUNTED = 8;

  /// More different values than this are looked at one by one.
  private static final int CELLS_MAX = 1 << 14;

  private final Grouping fold;
  private final Scan scan;
  private final BlockReader reader;
  private int[] cells = new int[0]; // by row
  private int[] counts = new int[0]; // by cell; zero between steps
  private int[] rows = new int[0]; // by cell: one that has it
  private int[] met = new int[0]; // cells of the step, in order of appearance
  private int metCount;
  private int shown = -1; // of `met`
  private int row;
  private int limit; // of the rows that are wanted
  private int wanted;
  private long idTime; // of the step's first event
  private long idTail;
  private long lastNanos; // of the block's last event
  private boolean oneStep;
  private long @Nullable [] times; // of the block in any order, when steps are told from them
  private long timeNext; // the least behind the step

  /// @param reader its prefilter's
  BlockAggregation(Grouping fold, Scan scan, BlockReader reader) {
    this.fold = fold;
    this.scan = scan;
    this.reader = reader;
  }

  /// Memory that it holds, about.
  long heldBytes() {
    return Integer.BYTES * (cells.length + 3L * counts.length);
  }

  /// Takes the rows of a block that a scan's range has. False when they must be looked at one by
  /// one; the ids are read then.
  ///
  /// @param index of a partition without ids of its own
  /// @param block that the reader has open
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
        countStep(); // mostly the only one: whoever opens a block ahead has done the work
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

  /// Gives each row the number of its cell; false when that cannot be told from codes.
  private boolean number(int events) {
    if (cells.length < events) {
      cells = new int[events];
    }
    Arrays.fill(cells, 0, events, 0);
    int size = 1;
    for (AttributeName name : fold.names()) {
      BlockDirectory directory = reader.directory();
      int column = directory.find(name);
      if (column >= 0 && directory.findNext(column) >= 0) {
        return false; // of several kinds: which one an event has is asked of the event
      }
      if (column >= 0) {
        int codes = reader.column(column).number(cells, events, CELLS_MAX / size);
        if (codes == 0) {
          return false;
        }
        size *= codes;
      }
    }
    if (counts.length < size) {
      counts = new int[size];
      rows = new int[size];
      met = new int[size];
    }
    return true;
  }

  /// How many rows of the block the scan's range has.
  int wanted() {
    return wanted;
  }

  /// Moves on to events that are alike; false when there are no more.
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

  /// As many rows as there are times before the step's end. The tail stays the first event's.
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

  /// True when no event of the block is behind a step. The last step of all time has no end.
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

  /// How many events the current one stands for.
  int weight() {
    return counts[met[shown]];
  }

  /// The row of one of them.
  int row() {
    return rows[met[shown]];
  }

  /// The time of one of them, or of another event of their step.
  long idTime() {
    return idTime;
  }

  /// The tail of an event of the block. With [#idTime] it says an instant of the step.
  long idTail() {
    return idTail;
  }
}
