package io.widerow.query.promql.run;

import java.util.List;

/// The largest or least values of a step, as Prometheus finds them: of equal values those that its
/// heap keeps. Go's `container/heap`, because which of them it keeps depends on it.
///
/// ```
///   topk(2)    5 5 7    heap (5 5), then 7 replaces its top, which is the first 5
/// ```
///
/// - Threads: one.
/// - Memory: an int for each value that is kept.
final class Ranking {
  private final List<Row> rows;
  private final int step;
  private final boolean most;
  private final int[] heap; // numbers of rows; the value to be replaced next is on top
  private int size;

  /// @param limit how many values are kept
  /// @param most whether they are the largest
  Ranking(List<Row> rows, int step, long limit, boolean most) {
    this.rows = rows;
    this.step = step;
    this.most = most;
    this.heap = new int[Math.clamp(limit, 0, rows.size())];
  }

  private double value(int place) {
    return rows.get(heap[place]).value(step);
  }

  /// Adds the value of a row.
  void add(int row) {
    if (size < heap.length) {
      heap[size] = row;
      up(size++);
      return;
    }
    double value = rows.get(row).value(step);
    if (size > 0 && isBetter(value, value(0))) {
      heap[0] = row;
      down();
    }
  }

  private boolean isBetter(double value, double than) {
    return (most ? than < value : than > value) || (Double.isNaN(than) && !Double.isNaN(value));
  }

  private boolean isBelow(int one, int other) {
    double value = value(one);
    return Double.isNaN(value) || (most ? value < value(other) : value > value(other));
  }

  private void up(int from) {
    int at = from;
    while (at > 0 && isBelow(at, (at - 1) / 2)) {
      swap(at, (at - 1) / 2);
      at = (at - 1) / 2;
    }
  }

  private void down() {
    int at = 0;
    for (int next = 1; next < size; next = 2 * at + 1) {
      if (next + 1 < size && isBelow(next + 1, next)) {
        next++;
      }
      if (!isBelow(next, at)) {
        return;
      }
      swap(at, next);
      at = next;
    }
  }

  private void swap(int one, int other) {
    int row = heap[one];
    heap[one] = heap[other];
    heap[other] = row;
  }

  /// Number of values that are kept.
  int size() {
    return size;
  }

  /// The row of one of them, in no order.
  int row(int place) {
    return heap[place];
  }
}
