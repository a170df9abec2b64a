package io.widerow.storage.scan;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.Level;
import io.widerow.event.TimeUuid;
import io.widerow.rollup.RollupField;
import io.widerow.rollup.RollupFigure;
import io.widerow.storage.Grouping;
import io.widerow.storage.codec.IdDecoder;
import io.widerow.storage.segment.BlockDirectory;
import io.widerow.storage.segment.BlockLevels;
import io.widerow.storage.segment.BlockReader;
import io.widerow.storage.segment.ColumnReader;
import io.widerow.storage.segment.SegmentIndex;
import io.widerow.storage.sketch.AttributeFigures;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Aggregation by column: counts the rows of blocks by the groups of a [Grouping], and adds the
/// numbers of columns to the aggregates of these groups, without building an event.
///
/// ```
///   rows     0  1  2  3  4 | 5  6  7        a step is a run of rows, for ids rise
///   region   0  1  0  2  1 | 1  1  0        codes of its dictionary, 3 of them
///   team     1  0  1  1  0 | 0  0  0        2 of them
///   cells    1  2  1  5  2 | 8  8  6        (step * 3 + region) * 2 + team
///   groups   a  b  a  c  b | d  d  e        found once for each cell of the block, by its values
/// ```
///
/// The result does not depend on the order of blocks, nor on how they are divided, to the last bit:
/// see [AttributeFigures].
///
/// - Threads: one.
/// - Memory: some ints a row and a cell; the groups and their aggregates. Above [#GROUPS_BYTES_MAX]
///   the groups are shown and the table is emptied, so that the reader decides how many there may
///   be.
final class BlockGroups implements BlockFold {
  /// The limit up to which a cell's number is the product of codes. Above it, only the cells that
  /// occur in the block get numbers, see [CellNumbers].
  private static final int CELLS_MAX = 1 << 14;

  /// Most codes of a column that are taken as they are; a column of more is read value by value.
  private static final int CODES_MAX = 1 << 16;

  /// Most pairs of a cell and a code of which each is looked at once.
  private static final int PAIRS_MAX = 1 << 20;

  private static final int FEW = 8; // at most one row in so many

  /// Aggregates that are not of numbers alone.
  private static final int OF_ANY_VALUES =
      RollupFigure.COUNT.bit | RollupFigure.DISTINCT.bit | RollupFigure.LENGTHS.bit;

  // Above these limits the groups are shown, and the table is emptied.
  private static final int GROUPS_MAX = 1 << 15;
  private static final long GROUPS_BYTES_MAX = 8 << 20;

  private final Grouping fold;
  private final AttributeName[] names; // that group; the level is the last one
  private final List<RollupField> fields;
  private final AttributeValue scratch = new AttributeValue();

  private GroupTable table;

  // The open block.
  private int[] cells = new int[0]; // by row
  private int[] codes = new int[0]; // by row
  private final int[] @Nullable [] numbered; // by name: number of its value + 1, by row
  private final int[] columns; // by name: its first column; negative for none
  private int[] counts = new int[0]; // by cell; zero between blocks
  private int[] firstRows = new int[0]; // by cell
  private int[] groups = new int[0]; // by cell
  private int[] met = new int[0]; // cells in order of appearance
  private int metCount;
  private int cellCount; // all cells are below it
  private AttributeFigures[] byCell = new AttributeFigures[0];
  private long[] stepLimits = new long[1];
  private long[] stepTimes = new long[1];
  private long[] stepTails = new long[1];
  private int steps;
  private boolean most; // rows are kept, so that codes for all lines pay
  private int @Nullable [] words; // by row: the number of a word for the level that is none
  private final CellNumbers renumbered = new CellNumbers();

  BlockGroups(Grouping fold) {
    this.fold = fold;
    this.fields = fold.fields();
    List<AttributeName> all = new ArrayList<>(fold.names());
    if (fold.level()) {
      all.add(Level.FIELD);
    }
    this.names = all.toArray(AttributeName[]::new);
    this.numbered = new int[names.length][];
    this.columns = new int[names.length];
    this.table = new GroupTable(fold, names);
  }

  @Override
  public GroupTable result() {
    return table;
  }

  @Override
  public boolean isFull() {
    return table.size() > GROUPS_MAX || table.heldBytes() > GROUPS_BYTES_MAX;
  }

