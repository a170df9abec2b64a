package io.widerow.event;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/// Compares and copies byte strings of a few bytes, such as names and tags, without a call into the
/// runtime. It goes eight bytes at a time; the last eight overlap those before them, so nothing
/// after the string is touched and there is no loop over single bytes.
///
/// ```
///   usage_guest_nice      16 bytes   [usage_gu][est_nice]
///   usage_system          12 bytes   [usage_sy]
///                                        [_system]           overlaps
///   region                 6 bytes   [regi]
///                                      [gion]                two of four bytes
///   os                     2 bytes   [o][s]
/// ```
final class ByteRuns {
  /// Longer strings are left to the runtime.
  private static final int BYTES_MAX = 64;

  static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, EventLayout.LONG_ANYWHERE.order());
  static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, EventLayout.INT_ANYWHERE.order());

  private ByteRuns() {}

  static boolean same(MemorySegment a, long atA, byte[] b, int atB, int length) {
    if (length >= Long.BYTES) {
      int last = length - Long.BYTES;
      for (int i = 0; i < last; i += Long.BYTES) {
        if (a.get(EventLayout.LONG_ANYWHERE, atA + i) != (long) LONG.get(b, atB + i)) {
          return false;
        }
      }
      return a.get(EventLayout.LONG_ANYWHERE, atA + last) == (long) LONG.get(b, atB + last);
    }
    if (length >= Integer.BYTES) {
      int last = length - Integer.BYTES;
      return a.get(EventLayout.INT_ANYWHERE, atA) == (int) INT.get(b, atB)
          && a.get(EventLayout.INT_ANYWHERE, atA + last) == (int) INT.get(b, atB + last);
    }
    for (int i = 0; i < length; i++) {
      if (a.get(ValueLayout.JAVA_BYTE, atA + i) != b[atB + i]) {
        return false;
      }
    }
    return true;
  }

  static boolean same(byte[] a, int atA, byte[] b, int atB, int length) {
    if (length >= Long.BYTES) {
      int last = length - Long.BYTES;
      for (int i = 0; i < last; i += Long.BYTES) {
        if ((long) LONG.get(a, atA + i) != (long) LONG.get(b, atB + i)) {
          return false;
        }
      }
      return (long) LONG.get(a, atA + last) == (long) LONG.get(b, atB + last);
    }
    if (length >= Integer.BYTES) {
      int last = length - Integer.BYTES;
      return (int) INT.get(a, atA) == (int) INT.get(b, atB)
          && (int) INT.get(a, atA + last) == (int) INT.get(b, atB + last);
    }
    for (int i = 0; i < length; i++) {
      if (a[atA + i] != b[atB + i]) {
        return false;
      }
    }
    return true;
  }

  static void copy(byte[] source, int from, MemorySegment target, long to, int length) {
    if (length > BYTES_MAX) {
      MemorySegment.copy(source, from, target, ValueLayout.JAVA_BYTE, to, length);
    } else if (length >= Long.BYTES) {
      int last = length - Long.BYTES;
      for (int i = 0; i < last; i += Long.BYTES) {
        target.set(EventLayout.LONG_ANYWHERE, to + i, (long) LONG.get(source, from + i));
      }
      target.set(EventLayout.LONG_ANYWHERE, to + last, (long) LONG.get(source, from + last));
    } else if (length >= Integer.BYTES) {
      int last = length - Integer.BYTES;
      target.set(EventLayout.INT_ANYWHERE, to, (int) INT.get(source, from));
      target.set(EventLayout.INT_ANYWHERE, to + last, (int) INT.get(source, from + last));
    } else {
      for (int i = 0; i < length; i++) {
        target.set(ValueLayout.JAVA_BYTE, to + i, source[from + i]);
      }
    }
  }

  static void copy(MemorySegment source, long from, byte[] target, int to, int length) {
    if (length > BYTES_MAX) {
      MemorySegment.copy(source, ValueLayout.JAVA_BYTE, from, target, to, length);
    } else if (length >= Long.BYTES) {
      int last = length - Long.BYTES;
      for (int i = 0; i < last; i += Long.BYTES) {
        LONG.set(target, to + i, source.get(EventLayout.LONG_ANYWHERE, from + i));
      }
      LONG.set(target, to + last, source.get(EventLayout.LONG_ANYWHERE, from + last));
    } else if (length >= Integer.BYTES) {
      int last = length - Integer.BYTES;
      INT.set(target, to, source.get(EventLayout.INT_ANYWHERE, from));
      INT.set(target, to + last, source.get(EventLayout.INT_ANYWHERE, from + last));
    } else {
      for (int i = 0; i < length; i++) {
        target[to + i] = source.get(ValueLayout.JAVA_BYTE, from + i);
      }
    }
  }

  /// The first eight bytes mixed with the last eight: input for a hash of strings that mostly
  /// differ at their ends.
  static long ends(MemorySegment source, long from, int length) {
    if (length >= Long.BYTES) {
      long last = source.get(EventLayout.LONG_ANYWHERE, from + length - Long.BYTES);
      return source.get(EventLayout.LONG_ANYWHERE, from) ^ Long.rotateLeft(last, 23);
    }
    if (length >= Integer.BYTES) {
      long last = source.get(EventLayout.INT_ANYWHERE, from + length - Integer.BYTES);
      return source.get(EventLayout.INT_ANYWHERE, from) ^ (last << Integer.SIZE);
    }
    long word = 0;
    for (int i = 0; i < length; i++) {
      word = (word << Byte.SIZE) | (source.get(ValueLayout.JAVA_BYTE, from + i) & 0xff);
    }
    return word;
  }
}
