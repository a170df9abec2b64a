package io.widerow.query.output;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Copies text eight bytes at a time, as little-endian longs, and puts an escape sign in front of
/// the marked bytes.
///
/// ```
///   word    G  E  T  "  /  "  b  c
///   marks   .  .  .  80 .  80 .  .
///   put     G  E  T  "  /  "  b  c            all of it
///   again            \  "  /  "  b  c         from the first mark on, one byte further
///   again                     \  "  b  c      from the second mark on, two bytes further
/// ```
///
/// The first store does not wait for the positions of the marks, and a word without marks costs one
/// store.
final class EscapedCopy {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long LOWS = 0x7f7f_7f7f_7f7f_7f7fL;

  private EscapedCopy() {}

  static long load(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }

  static void store(long word, byte[] bytes, int at) {
    LONG.set(bytes, at, word);
  }

  /// Marks the top bit of each byte that equals `wanted`, an ASCII character. Exact: marks no other
  /// byte.
  static long equal(long word, char wanted) {
    long other = word ^ (ONES * wanted);
    return ~(((other & LOWS) + LOWS) | other | LOWS);
  }

  /// A mask of the first `count` bytes of a word; of all eight when `count` is larger.
  ///
  /// @param count at least one
  static long first(int count) {
    return count >= Long.BYTES ? -1 : -1L >>> (Long.SIZE - Byte.SIZE * count);
  }

  /// Writes a word with `sign` in front of each marked byte: up to 16 bytes. It also overwrites up
  /// to seven bytes after them, so there must be room.
  ///
  /// @return the offset after the word
  static int put(long word, long marks, byte sign, byte[] out, int offset) {
    store(word, out, offset);
    int end = offset + Long.BYTES;
    for (long left = marks; left != 0; left &= left - 1) {
      int bits = Long.numberOfTrailingZeros(left) & -Byte.SIZE;
      int at = end - Long.BYTES + bits / Byte.SIZE;
      out[at] = sign;
      store(word >>> bits, out, at + 1);
      end++;
    }
    return end;
  }
}