  @Override
  public void begin() {
    table = new GroupTable(fold, names);
  }

  @Override
  public long heldBytes() {
    return table.heldBytes()
        + renumbered.heldBytes()
        + (long) Integer.BYTES * (cells.length + codes.length + 5L * counts.length);
  }

  @Override
  public void add(
      BlockReader reader,
      BlockLevels levels,
      SegmentIndex index,
      int block,
      @Nullable BitSet kept) {
    BlockDirectory directory = reader.directory();
    int events = directory.events;
    if (cells.length < events) {
      cells = new int[events];
      codes = new int[events];
    }
    Arrays.fill(cells, 0, events, 0);
    Arrays.fill(numbered, null);
    Arrays.setAll(columns, name -> directory.find(names[name]));
    words = null;
    most = kept == null || (long) kept.cardinality() * FEW > events;
    int count = findSteps(reader, index, block);
    for (int name = 0; name < fold.names().size(); name++) {
      count = divide(count, name, names[name], reader, kept);
    }
    if (fold.level()) {
      count = divideByLevel(reader, levels, kept);
    }
    List<Numbers> numbers = numbers(reader, kept);
    count(count, events, kept);
    for (int i = 0; i < metCount; i++) {
      int cell = met[i];
      int row = firstRows[cell];
      for (int name = 0; name < names.length; name++) {
        table.set(name, valueOf(name, row, reader, levels));
      }
      int group = groupOf(index.partition.key().type(), steps == 1 ? 0 : stepOf(row, reader.ids()));
      table.addEvents(group, counts[cell]);
      groups[cell] = group;
      counts[cell] = 0;
    }
    for (Numbers of : numbers) {
      add(of, kept);
    }
  }

  @Override
  public boolean addCount(SegmentIndex index, int block) {
    EventId first = index.first(block);
    EventId last = index.last(block);
    long limit = fold.stepLimit(TimeUuid.nanosOf(first.time(), first.tail()));
    boolean oneStep = limit == Long.MAX_VALUE || TimeUuid.nanosOf(last.time(), last.tail()) < limit;
    if (names.length > 0 || !fields.isEmpty() || !oneStep) {
      return false;
    }
    steps = 0;
    addStep(limit, first.time(), first.tail());
    table.addEvents(groupOf(index.partition.key().type(), 0), index.events(block));
    return true;
  }

  /// Numbers the steps of the block's rows, and returns how many there are.
  private int findSteps(BlockReader reader, SegmentIndex index, int block) {
    EventId first = index.first(block);
    EventId last = index.last(block);
    long lastNanos = TimeUuid.nanosOf(last.time(), last.tail());
    long limit = fold.stepLimit(TimeUuid.nanosOf(first.time(), first.tail()));
    steps = 0;
    addStep(limit, first.time(), first.tail());
    if (lastNanos < limit || limit == Long.MAX_VALUE) {
      return steps;
    }
    reader.readIds();
    IdDecoder ids = reader.ids();
    int events = reader.directory().events;
    for (int row = endOf(limit, ids, events); row < events; ) {
      long stepLimit = fold.stepLimit(TimeUuid.nanosOf(ids.times[row], ids.tails[row]));
      addStep(stepLimit, ids.times[row], ids.tails[row]);
      int end = stepLimit == Long.MAX_VALUE ? events : endOf(stepLimit, ids, events);
      Arrays.fill(cells, row, end, steps - 1);
      row = end;
    }
    return steps;
  }

  private static int endOf(long stepLimit, IdDecoder ids, int events) {
    EventId id = EventId.leastOf(stepLimit);
    return ids.firstRow(events, id.time(), id.tail());
  }

  private void addStep(long limit, long idTime, long idTail) {
    if (steps == stepLimits.length) {
      stepLimits = Arrays.copyOf(stepLimits, 2 * steps);
      stepTimes = Arrays.copyOf(stepTimes, 2 * steps);
      stepTails = Arrays.copyOf(stepTails, 2 * steps);
    }
    stepLimits[steps] = limit;
    stepTimes[steps] = idTime;
    stepTails[steps++] = idTail;
  }

