package io.widerow.storage.fragment;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// The order of keys: byte by byte, unsigned; a key before those that it is the start of.
public final class Keys {
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

  /// How many bytes two keys begin with alike.
  public static int common(byte[] left, int leftBytes, byte[] right, int rightBytes) {
    int most = Math.min(leftBytes, rightBytes);
    int at = Arrays.mismatch(left, 0, most, right, 0, most);
    return at < 0 ? most : at;
  }
}
