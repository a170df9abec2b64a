package io.widerow.storage.text;

import java.util.Arrays;

/// Codes of numbers: 0, 1, ... in order of first appearance. It is a hash table with open
/// addressing, which grows with the numbers, so that few of them stay in the cache.
///
/// - Threads: one.
final class LineCodes {
  private static final long MIX = 0x9e37_79b9_7f4a_7c15L; // 2^64 / golden ratio

  private long[] numbers = new long[1 << 9]; // by slot
  private int[] codes = new int[1 << 9]; // by slot: code + 1; 0 for a free slot
  private int size;

  int size() {
    return size;
  }

  /// Forgets all numbers.
  void clear() {
    Arrays.fill(codes, 0);
    size = 0;
  }

  /// The code of a number, which is [#size] from before when it is new.
  int codeOf(long number) {
    int slot = slotOf(number);
    if (codes[slot] == 0) {
      numbers[slot] = number;
      codes[slot] = ++size;
      if (2 * size > codes.length) {
        grow();
      }
      return size - 1;
    }
    return codes[slot] - 1;
  }

  private int slotOf(long number) {
    int mask = codes.length - 1;
    int slot = (int) ((number * MIX) >>> Integer.SIZE) & mask;
    while (codes[slot] != 0 && numbers[slot] != number) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    long[] oldNumbers = numbers;
    int[] oldCodes = codes;
    numbers = new long[2 * oldNumbers.length];
    codes = new int[numbers.length];
    for (int i = 0; i < oldCodes.length; i++) {
      if (oldCodes[i] != 0) {
        int slot = slotOf(oldNumbers[i]);
        numbers[slot] = oldNumbers[i];
        codes[slot] = oldCodes[i];
      }
    }
  }
}
