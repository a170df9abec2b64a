package io.widerow.storage.scan;

import io.widerow.event.EventLayout;
import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import io.widerow.event.WrappedEvent;
import io.widerow.storage.EventSlice;
import io.widerow.storage.codec.IdDecoder;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.sketch.EventColumns;
import io.widerow.storage.sketch.EventRun;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// Runs of events of one block: columns of all, and what the events of each have in common.
///
/// ```
///   rows     0  1  2  3  4  5         cells  0  1  0  1  1  2
///   columns  0  2 | 1  3  4 | 5       run by run, with time, arrival and number
///   firsts      k      l      k       keys; rows 0 and 1 were copied for k and l
/// ```
///
/// - Threads: one.
/// - Memory: 24 bytes an event, and the copies.
final class RunTable implements BlockFold.Result {
  private final EventSlice copies = new EventSlice();
  private Key[] firsts = {}; // by run
  private int[] starts = {0}; // by run, and the end of the last
  private int size;
  private EventColumns columns = EventColumns.of(0);

  /// What the events of a run have in common.
  ///
  /// @param of has an event with it
  /// @param known whether each run with it has this very key
  record Key(EventSlice of, int place, boolean known) {}

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
      BlockReader reader,
      RunKeys keys,
      RowView view) {
    int[] places = new int[count];
    int[] met = new int[count];
    int[] firstRows = new int[count];
    for (int row = next(kept, 0, events); row < events; row = next(kept, row + 1, events)) {
      int cell = cells[row];
      if (places[cell]++ == 0) {
        firstRows[size] = row;
        met[size++] = cell;
      }
    }
    starts = new int[size + 1];
    for (int run = 0; run < size; run++) {
      int cell = met[run];
      starts[run + 1] = starts[run] + places[cell];
      places[cell] = starts[run];
    }
    firsts = keys.of(reader, firstRows, size, starts[size], copies, view);
    columns = EventColumns.of(starts[size]);
    IdDecoder ids = reader.ids();
    for (int row = next(kept, 0, events); row < events; row = next(kept, row + 1, events)) {
      int place = places[cells[row]]++;
      columns.nanos()[place] = TimeUuid.nanosOf(ids.times[row], ids.tails[row]);
      columns.arrivals()[place] = EventLayout.arrival(ids.versions[row], ids.tails[row]);
      columns.bits()[place] = numbers[row];
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
    return (long) EventColumns.EVENT_BYTES * starts[size]
        + (long) Integer.BYTES * starts.length
        + copies.heldBytes();
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
  final class Shown extends WrappedEvent implements BlockFold.Shown, EventRun {
    private int run = -1;

    @Override
    public boolean next() {
      if (run + 1 >= size) {
        return false;
      }
      Key key = firsts[++run];
      key.of.show(key.place);
      wrap(key.of);
      return true;
    }

    @Override
    public @Nullable Object key() {
      return firsts[run].known ? firsts[run] : null;
    }

    @Override
    public int size() {
      return starts[run + 1] - starts[run];
    }

    @Override
    public EventColumns columns() {
      return columns;
    }

    @Override
    public int from() {
      return starts[run];
    }
  }
}
