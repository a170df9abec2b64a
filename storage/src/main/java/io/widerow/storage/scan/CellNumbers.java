package io.widerow.storage.scan;

import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// Numbers pairs of a cell and a code from 0, in order of appearance, for blocks that have few of
/// the possible pairs. It is a hash table with open addressing.
///
/// - Threads: one.
/// - Memory: 24 bytes a row.
final class CellNumbers {
  private static final long MIX = 0x9e37_79b9_7f4a_7c15L; // 2^64 / golden ratio

  private long[] pairs = new long[0]; // by slot
  private int[] numbers = new int[0]; // by slot: number of the pair + 1; 0 for a free slot

  /// Replaces the cell of each kept row by the number of its pair, and of other rows by 0.
  ///
  /// @param codes by row
  /// @param limit all codes are below it
  /// @param kept rows; null for all
  /// @return how many pairs there are
  int number(int[] cells, int[] codes, int limit, int events, @Nullable BitSet kept) {
    int rows = kept == null ? events : kept.cardinality();
    int room = Integer.highestOneBit(Math.max(1, rows)) << 2;
    if (numbers.length < room) {
      pairs = new long[room];
      numbers = new int[room];
    } else {
      Arrays.fill(numbers, 0, room, 0);
    }
    int mask = room - 1;
    int size = 0;
    for (int row = 0; row < events; row++) {
      if (kept != null && !kept.get(row)) {
        cells[row] = 0;
        continue;
      }
      long pair = cells[row] * (long) limit + codes[row];
      int slot = (int) ((pair * MIX) >>> Integer.SIZE) & mask;
      while (numbers[slot] != 0 && pairs[slot] != pair) {
        slot = (slot + 1) & mask;
      }
      if (numbers[slot] == 0) {
        pairs[slot] = pair;
        numbers[slot] = ++size;
      }
      cells[row] = numbers[slot] - 1;
    }
    return size;
  }

  long heldBytes() {
    return (long) (Long.BYTES + Integer.BYTES) * numbers.length;
  }
}
