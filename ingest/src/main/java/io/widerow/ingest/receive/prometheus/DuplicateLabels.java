package io.widerow.ingest.receive.prometheus;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/// The names of the labels of one series, to find one that is given twice. Senders sort them, so
/// that each is compared with the one before it only; of others all are compared.
///
/// - Threads: one.
/// - Memory: keeps its arrays.
final class DuplicateLabels {
  private static final int COMPARED_MAX = 32; // more of them go into a set

  private byte[] source = {};
  private int count;
  private boolean ascending;
  private int[] offsets = new int[16];
  private int[] lengths = new int[16];

  /// Starts a series whose names lie in these bytes.
  void begin(byte[] newSource) {
    source = newSource;
    count = 0;
    ascending = true;
  }

  void add(int offset, int length) {
    if (count == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * count);
      lengths = Arrays.copyOf(lengths, 2 * count);
    }
    offsets[count] = offset;
    lengths[count] = length;
    ascending = ascending && (count == 0 || compare(count - 1, count) < 0);
    count++;
  }

  /// Whether two names are equal.
  boolean hasTwice() {
    return !ascending && (count > COMPARED_MAX ? hasTwiceOfMany() : hasTwiceOfFew());
  }

  private boolean hasTwiceOfMany() {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < count; i++) {
      if (!seen.add(new String(source, offsets[i], lengths[i], StandardCharsets.ISO_8859_1))) {
        return true;
      }
    }
    return false;
  }

  private boolean hasTwiceOfFew() {
    for (int i = 1; i < count; i++) {
      for (int other = 0; other < i; other++) {
        if (lengths[i] == lengths[other] && compare(i, other) == 0) {
          return true;
        }
      }
    }
    return false;
  }

  private int compare(int i, int other) {
    return Arrays.compareUnsigned(
        source,
        offsets[i],
        offsets[i] + lengths[i],
        source,
        offsets[other],
        offsets[other] + lengths[other]);
  }
}
