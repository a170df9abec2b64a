package io.widerow.storage;

import java.util.Arrays;

/// Which events of a block belong to one series, such as the metrics of one host: those that are
/// alike in some leading columns. A number mostly differs little from the one before in its series,
/// and much from the one before in the block, where series take turns.
///
/// ```
///   event        0  1  2  3  4  5  6
///   host         a  b  c  a  b  c  a
///   series       0  1  2  0  1  2  0
///   before       0  0  1  0  1  2  3     the event before in the series; of a new series in the
///                                        block; of the first event itself
///   likely       0  0  0  0  0  0  3     the event whose move, from the event before to itself,
///                                        is likely here too; the first, which has none, for the
///                                        first two of a series
/// ```
///
/// - Threads: one.
/// - Memory: five numbers for each event.
final class Series {
  /// Most series before a split times different values of the column that splits them.
  static final int CELLS_MAX = 1 << 18;

  static final int LEADERS_MAX = 8;

  /// By value of the column that [#follow] was called for.
  int[] before = new int[0];

  /// As `before`.
  int[] likely = new int[0];

  private int[] numbers = new int[0]; // by event
  private int[] split = new int[0]; // by event
  private int[] codes = new int[0]; // by event
  private int[] table = new int[0]; // by cell: number + 1
  private int[] last = new int[0]; // by series
  private int[] ages = new int[0]; // by series: values so far
  private int events;
  private int count;
  private boolean followed; // before and likely are those of all events

  /// Memory that it holds.
  long heldBytes() {
    return Integer.BYTES
        * (before.length + likely.length + 3L * numbers.length + table.length + 2L * last.length);
  }

  /// How many there are; 0 when the block has none.
  int count() {
    return count;
  }

  /// Forgets the block before; this one has no series.
  void clear() {
    count = 0;
    followed = false;
  }

  /// Starts with all events in one series.
  void begin(int newEvents) {
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

  /// Room for a code of each event, for [#split].
  int[] codes() {
    return codes;
  }

  /// True when a column of so many codes may split what there is.
  boolean mayBeSplit(int size) {
    return (long) count * size <= CELLS_MAX;
  }

  /// Parts the events of each series that differ in a column, whose [#codes] from 0 to `size - 1`
  /// are different for different values.
  ///
  /// @param countMax with more series than this nothing is parted
  /// @return true when there are more series than before
  boolean split(int size, int countMax) {
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

  /// Finds `before` and `likely` of the values of a column.
  ///
  /// @param rows the events that have one; not looked at when all have
  void follow(int[] rows, int present) {
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
