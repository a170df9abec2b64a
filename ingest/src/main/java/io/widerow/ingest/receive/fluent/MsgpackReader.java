package io.widerow.ingest.receive.fluent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Reads values of msgpack one after another: of a list or a map its head, of all others the whole
/// value (github.com/msgpack/msgpack, `spec.md`).
///
/// ```
///   00-7f whole  80-8f map   90-9f list  a0-bf text   c0 nil   c2 false  c3 true
///   c4-c6 bytes  c7-c9 ext   ca cb float cc-cf uint   d0-d3 int
///   d4-d8 ext of 1 to 16     d9-db text  dc dd list   de df map  e0-ff whole, negative
/// ```
///
/// - Threads: one.
/// - Memory: reads in place and allocates nothing, except for errors.
final class MsgpackReader {
  /// The kind of a value.
  enum Kind {
    NIL,
    TRUTH,
    WHOLE,
    /// A whole number above 2^63-1, in `whole` as unsigned.
    UNSIGNED,
    FRACTION,
    TEXT,
    BYTES,
    LIST,
    MAP,
    EXTENSION
  }

  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private byte[] bytes = {};
  private int base;
  private int limit;

  /// Where the next value begins.
  int at;

  // The value that was read last.
  Kind kind = Kind.NIL;
  int start;
  boolean truth;
  long whole;
  double fraction;
  int extension; // type of an EXTENSION
  int offset; // of the content of TEXT, BYTES and EXTENSION
  long length; // bytes of the content; elements of a LIST; pairs of a MAP

  /// Bytes that are no value, or not the value that was expected.
  static final class Bad extends Exception {
    private static final long serialVersionUID = 1;

    Bad(String message) {
      super(message, null, false, false);
    }
  }

  /// Reads `[offset, limit)` from now on.
  ///
  /// @param newBase from which errors count bytes
  void show(byte[] newBytes, int newOffset, int newLimit, int newBase) {
    bytes = newBytes;
    at = newOffset;
    limit = newLimit;
    base = newBase;
  }

  byte[] bytes() {
    return bytes;
  }

  /// Reads a value.
  ///
  /// @return false when it is cut: nothing was read, and it needs `length` bytes from `at` on, or
  ///   more
  boolean tryNext() throws Bad {
    start = at;
    length = 1;
    if (at >= limit) {
      return false;
    }
    int first = bytes[at] & 0xff;
    int head = headBytes(first);
    length = head;
    if (head > limit - at) {
      return false;
    }
    read(first);
    boolean hasContent = kind == Kind.TEXT || kind == Kind.BYTES || kind == Kind.EXTENSION;
    if (hasContent && length > limit - at - head) {
      length += head;
      return false;
    }
    offset = at + head;
    at = hasContent ? offset + (int) length : offset;
    return true;
  }

  /// Reads the head of a value, whose content or elements begin at `at` then.
  ///
  /// @return false when it is cut: nothing was read
  boolean tryHead() throws Bad {
    start = at;
    int head = at < limit ? headBytes(bytes[at] & 0xff) : 1;
    if (head > limit - at) {
      return false;
    }
    read(bytes[at] & 0xff);
    at += head;
    return true;
  }

  /// Reads a value that must be there.
  Kind next() throws Bad {
    if (!tryNext()) {
      throw new Bad("the value at byte %d is cut".formatted(at - base));
    }
    return kind;
  }

  /// Reads a value, with everything in it.
  void skip() throws Bad {
    long left = 1;
    while (left > 0) {
      Kind _ = next();
      left += children() - 1;
    }
  }

  /// Values in the value that was read last.
  long children() {
    return switch (kind) {
      case LIST -> length;
      case MAP -> 2 * length;
      default -> 0;
    };
  }

  /// An error about the value that was read last.
  Bad bad(String what) {
    return new Bad("%s at byte %d".formatted(what, start - base));
  }

