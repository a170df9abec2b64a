package io.widerow.query.series;

import java.util.Arrays;

/// One chunk of samples while it is written, in the XOR encoding of Prometheus. Times are packed as
/// differences of differences, values as the XOR with the previous value.
///
/// ```
///   count (16 bits)
///   first sample    time (zigzag varint)       value (64 bits)
///   second          difference (varint)        value, xor
///   others          its difference             value, xor
///
///   difference of differences        0: 0    10: 14 bits   110: 17   1110: 20   1111: 64
///   xor                              0: equal
///                                   10: bits in the window of the value before
///                                   11: leading zeros (5), bits - 1 (6), bits: a new window
/// ```
///
/// Source: prometheus/prometheus `tsdb/docs/format/chunks.md`.
///
/// - Threads: one.
/// - Memory: an array that grows from [#BYTES_FIRST].
final class XorChunk {
  /// As many samples as Prometheus puts into a chunk.
  static final int SAMPLES_MAX = 120;

  static final int COUNT_BYTES = 2;
  static final int LEADING_MAX = 31; // the maximum of 5 bits
  private static final int BYTES_FIRST = 32;
  private static final int SAMPLE_BYTES_MAX = 24; // 4 + 64 bits of time, 13 + 64 of value
  private static final int NO_WINDOW = -1;

  private byte[] bytes = new byte[BYTES_FIRST];
  private int bits = COUNT_BYTES * Byte.SIZE;
  private int count;
  private long firstMillis;
  private long millis;
  private long delta;
  private long value;
  private int leading = NO_WINDOW;
  private int trailing;

  int count() {
    return count;
  }

  boolean isFull() {
    return count == SAMPLES_MAX;
  }

  /// Time of its first sample, milliseconds since the Unix epoch.
  long firstMillis() {
    return firstMillis;
  }

  /// Time of its last sample.
  long lastMillis() {
    return millis;
  }

  /// Bytes of its array.
  int roomBytes() {
    return bytes.length;
  }

  /// Adds a sample that is later than the one before.
  ///
  /// @param valueBits the bits of a double
  void add(long atMillis, long valueBits) {
    assert count == 0 || atMillis > millis : atMillis + " after " + millis;
    assert !isFull() : "more than " + SAMPLES_MAX;
    if (bytes.length - bits / Byte.SIZE < SAMPLE_BYTES_MAX) {
      bytes = Arrays.copyOf(bytes, 2 * bytes.length);
    }
    if (count == 0) {
      firstMillis = atMillis;
      varint((atMillis << 1) ^ (atMillis >> 63));
      put(valueBits, Long.SIZE);
    } else {
      long newDelta = atMillis - millis;
      if (count == 1) {
        varint(newDelta);
      } else {
        difference(newDelta - delta);
      }
      delta = newDelta;
      xor(valueBits ^ value);
    }
    millis = atMillis;
    value = valueBits;
    count++;
  }

  /// The chunk, as long as it is.
  byte[] toBytes() {
    bytes[0] = (byte) (count >>> Byte.SIZE);
    bytes[1] = (byte) count;
    return Arrays.copyOf(bytes, (bits + Byte.SIZE - 1) / Byte.SIZE);
  }

  private void difference(long difference) {
    if (difference == 0) {
      put(0, 1);
    } else if (fits(difference, 14)) {
      put(0b10, 2);
      put(difference, 14);
    } else if (fits(difference, 17)) {
      put(0b110, 3);
      put(difference, 17);
    } else if (fits(difference, 20)) {
      put(0b1110, 4);
      put(difference, 20);
    } else {
      put(0b1111, 4);
      put(difference, Long.SIZE);
    }
  }

  private static boolean fits(long difference, int size) {
    long half = 1L << (size - 1);
    return -half < difference && difference <= half;
  }

  private void xor(long change) {
    if (change == 0) {
      put(0, 1);
      return;
    }
    put(1, 1);
    int newLeading = Math.min(Long.numberOfLeadingZeros(change), LEADING_MAX);
    int newTrailing = Long.numberOfTrailingZeros(change);
    if (leading != NO_WINDOW && newLeading >= leading && newTrailing >= trailing) {
      put(0, 1);
      put(change >>> trailing, Long.SIZE - leading - trailing);
      return;
    }
    leading = newLeading;
    trailing = newTrailing;
    int size = Long.SIZE - leading - trailing;
    put(1, 1);
    put(leading, 5);
    put(size, 6); // 64 is written as 0
    put(change >>> trailing, size);
  }

  private void varint(long number) {
    long rest = number;
    while ((rest & ~0x7fL) != 0) {
      put((rest & 0x7f) | 0x80, Byte.SIZE);
      rest >>>= 7;
    }
    put(rest, Byte.SIZE);
  }

  /// Appends the low bits of a number, the highest of them first.
  private void put(long number, int size) {
    int left = size;
    while (left > 0) {
      int room = Byte.SIZE - (bits & 7);
      int now = Math.min(room, left);
      int part = (int) (number >>> (left - now)) & ((1 << now) - 1);
      bytes[bits >>> 3] |= (byte) (part << (room - now));
      bits += now;
      left -= now;
    }
  }
}
