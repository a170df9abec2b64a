package io.widerow.cql.tablestats;

import java.util.Arrays;

/// A Bloom filter over hashes: about 1 in 100 that are not in it pass.
///
/// - Threads: any may ask; immutable once it is full.
public final class TableFilter {
  private static final int BITS_EACH = 10;
  private static final int PROBES = 7;

  private final long[] words;

  private TableFilter(long[] words) {
    this.words = words;
  }

  /// @param words none for a filter that lets everything pass
  public static TableFilter of(long[] words) {
    return new TableFilter(words);
  }

  /// A filter over the first hashes of an array.
  public static TableFilter of(long[] hashes, int count) {
    long bits = Math.max(64, (long) count * BITS_EACH);
    var filter = new TableFilter(new long[Math.toIntExact((bits + 63) / 64)]);
    for (int i = 0; i < count; i++) {
      filter.add(hashes[i]);
    }
    return filter;
  }

  private void add(long hash) {
    long bits = 64L * words.length;
    for (int probe = 0; probe < PROBES; probe++) {
      long bit = bit(hash, probe, bits);
      words[(int) (bit >>> 6)] |= 1L << bit;
    }
  }

  /// False when a hash is surely not in it.
  public boolean mayHave(long hash) {
    long bits = 64L * words.length;
    for (int probe = 0; probe < PROBES && bits > 0; probe++) {
      long bit = bit(hash, probe, bits);
      if ((words[(int) (bit >>> 6)] & 1L << bit) == 0) {
        return false;
      }
    }
    return true;
  }

  private static long bit(long hash, int probe, long bits) {
    return Long.remainderUnsigned(hash + probe * (Long.rotateLeft(hash, 32) | 1), bits);
  }

  public long[] words() {
    return Arrays.copyOf(words, words.length);
  }
}
