package io.widerow.ingest.decode;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Packs one block of snappy piece by piece, so that neither the block nor its content needs to be
/// in memory as a whole. Each piece is packed by itself; for the format see [SnappyBlock].
///
/// - Threads: one.
/// - Memory: a table of 64 KiB.
public final class SnappyPacker {
  /// Bytes of a piece; copies reach no further back.
  public static final int PIECE_BYTES = 1 << 16;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int TABLE_BITS = 14;
  private static final int PRIME = 0x1e35_a7bd;
  private static final int COPY_MAX = 64;
  private static final int COPY_LEAST = 4;
  private static final int SHORT_COPY_MAX = 11;
  private static final int SHORT_DISTANCE_MAX = (1 << 11) - 1;
  private static final int LITERAL_ONE_MAX = 60;
  private static final int VARINT_ONE = 1 << 7;
  private static final int SKIP_SHIFT =
      5; // the longer nothing is found, the fewer places are tried

  private final int[] table = new int[1 << TABLE_BITS]; // hash of 4 bytes -> place + 1

  /// The most bytes that a piece of so many can become.
  public static int packedMax(int bytes) {
    return bytes + bytes / 6 + 32;
  }

  /// Begins a block.
  ///
  /// @param length of all that will be in it, up to 2^32 - 1
  /// @return offset after it in `out`
  public static int begin(long length, byte[] out, int offset) {
    int to = offset;
    long rest = length;
    while (rest >= VARINT_ONE) {
      out[to++] = (byte) (rest | VARINT_ONE);
      rest >>>= 7;
    }
    out[to++] = (byte) rest;
    return to;
  }

  /// Packs a piece.
  ///
  /// @param in with the piece at its front
  /// @param length up to [#PIECE_BYTES]
  /// @param out with room for [#packedMax]
  /// @return offset after it in `out`
  public int pack(byte[] in, int length, byte[] out, int offset) {
    Arrays.fill(table, 0);
    int to = offset;
    int literal = 0; // start of the unpacked rest
    int at = 0;
    int tries = 1 << SKIP_SHIFT;
    int last = length - Long.BYTES; // words are read whole
    while (at <= last) {
      int word = (int) INT.get(in, at);
      int slot = (word * PRIME) >>> (Integer.SIZE - TABLE_BITS);
      int before = table[slot] - 1;
      table[slot] = at + 1;
      if (before < 0 || (int) INT.get(in, before) != word) {
        at += tries++ >>> SKIP_SHIFT;
        continue;
      }
      tries = 1 << SKIP_SHIFT;
      int same = COPY_LEAST + same(in, before + COPY_LEAST, at + COPY_LEAST, length);
      to = literal(in, literal, at - literal, out, to);
      to = copy(at - before, same, out, to);
      at += same;
      literal = at;
    }
    return literal(in, literal, length - literal, out, to);
  }

  /// The number of equal bytes from two positions on.
  private static int same(byte[] in, int one, int other, int limit) {
    int count = 0;
    while (other + count <= limit - Long.BYTES) {
      long change = (long) LONG.get(in, one + count) ^ (long) LONG.get(in, other + count);
      if (change != 0) {
        return count + Long.numberOfTrailingZeros(change) / Byte.SIZE;
      }
      count += Long.BYTES;
    }
    while (other + count < limit && in[one + count] == in[other + count]) {
      count++;
    }
    return count;
  }

  private static int literal(byte[] in, int from, int length, byte[] out, int offset) {
    if (length == 0) {
      return offset;
    }
    int to = offset;
    int less = length - 1;
    if (length <= LITERAL_ONE_MAX) {
      out[to++] = (byte) (less << 2);
    } else if (less < 1 << Byte.SIZE) {
      out[to++] = (byte) (60 << 2);
      out[to++] = (byte) less;
    } else {
      out[to++] = (byte) (61 << 2);
      out[to++] = (byte) less;
      out[to++] = (byte) (less >>> Byte.SIZE);
    }
    System.arraycopy(in, from, out, to, length);
    return to + length;
  }

  /// Writes copies of at least 4 bytes each, as short ones are as large as what they repeat.
  private static int copy(int distance, int length, byte[] out, int offset) {
    int to = offset;
    int left = length;
    while (left > 0) {
      if (left >= COPY_LEAST && left <= SHORT_COPY_MAX && distance <= SHORT_DISTANCE_MAX) {
        out[to++] = (byte) (((distance >>> Byte.SIZE) << 5) | ((left - COPY_LEAST) << 2) | 1);
        out[to++] = (byte) distance;
        return to;
      }
      int now = left <= COPY_MAX ? left : Math.min(COPY_MAX, left - COPY_LEAST);
      out[to++] = (byte) (((now - 1) << 2) | 2);
      out[to++] = (byte) distance;
      out[to++] = (byte) (distance >>> Byte.SIZE);
      left -= now;
    }
    return to;
  }
}
