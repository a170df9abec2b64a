package io.widerow.query.logql.run;

import java.util.Arrays;

/// Numbers in order, each once with how often it was added, for functions that need every sample of
/// a window. Those added last wait in a buffer until they are sorted in.
///
/// ```
///   numbers   3    7    9         last   7  4
///   counts    2    1  500         of     1  1
/// ```
///
/// - Threads: one.
/// - Memory: 16 bytes a number that differs, and about as much again for the buffer.
final class NumberCounts {
  private static final int LAST_LEAST = 16;

  private double[] numbers = new double[0];
  private long[] counts = new long[0];
  private int size;
  private double[] last = new double[LAST_LEAST];
  private int lastSize;

  void add(double number, long count) {
    for (long i = 0; i < count; i++) { // events with numbers are seldom folded
      if (lastSize == last.length) {
        settle();
      }
      last[lastSize++] = number;
    }
  }

  /// Memory in bytes.
  long bytes() {
    return 16L * numbers.length + 8L * last.length;
  }

  void addAll(NumberCounts other) {
    settle();
    other.settle();
    merge(other.numbers, other.counts, other.size);
  }

  /// Sorts in what was added last.
  private void settle() {
    if (lastSize == 0) {
      return;
    }
    Arrays.sort(last, 0, lastSize);
    long[] of = new long[lastSize];
    int distinct = 0;
    for (int i = 0; i < lastSize; i++) {
      if (i > 0 && Double.compare(last[i], last[distinct - 1]) == 0) {
        of[distinct - 1]++;
      } else {
        last[distinct] = last[i];
        of[distinct++] = 1;
      }
    }
    merge(last, of, distinct);
    lastSize = 0;
    if (last.length < size) {
      last = new double[size];
    }
  }

  private void merge(double[] others, long[] otherCounts, int otherSize) {
    double[] merged = new double[size + otherSize];
    long[] mergedCounts = new long[size + otherSize];
    int to = 0;
    int mine = 0;
    int theirs = 0;
    while (mine < size || theirs < otherSize) {
      int order =
          mine == size
              ? 1
              : theirs == otherSize ? -1 : Double.compare(numbers[mine], others[theirs]);
      merged[to] = order <= 0 ? numbers[mine] : others[theirs];
      mergedCounts[to] = (order <= 0 ? counts[mine] : 0) + (order >= 0 ? otherCounts[theirs] : 0);
      mine += order <= 0 ? 1 : 0;
      theirs += order >= 0 ? 1 : 0;
      to++;
    }
    numbers = to < merged.length ? Arrays.copyOf(merged, to) : merged;
    counts = to < merged.length ? Arrays.copyOf(mergedCounts, to) : mergedCounts;
    size = to;
  }

  /// How many were added.
  long total() {
    settle();
    return Arrays.stream(counts, 0, size).sum();
  }

  /// The number at a place in the order of all that were added, from 0.
  double at(long place) {
    settle();
    long before = 0;
    for (int i = 0; i < size; i++) {
      before += counts[i];
      if (place < before) {
        return numbers[i];
      }
    }
    throw new IllegalArgumentException("number %d of %d".formatted(place, before));
  }

  /// The mean of the squares of how far they are from a number.
  double variance(double mean) {
    settle();
    double squares = 0;
    for (int i = 0; i < size; i++) {
      double off = numbers[i] - mean;
      squares += off * off * counts[i];
    }
    return squares / total();
  }
}
