package io.widerow.storage.segment;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.Level;
import io.widerow.event.LevelAttribute;
import io.widerow.storage.Filter;
import io.widerow.storage.FilterEvaluation;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The level of each row of a block, column by column: each distinct value is looked at once, and
/// texts only where the attributes of a row have no level.
///
/// ```
///   rows      0     1     2     3
///   level     30    -     50    -        3 1 3 1: codes of the column, looked at once each
///   body      .     x     .     y        read for rows 1 and 3 only
/// ```
///
/// - Threads: one.
/// - Memory: a byte and an int a row.
public final class BlockLevels {
  private static final List<Level> LEVELS = List.of(Level.values());

  /// Number of values that [#code] has.
  public static final int CODES = LEVELS.size() + 1;

  private static final int CODES_MAX = 1 << 14; // of a column that is looked at by its codes
  private static final byte NOT_READ = -1;
  private static final byte DECIDED = -2; // no level, whatever the other attributes are

  private final BlockReader reader;
  private final AttributeValue value = new AttributeValue();
  private byte[] codes = new byte[0]; // by row: 0 for no level
  private int[] numbers = new int[0]; // by row: the code of the column
  private byte[] told = new byte[0]; // by the column's code
  private int missing; // rows without a level
  private boolean others; // some have a word of the sender instead
  private int left; // of these, rows of which other attributes may tell it
  private long readOf; // number of the block, as BlockReader#opened counts

  /// @param reader the block to look at is open in it
  public BlockLevels(BlockReader reader) {
    this.reader = reader;
  }

  /// Approximate memory held.
  public long heldBytes() {
    return codes.length + (long) Integer.BYTES * numbers.length + told.length;
  }

  /// Finds the levels of the open block, unless they are known already.
  public void read() {
    if (readOf == reader.opened()) {
      return;
    }
    find();
    readOf = reader.opened(); // not when a column was damaged
  }

  private void find() {
    BlockDirectory directory = reader.directory();
    int events = directory.events;
    if (codes.length < events) {
      codes = new byte[events];
      numbers = new int[events];
    }
    Arrays.fill(codes, 0, events, (byte) 0);
    missing = events;
    left = events;
    others = false;
    for (LevelAttribute attribute : LevelAttribute.all()) {
      if (left == 0) {
        break;
      }
      int column = directory.find(attribute.name());
      for (; column >= 0; column = directory.findNext(column)) {
        if (attribute.mayTell(directory.kinds[column])) {
          read(attribute, reader.column(column), events);
        }
      }
    }
    for (AttributeName name : LevelAttribute.TEXTS) {
      int column = left == 0 ? -1 : directory.find(name);
      for (; column >= 0; column = directory.findNext(column)) {
        if (directory.kinds[column] == AttributeKind.STRING) {
          read(null, reader.column(column), events); // the first text of a row decides
        }
      }
    }
    for (int row = 0; row < events && left < missing; row++) {
      if (codes[row] == DECIDED) {
        codes[row] = 0;
        left++;
      }
    }
  }

  /// @param attribute null for the text of lines
  private void read(@Nullable LevelAttribute attribute, ColumnReader column, int events) {
    Arrays.fill(numbers, 0, events, 0);
    int count = column.number(numbers, events, CODES_MAX);
    if (told.length < count) {
      told = new byte[count];
    }
    Arrays.fill(told, 0, count, NOT_READ);
    for (int row = 0; row < events; row++) {
      if (codes[row] != 0) {
        continue;
      }
      byte code = count == 0 ? NOT_READ : told[numbers[row]];
      if (code == NOT_READ) {
        code = column.value(row, value) ? code(attribute) : 0;
        if (count > 0) {
          told[numbers[row]] = code;
        }
      }
      set(row, code);
    }
  }

  private byte code(@Nullable LevelAttribute attribute) {
    if (attribute == null) {
      byte code = code(Level.ofText(value));
      return code == 0 ? DECIDED : code;
    }
    byte code = code(attribute.level(value));
    if (code != 0 || !attribute.isFinal(value)) {
      return code;
    }
    others |= Level.isOther(value);
    return DECIDED;
  }

  private void set(int row, byte code) {
    codes[row] = code;
    missing -= code > 0 ? 1 : 0;
    left -= code == 0 ? 0 : 1;
  }

  private static byte code(@Nullable Level level) {
    return (byte) (level == null ? 0 : level.rank() + 1);
  }

  /// A number for the level of a row, below [#CODES]; 0 when it has none.
  public int code(int row) {
    return codes[row];
  }

  /// The level of a row; null when it has none.
  public @Nullable Level level(int row) {
    return codes[row] == 0 ? null : LEVELS.get(codes[row] - 1);
  }

  /// True when each row has a level.
  public boolean isComplete() {
    return missing == 0;
  }

  /// True when rows without a level have a word of the sender in [Level#DETECTED].
  public boolean hasOthers() {
    return others;
  }

  /// The rows that a test of the level keeps.
  public BitSet rows(Filter test) {
    boolean[] kept = new boolean[CODES];
    for (int code = 0; code < CODES; code++) {
      Level level = code == 0 ? null : LEVELS.get(code - 1);
      kept[code] =
          switch (test) {
            case Filter.OfLevel(var comparison, Level wanted) ->
                FilterEvaluation.holds(comparison, wanted, level);
            case Filter.HasLevel() -> level != null;
            default -> throw new IllegalArgumentException("not a test of the level: " + test);
          };
    }
    BitSet rows = new BitSet();
    for (int row = 0; row < reader.directory().events; row++) {
      if (kept[codes[row]]) {
        rows.set(row);
      }
    }
    return rows;
  }
}
