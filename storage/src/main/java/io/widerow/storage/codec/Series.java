package io.widerow.storage.codec;

import java.util.Arrays;

/// The series of a block's events, such as the metrics of one host: events that have equal values
/// in some leading columns. A number usually differs little from the previous one of its series,
/// but much from the previous one of the block, where series alternate.
///
/// ```
///   event        0  1  2  3  4  5  6
///   host         a  b  c  a  b  c  a
///   series       0  1  2  0  1  2  0
///   before       0  0  1  0  1  2  3     the previous event of the series; for a new series the
///                                        previous event of the block; for the first event itself
///   likely       0  0  0  0  0  0  3     the event whose difference to the event before it is the
///                                        prediction here; for the first two events of a series the
///                                        first event, which has none
/// ```
///
/// - Threads: one.
/// - Memory: five ints for each event.
public final class Series {
  /// The most cells of a split: series before it times distinct values of its column.
  public static final int CELLS_MAX = 1 << 18;

  public static final int LEADERS_MAX = 8;

  /// By value of the column that [#follow] was called for: index of the previous value.
  int[] before = new int[0];

  /// By value, as `before`: index of the predicted difference.
  int[] likely = new int[0];

  private int[] numbers = new int[0]; // by event
  private int[] split = new int[0]; // by event
  private int[] codes = new int[0]; // by event
  private int[] table = new int[0]; // by cell: number + 1
  private int[] last = new int[0]; // by series
  private int[] ages = new int[0]; // by series: number of values so far
  private int events;
  private int count;
  private boolean followed; // before and likely are those of a column that all events have

  /// Approximate heap memory held.
  public long heldBytes() {
    return Integer.BYTES
        * (before.length + likely.length + 3L * numbers.length + table.length + 2L * last.length);
  }

  /// The number of series; 0 when the block has none.
  public int count() {
    return count;
  }

  /// Starts a block without series.
  public void clear() {
    count = 0;
    followed = false;
  }

  /// Starts a block with all events in one series.
  public void begin(int newEvents) {
    events = newEvents;
    if (numbers.length < events) {
      numbers = new int[LongDecoder.withSpare(events)];
      split = new int[numbers.length];
      codes = new int[numbers.length];
    }
    Arrays.fill(numbers, 0, events, 0);
    count = 1;
    followed = false;
  }

  /// Room for a code of each event, the input of [#split].
  public int[] codes() {
    return codes;
  }

  /// True when a column with this many codes may split the current series.
  public boolean mayBeSplit(int size) {
    return (long) count * size <= CELLS_MAX;
  }

  /// Splits each series by the values of a column. The caller has filled [#codes] with `0` to `size
  /// - 1`; different values have different codes.
  ///
  /// @param countMax when there would be more series than this, nothing is split
  /// @return true when the number of series has grown
  public boolean split(int size, int countMax) {
    assert mayBeSplit(size) : count + " series and " + size + " codes";
    int cells = count * size;
    if (table.length < cells) {
      table = new int[Math.max(cells, Math.min(CELLS_MAX, 2 * table.length))];
    }
    Arrays.fill(table, 0, cells, 0);
    int found = 0;
    for (int i = 0; i < events; i++) {
      int cell = numbers[i] * size + codes[i];
      if (table[cell] == 0) {
        table[cell] = ++found;
      }
      split[i] = table[cell] - 1;
    }
    if (found <= count || found > countMax) {
      return false;
    }
    int[] former = numbers;
    numbers = split;
    split = former;
    count = found;
    followed = false;
    return true;
  }

  /// Computes `before` and `likely` for the values of a column.
  ///
  /// @param rows the events that have a value; not used when all have one
  public void follow(int[] rows, int present) {
    boolean all = present == events;
    if (all && followed) {
      return;
    }
    followed = all;
    if (before.length < present) {
      before = new int[numbers.length];
      likely = new int[numbers.length];
    }
    if (last.length < count) {
      last = new int[2 * count];
      ages = new int[2 * count];
    }
    Arrays.fill(ages, 0, count, 0);
    for (int i = 0; i < present; i++) {
      int series = numbers[all ? i : rows[i]];
      int age = ages[series]++;
      before[i] = age == 0 ? Math.max(0, i - 1) : last[series];
      likely[i] = age < 2 ? 0 : last[series];
      last[series] = i;
    }
  }
}