  /// Divides the cells by an attribute. Returns a number that all numbers of cells are below.
  private int divide(
      int count, int name, AttributeName attribute, BlockReader reader, @Nullable BitSet kept) {
    BlockDirectory directory = reader.directory();
    int events = directory.events;
    int column = directory.find(attribute);
    if (column < 0) {
      return count;
    }
    int codeCount = 0;
    if (directory.findNext(column) < 0) { // else values of several kinds
      ColumnReader read = reader.column(column);
      if (most) {
        read.findCodes();
      }
      int more = read.number(cells, events, CELLS_MAX / count);
      if (more > 0) {
        return count * more;
      }
      Arrays.fill(codes, 0, events, 0);
      codeCount = read.number(codes, events, CODES_MAX);
    }
    int[] of = codes;
    if (codeCount == 0) {
      of = numberValues(name, column, reader, kept);
      codeCount = table.numberLimit(name);
    }
    return renumbered.number(cells, of, codeCount, events, kept);
  }

  /// Numbers the values of an attribute by the values themselves.
  ///
  /// @param first the first column of its name
  private int[] numberValues(int name, int first, BlockReader reader, @Nullable BitSet kept) {
    BlockDirectory directory = reader.directory();
    int[] of = new int[directory.events];
    for (int column = first; column >= 0; column = directory.findNext(column)) {
      ColumnReader read = reader.column(column);
      int[] rows = read.rows();
      for (int at = 0; at < read.present(); at++) {
        int row = rows == null ? at : rows[at];
        if (kept == null || kept.get(row)) {
          read.show(at, scratch);
          of[row] = table.numberOf(name, scratch);
        }
      }
    }
    numbered[name] = of;
    return of;
  }

  /// Divides the cells by the level, and by the attribute of its name unless each row has a level.
  private int divideByLevel(BlockReader reader, BlockLevels levels, @Nullable BitSet kept) {
    int events = reader.directory().events;
    levels.read();
    for (int row = 0; row < events; row++) {
      codes[row] = levels.code(row);
    }
    int most = renumbered.number(cells, codes, BlockLevels.CODES, events, kept);
    if (levels.isComplete()) {
      return most;
    }
    int name = names.length - 1;
    if (levels.hasOthers()) {
      int[] of = numberWords(name, reader, levels);
      most = renumbered.number(cells, of, table.numberLimit(name), events, kept);
      words = of;
    }
    return divide(most, name, Level.FIELD, reader, kept);
  }

  /// Numbers the words that senders gave for the level and that are none, from 1; 0 for a row
  /// without one.
  private int[] numberWords(int name, BlockReader reader, BlockLevels levels) {
    BlockDirectory directory = reader.directory();
    int[] of = new int[directory.events];
    int column = directory.find(Level.DETECTED);
    for (; column >= 0; column = directory.findNext(column)) {
      ColumnReader read = reader.column(column);
      for (int row = 0; row < directory.events; row++) {
        if (levels.code(row) == 0 && read.value(row, scratch) && Level.isOther(scratch)) {
          of[row] = table.numberOf(name, scratch);
        }
      }
    }
    return of;
  }

  /// Counts the kept rows of each cell.
  ///
  /// @param count all numbers of cells are below it
  private void count(int count, int events, @Nullable BitSet kept) {
    cellCount = count;
    if (counts.length < count) {
      int room = Math.max(count, Math.min(CELLS_MAX, 2 * counts.length));
      counts = new int[room];
      firstRows = new int[room];
      groups = new int[room];
      met = new int[room];
      byCell = new AttributeFigures[room];
    }
    metCount = 0;
    if (count == 1) { // mostly without a group
      counts[0] = kept == null ? events : kept.cardinality();
      firstRows[0] = kept == null ? 0 : kept.nextSetBit(0);
      met[metCount++] = 0;
    } else if (kept == null) {
      for (int row = 0; row < events; row++) {
        count(row);
      }
    } else {
      for (int row = kept.nextSetBit(0); row >= 0; row = kept.nextSetBit(row + 1)) {
        count(row);
      }
    }
  }

  private void count(int row) {
    int cell = cells[row];
    if (counts[cell]++ == 0) {
      firstRows[cell] = row;
      met[metCount++] = cell;
    }
  }

  private int groupOf(String type, int step) {
    return table.groupOf(type, stepLimits[step], stepTimes[step], stepTails[step]);
  }

