package io.widerow.cql.fragment;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/// The order of keys: byte by byte, unsigned; a key sorts before the keys that it is a prefix of.
///
/// [#start] and [#more] are the first 12 bytes of a key as numbers. Compared without sign, one
/// after the other, they give the order of keys whose numbers differ.
public final class Keys {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private Keys() {}

  public static int compare(
      MemorySegment left,
      long leftAt,
      int leftBytes,
      MemorySegment right,
      long rightAt,
      int bytes) {
    long at =
        MemorySegment.mismatch(left, leftAt, leftAt + leftBytes, right, rightAt, rightAt + bytes);
    if (at < 0) {
      return 0;
    }
    if (at >= leftBytes || at >= bytes) {
      return Integer.compare(leftBytes, bytes);
    }
    return Byte.compareUnsigned(
        left.get(ValueLayout.JAVA_BYTE, leftAt + at),
        right.get(ValueLayout.JAVA_BYTE, rightAt + at));
  }

  /// The first 8 bytes of a key; a shorter one ends with zeros.
  public static long start(MemorySegment key, long at, int bytes) {
    return bytes >= Long.BYTES ? key.get(LONG, at) : number(key, at, bytes, Long.BYTES);
  }

  /// The 4 bytes of a key after its [#start]; a shorter one ends with zeros.
  public static int more(MemorySegment key, long at, int bytes) {
    int left = bytes - Long.BYTES;
    return left >= Integer.BYTES
        ? key.get(INT, at + Long.BYTES)
        : (int) number(key, at + Long.BYTES, left, Integer.BYTES);
  }

  private static long number(MemorySegment key, long at, int bytes, int wanted) {
    long number = 0;
    for (int i = 0; i < wanted; i++) {
      int next = i < bytes ? Byte.toUnsignedInt(key.get(ValueLayout.JAVA_BYTE, at + i)) : 0;
      number = number << Byte.SIZE | next;
    }
    return number;
  }

  /// The length of the common prefix of two keys.
  public static int common(byte[] left, int leftBytes, byte[] right, int rightBytes) {
    int most = Math.min(leftBytes, rightBytes);
    int at = Arrays.mismatch(left, 0, most, right, 0, most);
    return at < 0 ? most : at;
  }
}
