package io.widerow.cql.type;

import io.widerow.cql.CqlException;
import java.nio.ByteBuffer;

/// Unsigned numbers of 1 to 9 bytes: the first byte has a one for each byte that follows.
final class Vints {
  private static final int BYTES_MAX = 9;

  private Vints() {}

  static void put(long bits, CellBuffer out) {
    int size = Math.min(BYTES_MAX, Math.max(1, (63 - Long.numberOfLeadingZeros(bits | 1)) / 7 + 1));
    int more = size - 1;
    if (size == BYTES_MAX) {
      out.putByte(0xff);
    } else {
      out.putByte((int) (bits >>> (8 * more)) | ((0xff00 >> more) & 0xff));
    }
    for (int i = more - 1; i >= 0; i--) {
      out.putByte((int) (bits >>> (8 * i)));
    }
  }

  /// @param what the value that it is part of, for the message
  /// @throws CqlException when bytes are missing
  static long read(ByteBuffer bytes, String what) {
    if (!bytes.hasRemaining()) {
      throw CqlException.invalid("Not enough bytes to read a %s".formatted(what));
    }
    int first = bytes.get();
    int more = Integer.numberOfLeadingZeros(~(first << 24));
    if (more > bytes.remaining()) {
      throw CqlException.invalid("the bytes are no %s".formatted(what));
    }
    long bits = more >= Byte.SIZE ? 0 : first & (0xff >> more);
    for (int i = 0; i < more; i++) {
      bits = (bits << 8) | (bytes.get() & 0xff);
    }
    return bits;
  }
}