  /// The step of a row; they rise.
  private int stepOf(int row, IdDecoder ids) {
    int low = 0;
    int high = steps;
    while (low + 1 < high) {
      int middle = (low + high) >>> 1;
      if (TimeUuid.compare(stepTimes[middle], stepTails[middle], ids.times[row], ids.tails[row])
          <= 0) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// The number of a row's value of a name, from 1; 0 when it has none.
  private int valueOf(int name, int row, BlockReader reader, BlockLevels levels) {
    Level level = fold.level() && name == names.length - 1 ? levels.level(row) : null;
    if (level != null) {
      level.read(scratch);
      return table.numberOf(name, scratch);
    }
    int[] of = words;
    if (of != null && name == names.length - 1 && of[row] > 0) {
      return of[row];
    }
    int[] known = numbered[name];
    if (known != null) {
      return known[row];
    }
    BlockDirectory directory = reader.directory();
    for (int column = columns[name]; column >= 0; column = directory.findNext(column)) {
      if (reader.column(column).value(row, scratch)) {
        return table.numberOf(name, scratch);
      }
    }
    return 0;
  }

  /// A column that is aggregated, decoded.
  private static final class Numbers {
    final int field; // number of the field
    final ColumnReader column;
    final @Nullable AttributeKind @Nullable [] kinds; // of numbers in texts, by code or by value
    final long[] bits; // of these numbers

    Numbers(
        int field, ColumnReader column, @Nullable AttributeKind @Nullable [] kinds, long[] bits) {
      this.field = field;
      this.column = column;
      this.kinds = kinds;
      this.bits = bits;
    }
  }

  private List<Numbers> numbers(BlockReader reader, @Nullable BitSet kept) {
    BlockDirectory directory = reader.directory();
    List<Numbers> found = new ArrayList<>();
    for (int field = 0; field < fields.size(); field++) {
      RollupField of = fields.get(field);
      int column = directory.find(of.name());
      for (; column >= 0; column = directory.findNext(column)) {
        found.add(numbers(field, of, reader.column(column), kept));
      }
    }
    return found;
  }

  private Numbers numbers(int field, RollupField of, ColumnReader column, @Nullable BitSet kept) {
    boolean asksNumbers = (of.figures() & ~OF_ANY_VALUES) != 0;
    if (most && (asksNumbers || of.has(RollupFigure.DISTINCT))) {
      column.findCodes();
    }
    if (column.kind() != AttributeKind.STRING || !asksNumbers) {
      return new Numbers(field, column, null, column.bits());
    }
    int codeCount = column.codeCount();
    int count = codeCount > 0 ? codeCount : column.present();
    @Nullable AttributeKind[] kinds = new AttributeKind[count];
    long[] bits = new long[count];
    boolean[] seen = new boolean[count];
    long[] codesOf = codeCount > 0 ? Objects.requireNonNull(column.codes()) : null;
    int[] rows = column.rows();
    for (int at = 0; at < column.present(); at++) {
      int code = codesOf == null ? at : (int) codesOf[at];
      if (seen[code] || (kept != null && !kept.get(rows == null ? at : rows[at]))) {
        continue;
      }
      seen[code] = true;
      column.show(at, scratch);
      if (AttributeFigures.isNumber(scratch)) {
        kinds[code] = scratch.kind();
        bits[code] = scratch.bits();
      }
    }
    return new Numbers(field, column, kinds, bits);
  }

  /// Adds the values of a column to the aggregates of the groups of their rows.
  private void add(Numbers of, @Nullable BitSet kept) {
    RollupField field = fields.get(of.field);
    long before = 0;
    for (int i = 0; i < metCount; i++) {
      AttributeFigures its = table.figures(groups[met[i]], of.field);
      byCell[met[i]] = its;
      before += its.bytes();
    }
    ColumnReader column = of.column;
    switch (column.kind()) {
      case LONG, DOUBLE -> addNumbers(field, column, kept);
      case BOOLEAN -> countValues(column, kept);
      case STRING, BYTES -> {
        countValues(column, kept);
        if (of.kinds != null) {
          addTextNumbers(of, of.kinds, kept);
        }
        if (field.has(RollupFigure.LENGTHS) && column.kind() == AttributeKind.STRING) {
          addLengths(column, kept);
        }
      }
    }
    if (field.has(RollupFigure.DISTINCT)) {
      addDistinct(column, kept);
    }
    long after = 0;
    for (int i = 0; i < metCount; i++) {
      after += byCell[met[i]].bytes();
    }
    table.holds(after - before);
  }

  private void addNumbers(RollupField field, ColumnReader column, @Nullable BitSet kept) {
    int[] rows = column.rows();
    long[] bits = column.bits();
    int present = column.present();
    boolean whole = column.kind() == AttributeKind.LONG;
    boolean single = metCount == 1 && kept == null;
    if (field.has(RollupFigure.COUNT)) {
      countValues(column, kept);
    }
    if (field.figures() == RollupFigure.COUNT.bit) {
      return;
    }
    AttributeFigures alone = byCell[met[0]];
    for (int at = 0; at < present; at++) {
      AttributeFigures to = alone;
      if (!single) {
        int row = rows == null ? at : rows[at];
        if (kept != null && !kept.get(row)) {
          continue;
        }
        to = byCell[cells[row]];
      }
      if (whole) {
        to.addNumber(bits[at]);
      } else {
        double number = Double.longBitsToDouble(bits[at]);
        if (!Double.isNaN(number)) {
          to.addNumber(number);
        }
      }
    }
  }

  private void countValues(ColumnReader column, @Nullable BitSet kept) {
    int[] rows = column.rows();
    int present = column.present();
    if (metCount == 1 && kept == null) {
      byCell[met[0]].addCount(present);
      return;
    }
    for (int at = 0; at < present; at++) {
      int row = rows == null ? at : rows[at];
      if (kept == null || kept.get(row)) {
        byCell[cells[row]].addCount(1);
      }
    }
  }

  private void addTextNumbers(Numbers of, @Nullable AttributeKind[] kinds, @Nullable BitSet kept) {
    ColumnReader column = of.column;
    int[] rows = column.rows();
    long[] byValue = column.codeCount() > 0 ? Objects.requireNonNull(column.codes()) : null;
    for (int at = 0; at < column.present(); at++) {
      int row = rows == null ? at : rows[at];
      int code = byValue == null ? at : (int) byValue[at];
      AttributeKind kind = kinds[code];
      if (kind == null || (kept != null && !kept.get(row))) {
        continue;
      }
      if (kind == AttributeKind.LONG) {
        byCell[cells[row]].addNumber(of.bits[code]);
      } else {
        byCell[cells[row]].addNumber(Double.longBitsToDouble(of.bits[code]));
      }
    }
  }

  /// Adds the lengths of texts; that of a code is looked up once.
  private void addLengths(ColumnReader column, @Nullable BitSet kept) {
    int[] rows = column.rows();
    int codeCount = column.codeCount();
    long[] codesOf = codeCount > 0 ? Objects.requireNonNull(column.codes()) : null;
    int[] lengths = new int[codeCount];
    Arrays.fill(lengths, -1);
    for (int at = 0; at < column.present(); at++) {
      int row = rows == null ? at : rows[at];
      if (kept != null && !kept.get(row)) {
        continue;
      }
      int length = codesOf == null ? -1 : lengths[(int) codesOf[at]];
      if (length < 0) {
        column.show(at, scratch);
        length = scratch.length();
        if (codesOf != null) {
          lengths[(int) codesOf[at]] = length;
        }
      }
      byCell[cells[row]].addLength(length);
    }
  }

  /// Adds each distinct value of a cell, a text once where there are not too many pairs.
  private void addDistinct(ColumnReader column, @Nullable BitSet kept) {
    int[] rows = column.rows();
    int codeCount = column.codeCount();
    long[] codesOf = codeCount > 0 ? Objects.requireNonNull(column.codes()) : null;
    long pairs = (long) cellCount * codeCount;
    boolean[] seen = new boolean[pairs > PAIRS_MAX ? 0 : (int) pairs];
    for (int at = 0; at < column.present(); at++) {
      int row = rows == null ? at : rows[at];
      if (kept != null && !kept.get(row)) {
        continue;
      }
      if (codesOf != null && seen.length > 0) {
        int pair = cells[row] * codeCount + (int) codesOf[at];
        if (seen[pair]) {
          continue;
        }
        seen[pair] = true;
      }
      column.show(at, scratch);
      byCell[cells[row]].addDistinct(scratch);
    }
  }
}
