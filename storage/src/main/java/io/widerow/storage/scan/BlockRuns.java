package io.widerow.storage.scan;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventLayout;
import io.widerow.storage.Grouping;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.BlockLevels;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.ColumnReader;
import io.widerow.storage.segment.SegmentIndex;
import io.widerow.storage.sketch.ValueTable;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// Finds the runs of a block, see [Grouping.Runs]: numbers its rows by the codes of all columns
/// except the one whose numbers may differ.
///
/// - Threads: one.
/// - Memory: some ints a row; the runs of a block.
final class BlockRuns implements BlockFold {
  /// The limit up to which a cell's number is the product of codes.
  private static final int CELLS_MAX = 1 << 14;

  /// Most codes of a column that are taken as they are.
  private static final int CODES_MAX = 1 << 16;

  private final AttributeName value;
  private final AttributeValue scratch = new AttributeValue();
  private final CellNumbers renumbered = new CellNumbers();
  private int[] cells = new int[0];
  private int[] codes = new int[0];
  private long[] numbers = new long[0];
  private final RunKeys keys;
  private RunTable table = new RunTable();

  BlockRuns(Grouping.Runs runs) {
    this.value = runs.value();
    this.keys = new RunKeys(value);
  }

  @Override
  public RunTable result() {
    return table;
  }

  @Override
  public void begin() {
    table = new RunTable();
  }

  /// The runs of one block are shown before those of the next.
  @Override
  public boolean isFull() {
    return table.size() > 0;
  }

  @Override
  public long heldBytes() {
    return table.heldBytes()
        + keys.heldBytes()
        + renumbered.heldBytes()
        + 2L * Integer.BYTES * cells.length
        + (long) Long.BYTES * numbers.length;
  }

  @Override
  public boolean addCount(SegmentIndex index, int block) {
    return false;
  }

  @Override
  public void add(
      BlockReader reader,
      BlockLevels levels,
      SegmentIndex index,
      int block,
      @Nullable BitSet kept) {
    int events = reader.directory().events;
    if (cells.length < events) {
      cells = new int[events];
      codes = new int[events];
    }
    reader.readIds();
    int count = divide(reader, kept);
    RunTable made = new RunTable();
    RowView view = new RowView(reader, index.partition.key().type());
    made.add(cells, count, events, kept, numbers(reader), reader, keys, view);
    table = made;
  }

  private boolean isValue(BlockReader reader, int column) {
    AttributeKind kind = reader.kind(column);
    return (kind == AttributeKind.DOUBLE || kind == AttributeKind.LONG)
        && reader.directory().names[column].equals(value);
  }

  /// Gives each row the number of its cell. Returns a number that all these are below.
  private int divide(BlockReader reader, @Nullable BitSet kept) {
    BlockDirectory directory = reader.directory();
    int events = directory.events;
    Arrays.fill(cells, 0, events, 0);
    int count = 1;
    for (int column = 0; column < directory.columns; column++) {
      int codeCount = 0;
      if (isValue(reader, column)) {
        if (reader.column(column).present() == events) {
          continue;
        }
        codeCount = codesOfPresence(reader.column(column));
      } else {
        ColumnReader read = reader.column(column);
        read.findCodes();
        int more = read.number(cells, events, CELLS_MAX / count);
        if (more > 0) {
          count *= more;
          continue;
        }
        Arrays.fill(codes, 0, events, 0);
        codeCount = read.number(codes, events, CODES_MAX);
      }
      if (codeCount == 0) {
        codeCount = codesOfValues(reader.column(column));
      }
      if (codeCount > events / 2) {
        Arrays.setAll(cells, row -> row); // few have anything in common
        return events;
      }
      count = renumbered.number(cells, codes, codeCount, events, kept);
    }
    return count;
  }

  private int codesOfPresence(ColumnReader column) {
    int[] rows = column.rows();
    Arrays.fill(codes, 0);
    for (int at = 0; at < column.present(); at++) {
      codes[rows == null ? at : rows[at]] = 1;
    }
    return 2;
  }

  /// Numbers the values of a column whose codes are far apart.
  private int codesOfValues(ColumnReader column) {
    int[] rows = column.rows();
    ValueTable values = new ValueTable(true);
    Arrays.fill(codes, 0);
    for (int at = 0; at < column.present(); at++) {
      column.show(at, scratch);
      codes[rows == null ? at : rows[at]] = 1 + values.add(scratch);
    }
    return 1 + values.size();
  }

  /// The bits of the number of each row.
  private long[] numbers(BlockReader reader) {
    BlockDirectory directory = reader.directory();
    for (int column = 0; column < directory.columns; column++) {
      if (!isValue(reader, column)) {
        continue;
      }
      ColumnReader read = reader.column(column);
      int[] rows = read.rows();
      long[] bits = read.bits();
      if (rows == null) {
        return bits;
      }
      if (numbers.length < reader.directory().events) {
        numbers = new long[reader.directory().events];
      }
      for (int at = 0; at < read.present(); at++) {
        numbers[rows[at]] = bits[at];
      }
    }
    return numbers.length < directory.events ? new long[directory.events] : numbers;
  }

  /// A row of the open block as an event.
  private static final class RowView implements RunTable.RowView {
    private final BlockReader reader;
    private final String type;
    private int row;

    RowView(BlockReader reader, String type) {
      this.reader = reader;
      this.type = type;
    }

    @Override
    public void show(int newRow) {
      row = newRow;
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
      return EventLayout.VERSION_ASSIGNED; // events with ids of their own are in no run
    }

    @Override
    public String type() {
      return type;
    }

    @Override
    public boolean find(AttributeName name, AttributeValue out) {
      BlockDirectory directory = reader.directory();
      int column = directory.find(name);
      while (column >= 0 && !reader.column(column).value(row, out)) {
        column = directory.findNext(column);
      }
      return column >= 0;
    }

    @Override
    public void forEach(AttributeValue scratch, AttributeVisitor visitor) {
      BlockDirectory directory = reader.directory();
      for (int column = 0; column < directory.columns; column++) {
        if (reader.column(column).value(row, scratch)) {
          visitor.visit(directory.names[column], scratch);
        }
      }
    }
  }
}
