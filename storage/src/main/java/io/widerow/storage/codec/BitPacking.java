package io.widerow.storage.codec;

import java.util.Arrays;

/// Bit packing of small numbers: number `i` of width `w` is in the `w` bits from bit `i * w`, low
/// bits first.
///
/// ```
///  byte     0        1        2
///        +--------+--------+--------+
///        |bbbaaaaa|ddccccbb|  ....  |     width 5: a, b, c, ...
///        +--------+--------+--------+
/// ```
///
/// Widths are 0 to [#WIDTH_MAX], or 64. Packing reads and writes whole longs, and so touches up to
/// seven bytes after the run. Each number costs one multiplication, load, shift and mask.
final class BitPacking {
  /// The greatest width that one unaligned long can hold from any bit of its first byte.
  static final int WIDTH_MAX = 57;

  private BitPacking() {}

  /// The width in bits for values up to `max`, unsigned.
  static int widthFor(long max) {
    int width = Long.SIZE - Long.numberOfLeadingZeros(max);
    return width > WIDTH_MAX ? Long.SIZE : width;
  }

  static int bytesFor(int count, int width) {
    return (int) (((long) count * width + 7) >>> 3);
  }

  /// Packs `values[i] - base` for `i` in `[from, from + count)`.
  static void pack(long[] values, int from, int count, long base, int width, ByteSink out) {
    int bytes = bytesFor(count, width);
    byte[] target = out.reserve(bytes + Long.BYTES);
    int start = out.length();
    if (width == Long.SIZE) {
      for (int i = 0; i < count; i++) {
        ByteSink.LONG.set(target, start + i * Long.BYTES, values[from + i] - base);
      }
    } else {
      long pending = 0;
      int pendingBits = 0;
      int at = start;
      for (int i = 0; i < count; i++) {
        long value = values[from + i] - base;
        pending |= value << pendingBits;
        pendingBits += width;
        if (pendingBits >= Long.SIZE) {
          ByteSink.LONG.set(target, at, pending);
          at += Long.BYTES;
          pendingBits -= Long.SIZE;
          pending = pendingBits == 0 ? 0 : value >>> (width - pendingBits);
        }
      }
      ByteSink.LONG.set(target, at, pending);
    }
    out.advance(bytes);
  }

  /// Unpacks `count` numbers to `out`, from index `from`, and adds `base` to each.
  static void unpack(
      byte[] source, int start, int count, long base, int width, long[] out, int from) {
    if (width == Long.SIZE) {
      for (int i = 0; i < count; i++) {
        out[from + i] = (long) ByteSink.LONG.get(source, start + i * Long.BYTES) + base;
      }
      return;
    }
    if (width == 0) {
      Arrays.fill(out, from, from + count, base);
      return;
    }
    long mask = (1L << width) - 1;
    for (int i = 0, bit = 0; i < count; i++, bit += width) {
      long word = (long) ByteSink.LONG.get(source, start + (bit >>> 3));
      out[from + i] = ((word >>> (bit & 7)) & mask) + base;
    }
  }
}
