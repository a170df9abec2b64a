package io.widerow.storage;

import java.util.Arrays;

/// Gives equal texts equal codes, 0, 1, ... in order of first appearance. A hash table with open
/// addressing; texts are compared, not only hashed.
///
/// - Threads: one.
final class TextDictionary {
  private static final int SAMPLE = 512;
  private static final int SAMPLE_MAX = SAMPLE * 15 / 16;

  private int[] table = new int[64]; // code + 1
  private int[] hashes = new int[32]; // by code
  private int[] firsts = new int[32]; // by code: the slice that showed it first
  private int size;

  int size() {
    return size;
  }

  /// The slice that first showed a code's text.
  int first(int code) {
    return firsts[code];
  }

  /// Fills `codes`; gives up when there are more than `sizeMax` different texts.
  ///
  /// @param hasty gives up also when almost all of the first texts differ
  boolean build(TextSlices texts, int sizeMax, boolean hasty, long[] codes) {
    Arrays.fill(table, 0);
    size = 0;
    for (int i = 0; i < texts.count; i++) {
      int first = texts.first(i);
      codes[i] = first < i ? codes[first] : codeOf(texts, i);
      if (size > sizeMax || (hasty && i == SAMPLE && size > SAMPLE_MAX)) {
        return false;
      }
    }
    return true;
  }

  /// Gives the code of each value to its event. Where not all events have one, those without have
  /// code 0 and the others one more than theirs.
  static void spread(long[] codes, int[] rows, int present, int events, int[] byEvent) {
    if (present == events) {
      for (int i = 0; i < events; i++) {
        byEvent[i] = (int) codes[i];
      }
      return;
    }
    Arrays.fill(byEvent, 0, events, 0);
    for (int i = 0; i < present; i++) {
      byEvent[rows[i]] = 1 + (int) codes[i];
    }
  }

  private int codeOf(TextSlices texts, int slice) {
    int hash = ByteWords.hash(texts.bytes, texts.offsets[slice], texts.lengths[slice]);
    int mask = table.length - 1;
    int slot = hash & mask;
    while (table[slot] != 0) {
      int code = table[slot] - 1;
      if (hashes[code] == hash && texts.same(firsts[code], slice)) {
        return code;
      }
      slot = (slot + 1) & mask;
    }
    if (size == firsts.length) {
      grow();
      return codeOf(texts, slice);
    }
    table[slot] = size + 1;
    hashes[size] = hash;
    firsts[size] = slice;
    return size++;
  }

  private void grow() {
    hashes = Arrays.copyOf(hashes, 2 * size);
    firsts = Arrays.copyOf(firsts, 2 * size);
    table = new int[4 * size];
    for (int code = 0; code < size; code++) {
      int slot = hashes[code] & (table.length - 1);
      while (table[slot] != 0) {
        slot = (slot + 1) & (table.length - 1);
      }
      table[slot] = code + 1;
    }
  }
}