  /// Whether the text or the bytes that were read last are these.
  boolean is(byte[] content) {
    return (kind == Kind.TEXT || kind == Kind.BYTES)
        && length == content.length
        && Arrays.equals(bytes, offset, offset + (int) length, content, 0, content.length);
  }

  /// Bytes of a value without its content.
  private int headBytes(int first) throws Bad {
    if (first < 0xc0 || first >= 0xe0) {
      return 1;
    }
    return switch (first) {
      case 0xc0, 0xc2, 0xc3 -> 1;
      case 0xc4, 0xcc, 0xd0, 0xd9, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8 -> 2;
      case 0xc5, 0xc7, 0xcd, 0xd1, 0xda, 0xdc, 0xde -> 3;
      case 0xc8 -> 4;
      case 0xc6, 0xca, 0xce, 0xd2, 0xdb, 0xdd, 0xdf -> 5;
      case 0xc9 -> 6;
      case 0xcb, 0xcf, 0xd3 -> 9;
      default -> throw bad("0x%02x, which is no value,".formatted(first));
    };
  }

  private void read(int first) {
    int number = at + 1;
    if (first < 0x80 || first >= 0xe0) {
      whole((byte) first);
    } else if (first < 0x90) {
      sized(Kind.MAP, first & 0xf);
    } else if (first < 0xa0) {
      sized(Kind.LIST, first & 0xf);
    } else if (first < 0xc0) {
      sized(Kind.TEXT, first & 0x1f);
    } else {
      switch (first) {
        case 0xc0 -> kind = Kind.NIL;
        case 0xc2, 0xc3 -> {
          kind = Kind.TRUTH;
          truth = first == 0xc3;
        }
        case 0xc4, 0xc5, 0xc6 -> sized(Kind.BYTES, unsigned(number, 1 << (first - 0xc4)));
        case 0xc7, 0xc8, 0xc9 -> {
          int count = 1 << (first - 0xc7);
          sized(Kind.EXTENSION, unsigned(number, count));
          extension = bytes[number + count];
        }
        case 0xca -> fraction(Float.intBitsToFloat((int) INT.get(bytes, number)));
        case 0xcb -> fraction(Double.longBitsToDouble((long) LONG.get(bytes, number)));
        case 0xcc, 0xcd, 0xce, 0xcf -> {
          whole(unsigned(number, 1 << (first - 0xcc)));
          kind = whole < 0 ? Kind.UNSIGNED : Kind.WHOLE;
        }
        case 0xd0 -> whole(bytes[number]);
        case 0xd1 -> whole((short) SHORT.get(bytes, number));
        case 0xd2 -> whole((int) INT.get(bytes, number));
        case 0xd3 -> whole((long) LONG.get(bytes, number));
        case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8 -> {
          sized(Kind.EXTENSION, 1L << (first - 0xd4));
          extension = bytes[number];
        }
        case 0xd9, 0xda, 0xdb -> sized(Kind.TEXT, unsigned(number, 1 << (first - 0xd9)));
        case 0xdc, 0xdd -> sized(Kind.LIST, unsigned(number, 2 << (first - 0xdc)));
        default -> sized(Kind.MAP, unsigned(number, 2 << (first - 0xde)));
      }
    }
  }

  private void whole(long value) {
    kind = Kind.WHOLE;
    whole = value;
  }

  private void fraction(double value) {
    kind = Kind.FRACTION;
    fraction = value;
  }

  private void sized(Kind newKind, long newLength) {
    kind = newKind;
    length = newLength;
  }

  private long unsigned(int number, int count) {
    return switch (count) {
      case 1 -> bytes[number] & 0xff;
      case 2 -> (short) SHORT.get(bytes, number) & 0xffff;
      case 4 -> (int) INT.get(bytes, number) & 0xffff_ffffL;
      default -> (long) LONG.get(bytes, number);
    };
  }

  /// Four bytes as an unsigned number.
  long unsigned32(int number) {
    return unsigned(number, Integer.BYTES);
  }
}
