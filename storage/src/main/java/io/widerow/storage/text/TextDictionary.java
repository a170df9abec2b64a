package io.widerow.storage.text;

import io.widerow.storage.codec.ByteWords;
import java.util.Arrays;

/// A dictionary: gives equal texts equal codes, 0, 1, ... in order of first appearance. It is a
/// hash table with open addressing that compares the texts, not only their hashes.
///
/// - Threads: one.
public final class TextDictionary {
  private static final int SAMPLE = 512;
  private static final int SAMPLE_MAX = SAMPLE * 15 / 16;

  private long[] table = new long[64]; // hash, then code + 1
  private int[] firsts = new int[32]; // by code: the first slice with its text
  private int size;

  public int size() {
    return size;
  }

  /// The first slice with a code's text.
  int first(int code) {
    return firsts[code];
  }

  /// Fills `codes`. False when there are more than `sizeMax` distinct texts.
  ///
  /// @param hasty true to give up also when almost all of the first texts are distinct
  public boolean build(TextSlices texts, int sizeMax, boolean hasty, long[] codes) {
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

  /// Copies the codes of a column's values to their events. When not every event has a value,
  /// events without one get code 0 and all other codes are one greater.
  public static void spread(long[] codes, int[] rows, int present, int events, int[] byEvent) {
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
    for (long entry = table[slot]; entry != 0; entry = table[slot]) {
      int code = (int) entry - 1;
      if ((int) (entry >>> Integer.SIZE) == hash && texts.same(firsts[code], slice)) {
        return code;
      }
      slot = (slot + 1) & mask;
    }
    if (size == firsts.length) {
      grow();
      return codeOf(texts, slice);
    }
    firsts[size++] = slice;
    table[slot] = ((long) hash << Integer.SIZE) | size;
    return size - 1;
  }

  private void grow() {
    firsts = Arrays.copyOf(firsts, 2 * size);
    long[] entries = table;
    table = new long[2 * entries.length];
    for (long entry : entries) {
      if (entry != 0) {
        int slot = (int) (entry >>> Integer.SIZE) & (table.length - 1);
        while (table[slot] != 0) {
          slot = (slot + 1) & (table.length - 1);
        }
        table[slot] = entry;
      }
    }
  }
}
