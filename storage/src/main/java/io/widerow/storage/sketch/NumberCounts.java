package io.widerow.storage.sketch;

import java.util.Arrays;

/// Numbers, each once with how often it was added, for functions that need every sample of a
/// window. Hash tables with linear probing; the order is made when it is asked for.
///
/// ```
///   bits     7.0   -   3.0  9.0   -   -        of the numbers
///   counts   1     0   2    500   0   0        0: the slot is free
/// ```
///
/// - Threads: one.
/// - Memory: 32 to 64 bytes a number that differs, and 16 more when its order was asked for.
public final class NumberCounts {
  private static final long[] UNSORTED = {};
  private static final int SLOTS_LEAST = 16;
  private static final long MIX = 0x9e37_79b9_7f4a_7c15L; // 2^64 / golden ratio (Fibonacci hashing)

  private long[] bits = new long[SLOTS_LEAST];
  private long[] counts = new long[SLOTS_LEAST];
  private int distinct;
  private long total;
  private double[] sorted = {};
  private long[] below = UNSORTED; // by place in `sorted`: how many are at or before it

  /// Adds a number so many times.
  public void add(double number, long count) {
    if (2 * distinct >= bits.length) {
      grow();
    }
    put(Double.doubleToLongBits(number), count);
    total += count;
    below = UNSORTED;
  }

  private void put(long key, long count) {
    int slot = slot(key);
    distinct += counts[slot] == 0 ? 1 : 0;
    bits[slot] = key;
    counts[slot] += count;
  }

  /// The slot of a number, or the free one that it takes.
  private int slot(long key) {
    int mask = bits.length - 1;
    int slot = (int) ((key * MIX) >>> Long.numberOfLeadingZeros(mask)) & mask;
    while (counts[slot] != 0 && bits[slot] != key) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    long[] oldBits = bits;
    long[] oldCounts = counts;
    bits = new long[2 * oldBits.length];
    counts = new long[bits.length];
    distinct = 0;
    for (int i = 0; i < oldBits.length; i++) {
      if (oldCounts[i] != 0) {
        put(oldBits[i], oldCounts[i]);
      }
    }
  }

  /// Adds what another one has.
  ///
  /// A smaller table would fill from one end, because the numbers come in the order of their slots.
  public void addAll(NumberCounts other) {
    while (bits.length < other.bits.length) {
      grow();
    }
    for (int i = 0; i < other.bits.length; i++) {
      if (other.counts[i] != 0) {
        add(Double.longBitsToDouble(other.bits[i]), other.counts[i]);
      }
    }
  }

  /// Memory in bytes.
  public long bytes() {
    return 2L * Long.BYTES * bits.length;
  }

  /// The number of added values.
  public long total() {
    return total;
  }

  /// The number at a place in the order of all that were added, from 0.
  public double at(long place) {
    if (below.length == 0) {
      sort();
    }
    int found = Arrays.binarySearch(below, place + 1);
    return sorted[found < 0 ? -found - 1 : found];
  }

  private void sort() {
    sorted = new double[distinct];
    int to = 0;
    for (int i = 0; i < bits.length; i++) {
      if (counts[i] != 0) {
        sorted[to++] = Double.longBitsToDouble(bits[i]);
      }
    }
    Arrays.sort(sorted);
    below = new long[distinct];
    long before = 0;
    for (int i = 0; i < distinct; i++) {
      before += counts[slot(Double.doubleToLongBits(sorted[i]))];
      below[i] = before;
    }
  }

  /// The mean of the squares of how far they are from a number.
  public double variance(double mean) {
    double squares = 0;
    for (int i = 0; i < bits.length; i++) {
      double off = Double.longBitsToDouble(bits[i]) - mean;
      squares += counts[i] == 0 ? 0 : off * off * counts[i];
    }
    return squares / total;
  }
}
