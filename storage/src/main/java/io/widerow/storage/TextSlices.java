package io.widerow.storage;

import java.util.Arrays;
import java.util.BitSet;

/// A run of texts, each a slice of one array: what text encoders take and text decoders give. A
/// decoder may leave numbers as they are; [#print] makes slices of them. Texts that are compared
/// have [ByteSource#SLACK] bytes behind the last one.
///
/// - Threads: one.
final class TextSlices {
  byte[] bytes = new byte[0];
  int[] offsets = new int[0];
  int[] lengths = new int[0];
  int count;

  /// [PieceFormat#RAW] when the slices are there; otherwise how the numbers are printed.
  int form = PieceFormat.RAW;

  long[] numbers = new long[0];
  int detail; // of the form: digits, separator, or bytes of the other text
  int otherOffset;
  int spanOffset; // where a decoder found the different texts, one behind the other
  int spanBytes;
  int dictionaryPause; // blocks for which an encoder will try no dictionary
  private byte[] printed = new byte[0];

  /// Memory of its own; the texts may be another's.
  long heldBytes() {
    return 2L * Integer.BYTES * offsets.length
        + (long) Long.BYTES * numbers.length
        + printed.length;
  }

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

  /// Makes slices of numbers.
  void print() {
    if (form == PieceFormat.RAW) {
      return;
    }
    room(count);
    int bytesMax = count * PieceFormat.PRINTED_BYTES_MAX + ByteSource.SLACK;
    if (printed.length < bytesMax) {
      printed = new byte[bytesMax];
    }
    int at = 0;
    for (int i = 0; i < count; i++) {
      offsets[i] = at;
      at = printNumber(i, printed, at);
      lengths[i] = at - offsets[i];
    }
    bytes = printed;
    spanOffset = 0;
    spanBytes = at;
    form = PieceFormat.RAW;
  }

  /// Prints a number, up to [PieceFormat#PRINTED_BYTES_MAX] bytes with [ByteSource#SLACK] behind
  /// them, and returns the offset behind it.
  int printNumber(int slice, byte[] out, int at) {
    long value = numbers[slice];
    return switch (form) {
      case PieceFormat.NUMBER -> PieceFormat.printNumber(value, out, at);
      case PieceFormat.DIGITS -> PieceFormat.printDigits(value, detail, out, at);
      case PieceFormat.TIME -> PieceFormat.printTime(value, 0, out, at);
      case PieceFormat.TIME_MILLIS -> PieceFormat.printTime(value, detail, out, at);
      default -> {
        assert form == PieceFormat.NUMBER_OR : form;
        if (value == 0) {
          ByteWords.copy(bytes, otherOffset, out, at, detail);
          yield at + detail;
        }
        yield PieceFormat.printNumber(PieceFormat.unfolded(value), out, at);
      }
    };
  }

  /// Adds the slices that have the part `[from, limit)` of a needle at a place, of texts that a
  /// decoder gave.
  void search(Needle needle, Needle.Place place, int from, int limit, BitSet found) {
    if (place == Needle.Place.WITHIN) {
      search(needle, found);
      return;
    }
    for (int i = 0; i < count; i++) {
      if (needle.isAt(place, from, limit, bytes, offsets[i], lengths[i])) {
        found.set(i);
      }
    }
  }

  /// Adds the slices that contain `needle`. Mostly none does, which is seen in one pass over the
  /// bytes of all; those of a dictionary, which share their bytes, are looked at once.
  void search(Needle needle, BitSet found) {
    if (!needle.isIn(bytes, spanOffset, spanBytes)) {
      return;
    }
    int least = Integer.MAX_VALUE;
    int most = -1;
    for (int i = 0; i < count; i++) {
      if (lengths[i] >= needle.length()) {
        least = Math.min(least, offsets[i]);
        most = Math.max(most, offsets[i]);
      }
    }
    if (most < 0) {
      return;
    }
    byte[] seen = new byte[most - least + 1]; // by offset: 0 not looked at, 1 without, 2 with
    for (int i = 0; i < count; i++) {
      if (lengths[i] >= needle.length()) {
        int at = offsets[i] - least;
        if (seen[at] == 0) {
          seen[at] = (byte) (needle.isWithin(bytes, offsets[i], lengths[i]) ? 2 : 1);
        }
        if (seen[at] == 2) {
          found.set(i);
        }
      }
    }
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
