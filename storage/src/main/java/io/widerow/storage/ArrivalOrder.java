package io.widerow.storage;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Turns events of a block from the order of their times into that in which they arrived, and back.
/// Lines that arrive about when they happened have times that hardly move in that order, and
/// counters that count; in order of time one of the two says again what the other one said.
///
/// Back it is a stable sort by time: a radix sort of the least significant digits first (Knuth, The
/// Art of Computer Programming 3, 5.2.5), which takes as many passes as the times of the block have
/// digits. Times are in units that divide the differences of all, a second for most logs, so that
/// is one.
///
/// - Threads: one.
final class ArrivalOrder {
  private static final int ROW_BITS = 16;
  private static final int DIGIT_BITS = 11;
  private static final int DIGITS = 1 << DIGIT_BITS;

  private long[] keys = new long[0];
  private long[] units = new long[0];
  private long[] counters = new long[0];
  private final int[] starts = new int[DIGITS];

  static {
    assert SegmentFormat.BLOCK_EVENTS_MAX <= 1 << ROW_BITS : "a row has too few bits";
  }

  long heldBytes() {
    return Long.BYTES * (keys.length + (long) units.length + counters.length)
        + (long) Integer.BYTES * DIGITS;
  }

  /// The rows of a block by their counters; null when two have the same one, or when they are in
  /// this order already.
  ///
  /// @param rowCounters below 2^45
  /// @return as [#row] tells
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

  /// True when each number is greater than the one before it. No branches, as in
  /// [LongDecoder#check]; the numbers are times or counters, far from the ends of a long.
  static boolean rises(long[] numbers, int count) {
    long rises = 0;
    for (int i = 1; i < count; i++) {
      rises |= numbers[i] - numbers[i - 1] - 1;
    }
    return rises >= 0;
  }

  /// Sorts times, and the counters with them; of equal times the one that was before stays so.
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
