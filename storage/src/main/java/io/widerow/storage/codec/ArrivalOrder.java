package io.widerow.storage.codec;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A reordering of a block's ids from order of time to order of arrival, and back. When lines
/// arrive soon after they happen, their times in order of arrival hardly change and their counters
/// increase by one. In order of time, each of the two repeats information of the other.
///
/// The way back is a stable sort by time: a radix sort from the least significant digit (Knuth, The
/// Art of Computer Programming 3, 5.2.5), with one pass for each digit of the block's times. Times
/// are in units that divide all differences, a second for most logs, so one pass is usually enough.
///
/// - Threads: one.
final class ArrivalOrder {
  private static final int ROW_BITS = 16;
  private static final int DIGIT_BITS = 11;
  private static final int DIGITS = 1 << DIGIT_BITS;

  private long[] keys = new long[0];
  private long[] units = new long[0];
  private long[] counters = new long[0];
  private int[] starts = new int[0]; // of DIGITS once it is used

  static {
    assert BlockLimits.EVENTS_MAX <= 1 << ROW_BITS : "a row has too few bits";
  }

  long heldBytes() {
    return Long.BYTES * (keys.length + (long) units.length + counters.length)
        + (long) Integer.BYTES * starts.length;
  }

  /// The rows of a block in order of their counters; null when two counters are equal, or when the
  /// rows are in this order already.
  ///
  /// @param rowCounters below 2^45
  /// @return rows, encoded as [#row] decodes them
  long @Nullable [] rowsByArrival(long[] rowCounters, int count) {
    if (rises(rowCounters, count)) {
      return null;
    }
    keys = LongDecoder.room(keys, count);
    long least = Arrays.stream(rowCounters, 0, count).min().orElse(0);
    for (int row = 0; row < count; row++) {
      keys[row] = (rowCounters[row] - least) << ROW_BITS | row;
    }
    Arrays.sort(keys, 0, count);
    for (int i = 1; i < count; i++) {
      if (keys[i - 1] >>> ROW_BITS == keys[i] >>> ROW_BITS) {
        return null;
      }
    }
    return keys;
  }

  static int row(long key) {
    return (int) key & ((1 << ROW_BITS) - 1);
  }

  /// True when the numbers strictly increase. There are no branches, as in [LongDecoder#check]; the
  /// numbers are times or counters, far from the ends of a long.
  static boolean rises(long[] numbers, int count) {
    long rises = 0;
    for (int i = 1; i < count; i++) {
      rises |= numbers[i] - numbers[i - 1] - 1;
    }
    return rises >= 0;
  }

  /// Sorts times, and the counters with them. The sort is stable.
  ///
  /// @param times in units, from 0 to `most`
  void byTime(long[] times, long[] timeCounters, int count, long most) {
    units = LongDecoder.room(units, count);
    counters = LongDecoder.room(counters, count);
    long[] fromTimes = times;
    long[] fromCounters = timeCounters;
    long[] toTimes = units;
    long[] toCounters = counters;
    boolean inPlace = true;
    for (int shift = 0; shift < Long.SIZE && most >>> shift != 0; shift += DIGIT_BITS) {
      inPlace = !inPlace;
      pass(fromTimes, fromCounters, toTimes, toCounters, count, shift);
      long[] swapped = fromTimes;
      fromTimes = toTimes;
      toTimes = swapped;
      swapped = fromCounters;
      fromCounters = toCounters;
      toCounters = swapped;
    }
    if (!inPlace) {
      System.arraycopy(fromTimes, 0, times, 0, count);
      System.arraycopy(fromCounters, 0, timeCounters, 0, count);
    }
  }

  private void pass(
      long[] fromTimes,
      long[] fromCounters,
      long[] toTimes,
      long[] toCounters,
      int count,
      int shift) {
    if (starts.length == 0) {
      starts = new int[DIGITS];
    }
    Arrays.fill(starts, 0);
    for (int i = 0; i < count; i++) {
      starts[(int) (fromTimes[i] >>> shift) & (DIGITS - 1)]++;
    }
    int next = 0;
    for (int digit = 0; digit < DIGITS; digit++) {
      int here = starts[digit];
      starts[digit] = next;
      next += here;
    }
    for (int i = 0; i < count; i++) {
      int to = starts[(int) (fromTimes[i] >>> shift) & (DIGITS - 1)]++;
      toTimes[to] = fromTimes[i];
      toCounters[to] = fromCounters[i];
    }
  }
}
