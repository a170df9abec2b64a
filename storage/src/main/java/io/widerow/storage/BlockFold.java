package io.widerow.storage;

import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import java.util.Arrays;

/// Counts the events of a block that are alike by a [Fold], from the codes of its columns: no event
/// is looked at, and where the index says that a block lies in one step, no id is read.
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
final class BlockFold {
  /// More different values than this are looked at one by one.
  private static final int CELLS_MAX = 1 << 14;

  private final Fold fold;
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
  private long idTime; // of the step's first event
  private long idTail;
  private long lastNanos; // of the block's last event
  private boolean oneStep;

  /// @param reader the cursor's, with a block open
  BlockFold(Fold fold, Scan scan, BlockReader reader) {
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
    boolean whole = first.compareTo(scan.from()) >= 0 && last.compareTo(scan.until()) < 0;
    if (!whole || !oneStep) {
      reader.readIds();
      row = rowOf(scan.from());
      limit = Math.max(row, rowOf(scan.until()));
    }
    metCount = 0;
    shown = -1;
    if (number(events)) {
      return true;
    }
    if (whole && oneStep) {
      reader.readIds();
    }
    return false;
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

  /// The rows that are left, wanted ones only.
  int rowsLeft() {
    return limit - row;
  }

  /// Moves on to events that are alike; false when there are no more.
  boolean next() {
    if (shown >= 0) {
      counts[met[shown]] = 0;
    }
    shown++;
    if (shown == metCount) {
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
    row = limit;
    if (!oneStep || from > 0) {
      idTime = reader.ids().times[from];
      idTail = reader.ids().tails[from];
    }
    if (!oneStep) {
      long stepLimit = fold.stepLimit(TimeUuid.nanosOf(idTime, idTail));
      if (lastNanos >= stepLimit) {
        row = Math.min(limit, rowOf(EventId.leastOf(stepLimit)));
      }
    }
    metCount = count(cells, from, row, counts, rows, met);
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

  /// The id of one of them, or of another event of their step.
  long idTime() {
    return idTime;
  }

  long idTail() {
    return idTail;
  }
}
