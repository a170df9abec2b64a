package io.widerow.storage;

import java.util.Arrays;

/// A run of texts, each a slice of one array: what text encoders take and text decoders give. Those
/// that are compared have [ByteSource#SLACK] bytes behind the last one.
///
/// - Threads: one.
final class TextSlices {
  byte[] bytes = new byte[0];
  int[] offsets = new int[0];
  int[] lengths = new int[0];
  int count;
  private byte[] printed = new byte[0];

  void clear() {
    count = 0;
  }

  void add(int offset, int length) {
    if (count == offsets.length) {
      room(Math.max(16, 2 * count));
    }
    offsets[count] = offset;
    lengths[count++] = length;
  }

  /// Makes room for `slices` slices.
  void room(int slices) {
    if (offsets.length < slices) {
      offsets = Arrays.copyOf(offsets, slices);
      lengths = Arrays.copyOf(lengths, slices);
    }
  }

  /// Makes [#bytes] an array of these slices' own, for `length` bytes.
  void printRoom(int length) {
    if (printed.length < length) {
      printed = new byte[length];
    }
    bytes = printed;
  }

  long totalBytes() {
    long total = 0;
    for (int i = 0; i < count; i++) {
      total += lengths[i];
    }
    return total;
  }

  boolean same(int a, int b) {
    return lengths[a] == lengths[b]
        && ByteWords.same(bytes, offsets[a], bytes, offsets[b], lengths[a]);
  }

  /// True when `other` has the same texts, of the same bytes.
  boolean sameAs(TextSlices other) {
    if (other.count != count) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      if (other.lengths[i] != lengths[i]
          || !ByteWords.same(bytes, offsets[i], other.bytes, other.offsets[i], lengths[i])) {
        return false;
      }
    }
    return true;
  }

  boolean allSame() {
    for (int i = 1; i < count; i++) {
      if (!same(0, i)) {
        return false;
      }
    }
    return true;
  }
}
