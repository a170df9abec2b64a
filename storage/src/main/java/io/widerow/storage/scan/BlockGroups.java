package io.widerow.storage.scan;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
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
import io.widerow.storage.sketch.GroupedEvents;
import io.widerow.storage.sketch.ValueTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
/// - Memory: some ints a row and a cell; the groups and their aggregates.
final class BlockGroups {
  /// Most numbers of cells. Above that, the cells that a block has are numbered anew.
  private static final int CELLS_MAX = 1 << 14;

  /// Most codes of a column that are taken as they are; a column of more is read value by value.
  private static final int CODES_MAX = 1 << 16;

  /// Most pairs of a cell and a code of which each is looked at once.
  private static final int PAIRS_MAX = 1 << 20;

  private static final int FEW = 8; // at most one row in so many

  private static final long GROUP_BYTES = 96; // with its slot and without its aggregates
  private static final long FIGURES_BYTES = 160;
  private static final long MIX = 0x9e37_79b9_7f4a_7c15L; // 2^64 / golden ratio

  private final Grouping fold;
  private final AttributeName[] names; // that group; the level is the last one
  private final List<RollupField> fields;
  private final AttributeValue scratch = new AttributeValue();

  // The groups.
  private final List<String> types = new ArrayList<>();
  private final Map<String, Integer> typeNumbers = new HashMap<>();
  private final ValueTable[] values; // by name: those of all groups
  private final int width; // of a key: type, end of the step, a value of each name
  private long[] keys;
  private long[] weights = new long[8];
  private long[] idTimes = new long[8];
  private long[] idTails = new long[8];
  private AttributeFigures[] figures; // by group and field
  private int[] slots = new int[16]; // hash of the key, linear probing: number of the group + 1
  private int size;
  private long figureBytes;

  // The open block.
  private int[] cells = new int[0]; // by row
  private int[] codes = new int[0]; // by row
  private final int[] @Nullable [] numbered; // by name: number of its value + 1, by row
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
  private final CellNumbers renumbered = new CellNumbers();

  BlockGroups(Grouping fold) {
    this.fold = fold;
    this.fields = fold.fields();
    List<AttributeName> all = new ArrayList<>(fold.names());
    if (fold.level()) {
      all.add(Level.FIELD);
    }
    this.names = all.toArray(AttributeName[]::new);
    this.values = new ValueTable[names.length];
    Arrays.setAll(values, _ -> new ValueTable(true));
    this.numbered = new int[names.length][];
    this.width = 2 + names.length;
    this.keys = new long[8 * width];
    this.figures = new AttributeFigures[8 * fields.size()];
  }

  /// Number of groups.
  int size() {
    return size;
  }

  /// Approximate memory held.
  long heldBytes() {
    long bytes = figureBytes + size * (GROUP_BYTES + 8L * width);
    for (ValueTable of : values) {
      bytes += of.bytes();
    }
    return bytes
        + renumbered.heldBytes()
        + (long) Integer.BYTES * (cells.length + codes.length + 5L * counts.length);
  }

  /// Adds rows of the block that is open in a reader. Nothing is added when a part of the block is
  /// damaged.
  ///
  /// @param levels those of the reader
  /// @param index of the block's partition, in which no event came with its own id
  /// @param kept the rows to add; null for all
  /// @throws io.widerow.storage.StorageException.Corrupt when it is damaged
  void add(
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
    int type = typeOf(index.partition.key().type());
    for (int i = 0; i < metCount; i++) {
      int cell = met[i];
      int row = firstRows[cell];
      int begin = size * width;
      for (int name = 0; name < names.length; name++) {
        keys[begin + 2 + name] = valueOf(name, row, reader, levels);
      }
      int group = groupOf(type, steps == 1 ? 0 : stepOf(row, reader.ids()));
      weights[group] += counts[cell];
      groups[cell] = group;
      counts[cell] = 0;
    }
    for (Numbers of : numbers) {
      add(of, kept);
    }
  }

