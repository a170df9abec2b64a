package io.widerow.storage.sketch;

import java.util.Arrays;

/// Numbers, each once with how often it was added, for functions that need every sample of a
/// window. Hash tables with linear probing; the order is made when it is asked for.
///
/// ```
///   slots    7.0 1 | - 0 | 3.0 2 | 9.0 500 | - 0        bits and count; 0: the slot is free
/// ```
///
/// - Threads: one.
/// - Memory: 32 to 64 bytes a number that differs, and 16 more when its order was asked for.
public final class NumberCounts {
  private static final long[] UNSORTED = {};
  private static final int SLOTS_LEAST = 16;
  private static final long MIX = 0x9e37_79b9_7f4a_7c15L; // 2^64 / golden ratio (Fibonacci hashing)

  private long[] slots = new long[2 * SLOTS_LEAST]; // bits of a number, and its count
  private int distinct;
  private long total;
  private double[] sorted = {};
  private long[] below = UNSORTED; // by place in `sorted`: how many are at or before it

  /// Adds a number so many times.
  public void add(double number, long count) {
    if (4 * distinct >= slots.length) {
      grow();
    }
    put(Double.doubleToLongBits(number), count);
    total += count;
    if (below.length > 0) { // a reference is dear to write
      below = UNSORTED;
    }
  }

  private void put(long key, long count) {
    int slot = slot(key);
    if (slots[slot + 1] == 0) {
      slots[slot] = key;
      distinct++;
    }
    slots[slot + 1] += count;
  }

  /// Where the slot of a number is, or the free one that it takes.
  private int slot(long key) {
    int mask = slots.length - 2; // places are even
    int slot = (int) ((key * MIX) >>> Long.numberOfLeadingZeros(mask)) & mask;
    while (slots[slot + 1] != 0 && slots[slot] != key) {
      slot = (slot + 2) & mask;
    }
    return slot;
  }

  private void grow() {
    long[] old = slots;
    slots = new long[2 * old.length];
    distinct = 0;
    for (int i = 0; i < old.length; i += 2) {
      if (old[i + 1] != 0) {
        put(old[i], old[i + 1]);
      }
    }
  }

  /// Adds what another one has.
  ///
  /// A smaller table would fill from one end, because the numbers come in the order of their slots.
  public void addAll(NumberCounts other) {
    while (slots.length < other.slots.length) {
      grow();
    }
    for (int i = 0; i < other.slots.length; i += 2) {
      if (other.slots[i + 1] != 0) {
        add(Double.longBitsToDouble(other.slots[i]), other.slots[i + 1]);
      }
    }
  }

  /// Memory in bytes.
  public long bytes() {
    return (long) Long.BYTES * slots.length;
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
    for (int i = 0; i < slots.length; i += 2) {
      if (slots[i + 1] != 0) {
        sorted[to++] = Double.longBitsToDouble(slots[i]);
      }
    }
    Arrays.sort(sorted);
    below = new long[distinct];
    long before = 0;
    for (int i = 0; i < distinct; i++) {
      before += slots[slot(Double.doubleToLongBits(sorted[i])) + 1];
      below[i] = before;
    }
  }

  /// The mean of the squares of how far they are from a number.
  public double variance(double mean) {
    double squares = 0;
    for (int i = 0; i < slots.length; i += 2) {
      double off = Double.longBitsToDouble(slots[i]) - mean;
      squares += slots[i + 1] == 0 ? 0 : off * off * slots[i + 1];
    }
    return squares / total;
  }
}
