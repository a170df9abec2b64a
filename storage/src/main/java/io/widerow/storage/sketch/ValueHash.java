package io.widerow.storage.sketch;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// The equality of values for grouping, and their hashes of 64 bits: the number 1 is the same as
/// 1.0, bytes are the same as a text, and no number is a text. Different numbers have different
/// hashes.
///
/// ```
///   value   bytes of the text, or 8 bytes of the number
///   kind    STRING for texts; LONG for whole numbers of 64 bits, DOUBLE for others; BOOLEAN
/// ```
///
/// Files have these hashes (in [HashedValues]), so they never change.
public final class ValueHash {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final double LONG_LIMIT = 0x1p63;

  // Primes of xxHash64, whose rounds and avalanche these are.
  private static final long PRIME1 = 0x9e37_79b1_85eb_ca87L;
  private static final long PRIME2 = 0xc2b2_ae3d_27d4_eb4fL;
  private static final long PRIME3 = 0x1656_67b1_9e37_79f9L;
  private static final long PRIME4 = 0x85eb_ca77_c2b2_ae63L;

  private ValueHash() {}

  /// True for a double that is a whole number of 64 bits.
  public static boolean isWhole(double number) {
    return number >= -LONG_LIMIT && number < LONG_LIMIT && number == Math.rint(number);
  }

  /// Bytes that [#put] writes.
  public static int length(AttributeValue value) {
    return value.kind().isText() ? value.length() : Long.BYTES;
  }

  /// Writes a value as it makes groups.
  ///
  /// @param out with [#length] and eight more bytes from `at`
  /// @return the code of its kind
  public static byte put(AttributeValue value, byte[] out, int at) {
    return switch (value.kind()) {
      case STRING, BYTES -> {
        value.copyTo(out, at);
        yield AttributeKind.STRING.code;
      }
      case DOUBLE -> {
        double number = value.asDouble();
        boolean whole = isWhole(number);
        LONG.set(out, at, whole ? (long) number : Double.doubleToLongBits(number));
        yield whole ? AttributeKind.LONG.code : AttributeKind.DOUBLE.code;
      }
      case LONG, BOOLEAN -> {
        LONG.set(out, at, value.bits());
        yield value.kind().code;
      }
    };
  }

  /// The hash of a value that [#put] wrote.
  ///
  /// @param values with eight readable bytes after the value
  public static long of(byte kind, byte[] values, int begin, int length) {
    long hash = PRIME3 + length + kind * PRIME4;
    int at = 0;
    for (; at + Long.BYTES <= length; at += Long.BYTES) {
      hash = round(hash, (long) LONG.get(values, begin + at));
    }
    if (at < length) {
      long rest = (long) LONG.get(values, begin + at) & (-1L >>> (Long.SIZE - 8 * (length - at)));
      hash = round(hash, rest);
    }
    hash = (hash ^ (hash >>> 33)) * PRIME2;
    hash = (hash ^ (hash >>> 29)) * PRIME3;
    return hash ^ (hash >>> 32);
  }

  private static long round(long hash, long word) {
    long mixed = Long.rotateLeft(word * PRIME2, 31) * PRIME1;
    return Long.rotateLeft(hash ^ mixed, 27) * PRIME1 + PRIME4;
  }
}
