package io.widerow.loadgen.format;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/// Compresses into a Snappy block in which given places stay as they are: they are literals, and
/// nothing is copied from them, so that other bytes may be written there afterwards.
///
/// ```
///  block:    length (varint)  element element ...
///  literal:  (n - 1) << 2            n up to 60, then its bytes
///            60 << 2 | 61 << 2       n - 1 in one or two bytes, then its bytes
///  copy:     01 | (n - 4) << 2 | high offset << 5, low offset      n 4 to 11, offset below 2048
///            10 | (n - 1) << 2, offset in two bytes                n 1 to 64
/// ```
///
/// Little-endian. Source: `format_description.txt` of google/snappy. Matches are found with one
/// hash table and taken as they come, as in the original.
public final class SnappyBlock {
  private static final int HASH_BITS = 14;
  private static final int MATCH_MIN = 4;
  private static final int COPY_MAX = 64;
  private static final int OFFSET_MAX = (1 << 16) - 1;
  private static final int LITERAL_MAX = 1 << 16;

  private final byte[] plain;
  private final int[] offsets; // places that stay
  private final int[] widths;
  private final int[] free; // bytes from each position to the next place; 0 inside one
  private final int[] moved;
  private final ByteArrayOutputStream out;
  private int place; // the next that no literal has

  private SnappyBlock(byte[] plain, int[] offsets, int[] widths) {
    this.plain = plain;
    this.offsets = offsets;
    this.widths = widths;
    this.free = free(plain.length, offsets, widths);
    this.moved = new int[offsets.length];
    this.out = new ByteArrayOutputStream(plain.length / 2 + 16);
  }

  /// A block, and where the places are in it.
  ///
  /// @param offsets of the places in `bytes`, in the order in which they were given
  @SuppressWarnings("ArrayRecordComponent") // handed over, not kept
  public record Block(byte[] bytes, int[] offsets) {}

  /// @param offsets of the places that stay, ascending
  /// @param widths of the places, at most 64 bytes
  public static Block compress(byte[] plain, int[] offsets, int[] widths) {
    SnappyBlock block = new SnappyBlock(plain, offsets, widths);
    block.write();
    return new Block(block.out.toByteArray(), block.moved);
  }

  private static int[] free(int length, int[] offsets, int[] widths) {
    int[] free = new int[length];
    int limit = length;
    int place = offsets.length - 1;
    for (int at = length - 1; at >= 0; at--) {
      while (place >= 0 && at < offsets[place]) {
        place--;
      }
      boolean inside = place >= 0 && at < offsets[place] + widths[place];
      limit = inside ? at : limit;
      free[at] = limit - at;
    }
    return free;
  }

  private void write() {
    varint(plain.length);
    int[] table = new int[1 << HASH_BITS];
    Arrays.fill(table, -1);
    int literal = 0;
    int at = 0;
    while (at + MATCH_MIN <= plain.length) {
      if (free[at] < MATCH_MIN) {
        at++;
        continue;
      }
      int hash = hash(at);
      int candidate = table[hash];
      table[hash] = at;
      int length = candidate < 0 || at - candidate > OFFSET_MAX ? 0 : common(candidate, at);
      if (length < MATCH_MIN) {
        at++;
        continue;
      }
      literal(literal, at);
      copy(at - candidate, length);
      at += length;
      literal = at;
    }
    literal(literal, plain.length);
    assert place == offsets.length : "every place lies in a literal";
  }

  private int hash(int at) {
    int four =
        (plain[at] & 0xff)
            | ((plain[at + 1] & 0xff) << 8)
            | ((plain[at + 2] & 0xff) << 16)
            | (plain[at + 3] << 24);
    return (four * 0x1e35a7bd) >>> (Integer.SIZE - HASH_BITS);
  }

  private int common(int from, int at) {
    int limit = Math.min(free[from], free[at]);
    int length = 0;
    while (length < limit && plain[from + length] == plain[at + length]) {
      length++;
    }
    return length;
  }

  private void literal(int from, int until) {
    for (int at = from; at < until; ) {
      int length = literalLength(at, until);
      if (length <= 60) {
        out.write((length - 1) << 2);
      } else if (length <= 256) {
        out.write(60 << 2);
        out.write(length - 1);
      } else {
        out.write(61 << 2);
        out.write(length - 1);
        out.write((length - 1) >> 8);
      }
      for (; place < offsets.length && offsets[place] < at + length; place++) {
        moved[place] = out.size() + offsets[place] - at;
      }
      out.write(plain, at, length);
      at += length;
    }
  }

  /// As much as one literal takes; it ends before a place that it would cut.
  private int literalLength(int at, int until) {
    int length = Math.min(LITERAL_MAX, until - at);
    for (int i = place; i < offsets.length && offsets[i] < at + length; i++) {
      if (offsets[i] + widths[i] > at + length) {
        return offsets[i] - at;
      }
    }
    return length;
  }

  private void copy(int offset, int length) {
    int left = length;
    while (left > 0) {
      int now = Math.min(left, COPY_MAX);
      if (now >= MATCH_MIN && now <= 11 && offset < (1 << 11)) {
        out.write(1 | ((now - 4) << 2) | ((offset >> 8) << 5));
        out.write(offset);
      } else {
        out.write(2 | ((now - 1) << 2));
        out.write(offset);
        out.write(offset >> 8);
      }
      left -= now;
    }
  }

  private void varint(int number) {
    int rest = number;
    while (rest >= 0x80) {
      out.write((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.write(rest);
  }
}