  /// Counts all events of a block without reading it. Returns false when that is not enough.
  boolean addCount(SegmentIndex index, int block) {
    EventId first = index.first(block);
    EventId last = index.last(block);
    long limit = fold.stepLimit(TimeUuid.nanosOf(first.time(), first.tail()));
    boolean oneStep = limit == Long.MAX_VALUE || TimeUuid.nanosOf(last.time(), last.tail()) < limit;
    if (names.length > 0 || !fields.isEmpty() || !oneStep) {
      return false;
    }
    steps = 0;
    addStep(limit, first.time(), first.tail());
    int group = groupOf(typeOf(index.partition.key().type()), 0); // first: the arrays may grow
    weights[group] += index.events(block);
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
      codeCount = values[name].size() + 1;
    }
    return renumbered.number(cells, of, codeCount, events, kept);
  }

  /// Numbers the values of an attribute by the values themselves.
  ///
  /// @param first the first column of its name
  private int[] numberValues(int name, int first, BlockReader reader, @Nullable BitSet kept) {
    BlockDirectory directory = reader.directory();
    int[] of = new int[directory.events];
    ValueTable table = values[name];
    for (int column = first; column >= 0; column = directory.findNext(column)) {
      ColumnReader read = reader.column(column);
      int[] rows = read.rows();
      for (int at = 0; at < read.present(); at++) {
        int row = rows == null ? at : rows[at];
        if (kept == null || kept.get(row)) {
          read.show(at, scratch);
          of[row] = table.add(scratch) + 1;
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
    return levels.isComplete() ? most : divide(most, names.length - 1, Level.FIELD, reader, kept);
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

  private int typeOf(String type) {
    Integer known = typeNumbers.putIfAbsent(type, types.size());
    if (known != null) {
      return known;
    }
    types.add(type);
    return types.size() - 1;
  }

  /// The group of a type, a step and the values after the last key.
  private int groupOf(int type, int step) {
    int begin = size * width;
    keys[begin] = type;
    keys[begin + 1] = stepLimits[step];
    int slot = slotOf(begin);
    if (slots[slot] != 0) {
      return slots[slot] - 1;
    }
    slots[slot] = size + 1;
    weights[size] = 0;
    idTimes[size] = stepTimes[step];
    idTails[size] = stepTails[step];
    for (int field = 0; field < fields.size(); field++) {
      AttributeFigures begun = AttributeFigures.ofGroup(fields.get(field));
      figures[size * fields.size() + field] = begun;
      figureBytes += FIGURES_BYTES + begun.bytes();
    }
    size++;
    if (size == weights.length) {
      grow();
    }
    return size - 1;
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
  private long valueOf(int name, int row, BlockReader reader, BlockLevels levels) {
    Level level = fold.level() && name == names.length - 1 ? levels.level(row) : null;
    if (level != null) {
      level.read(scratch);
      return values[name].add(scratch) + 1L;
    }
    int[] known = numbered[name];
    if (known != null) {
      return known[row];
    }
    BlockDirectory directory = reader.directory();
    int column = directory.find(names[name]);
    for (; column >= 0; column = directory.findNext(column)) {
      if (reader.column(column).value(row, scratch)) {
        return values[name].add(scratch) + 1L;
      }
    }
    return 0;
  }

  private int slotOf(int begin) {
    int mask = slots.length - 1;
    int slot = hash(begin) & mask;
    while (slots[slot] != 0
        && !Arrays.equals(
            keys, (slots[slot] - 1) * width, slots[slot] * width, keys, begin, begin + width)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private int hash(int begin) {
    long hash = 0;
    for (int at = begin; at < begin + width; at++) {
      hash = (hash ^ keys[at]) * MIX;
      hash ^= hash >>> 29;
    }
    return (int) (hash >>> 32);
  }

  private void grow() {
    int room = 2 * size;
    keys = Arrays.copyOf(keys, room * width);
    weights = Arrays.copyOf(weights, room);
    idTimes = Arrays.copyOf(idTimes, room);
    idTails = Arrays.copyOf(idTails, room);
    figures = Arrays.copyOf(figures, room * fields.size());
    slots = new int[2 * room];
    for (int group = 0; group < size; group++) {
      slots[slotOf(group * width)] = group + 1;
    }
  }

  /// A column that is aggregated, decoded.
  private static final class Numbers {
    final int field; // number of the field
    final ColumnReader column;
    final @Nullable AttributeKind @Nullable []
        kinds; // of the numbers that texts are, by code or by value
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
    boolean asksNumbers =
        (of.figures() & ~(RollupFigure.COUNT.bit | RollupFigure.DISTINCT.bit)) != 0;
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
      AttributeFigures its = figures[groups[met[i]] * fields.size() + of.field];
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
      }
    }
    if (field.has(RollupFigure.DISTINCT)) {
      addDistinct(column, kept);
    }
    for (int i = 0; i < metCount; i++) {
      figureBytes += byCell[met[i]].bytes();
    }
    figureBytes -= before;
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

  /// Shows the groups one after the other.
  ///
  /// - Threads: one.
  final class Shown implements GroupedEvents {
    private int group = -1;

    /// Moves to the next group; false after the last.
    boolean next() {
      return ++group < size;
    }

    private long value(int name) {
      return keys[group * width + 2 + name];
    }

    @Override
    public @Nullable AttributeFigures figures(AttributeName name) {
      for (int field = 0; field < fields.size(); field++) {
        if (fields.get(field).name().equals(name)) {
          return figures[group * fields.size() + field];
        }
      }
      return null;
    }

    @Override
    public @Nullable Level level(AttributeValue scratch) {
      if (!fold.level()) {
        return GroupedEvents.super.level(scratch);
      }
      boolean text = show(names.length - 1, scratch) && scratch.kind() == AttributeKind.STRING;
      return text ? Level.ofWord(scratch.toString()) : null;
    }

    @Override
    public long weight() {
      return weights[group];
    }

    @Override
    public long idTime() {
      return idTimes[group];
    }

    @Override
    public long idTail() {
      return idTails[group];
    }

    @Override
    public long version() {
      return EventLayout.VERSION_ASSIGNED; // events with ids of their own are not grouped
    }

    @Override
    public String type() {
      return types.get((int) keys[group * width]);
    }

    @Override
    public boolean find(AttributeName name, AttributeValue out) {
      for (int i = 0; i < names.length; i++) {
        if (names[i].equals(name)) {
          return show(i, out);
        }
      }
      return false;
    }

    private boolean show(int name, AttributeValue out) {
      int number = (int) value(name);
      if (number > 0) {
        values[name].show(number - 1, out);
      }
      return number > 0;
    }

    @Override
    public void forEach(AttributeValue value, AttributeVisitor visitor) {
      Integer[] order = new Integer[names.length];
      Arrays.setAll(order, i -> i);
      Arrays.sort(order, (a, b) -> names[a].compareTo(names[b]));
      for (int name : order) {
        if (show(name, value)) {
          visitor.visit(names[name], value);
        }
      }
    }
  }
}
