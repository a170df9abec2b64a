package io.widerow.storage.scan;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import io.widerow.storage.EventSlice;
import io.widerow.storage.codec.IdDecoder;
import io.widerow.storage.sketch.EventRun;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// Runs of events of one block: a copy of the first event of each, and columns of all.
///
/// ```
///   rows     0  1  2  3  4  5         cells  0  1  0  1  1  2
///   columns  0  2 | 1  3  4 | 5       run by run, with time, arrival and number
///   slice    0      1         5
/// ```
///
/// - Threads: one.
/// - Memory: 24 bytes an event, and the copies.
final class RunTable implements BlockFold.Result {
  private static final int ROW_BYTES = 3 * Long.BYTES;

  private final EventSlice firsts = new EventSlice();
  private int[] starts = {0}; // by run, and the end of the last
  private int size;
  private long[] nanos = {};
  private long[] arrivals = {};
  private long[] bits = {};

  /// Adds the rows of a block.
  ///
  /// @param cells by row
  /// @param count all cells are below it
  /// @param kept null for all
  /// @param numbers the bits of the number of each row
  /// @param view shows rows
  void add(
      int[] cells,
      int count,
      int events,
      @Nullable BitSet kept,
      long[] numbers,
      IdDecoder ids,
      RowView view) {
    int[] places = new int[count];
    int[] met = new int[count];
    int[] firstRows = new int[count];
    for (int row = next(kept, 0, events); row < events; row = next(kept, row + 1, events)) {
      int cell = cells[row];
      if (places[cell]++ == 0) {
        firstRows[cell] = row;
        met[size++] = cell;
      }
    }
    starts = new int[size + 1];
    for (int run = 0; run < size; run++) {
      int cell = met[run];
      starts[run + 1] = starts[run] + places[cell];
      places[cell] = starts[run];
      view.show(firstRows[cell]);
      firsts.add(view);
    }
    int rows = starts[size];
    nanos = new long[rows];
    arrivals = new long[rows];
    bits = new long[rows];
    for (int row = next(kept, 0, events); row < events; row = next(kept, row + 1, events)) {
      int place = places[cells[row]]++;
      nanos[place] = TimeUuid.nanosOf(ids.times[row], ids.tails[row]);
      arrivals[place] = EventLayout.arrival(ids.versions[row], ids.tails[row]);
      bits[place] = numbers[row];
    }
  }

  private static int next(@Nullable BitSet kept, int row, int events) {
    if (kept == null) {
      return row;
    }
    int next = kept.nextSetBit(row);
    return next < 0 ? events : next;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public long heldBytes() {
    return (long) ROW_BYTES * nanos.length
        + (long) Integer.BYTES * starts.length
        + firsts.heldBytes();
  }

  @Override
  public Shown shown() {
    return new Shown();
  }

  /// Shows rows of the open block.
  ///
  /// - Threads: one.
  interface RowView extends EventView {
    void show(int row);
  }

  /// Shows the runs one after the other.
  ///
  /// - Threads: one.
  final class Shown implements BlockFold.Shown, EventRun {
    private int run = -1;

    @Override
    public boolean next() {
      run++;
      return firsts.next();
    }

    @Override
    public int size() {
      return starts[run + 1] - starts[run];
    }

    @Override
    public long timeNanos(int at) {
      return nanos[starts[run] + at];
    }

    @Override
    public long arrival(int at) {
      return arrivals[starts[run] + at];
    }

    @Override
    public long bits(int at) {
      return bits[starts[run] + at];
    }

    @Override
    public long idTime() {
      return firsts.idTime();
    }

    @Override
    public long idTail() {
      return firsts.idTail();
    }

    @Override
    public long version() {
      return firsts.version();
    }

    @Override
    public String type() {
      return firsts.type();
    }

    @Override
    public void readType(AttributeValue out) {
      firsts.readType(out);
    }

    @Override
    public boolean find(AttributeName name, AttributeValue out) {
      return firsts.find(name, out);
    }

    @Override
    public void forEach(AttributeValue scratch, AttributeVisitor visitor) {
      firsts.forEach(scratch, visitor);
    }
  }
}
