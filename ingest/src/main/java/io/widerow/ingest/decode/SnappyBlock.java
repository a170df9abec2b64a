package io.widerow.ingest.decode;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Unpacks one block of snappy (the block format, not the framed one), as remote write and Loki
/// send it. Every offset and length is checked before it is used, so that no input reads or writes
/// elsewhere.
///
/// ```
///   block:    length (varint)  element element ...
///   literal:  [len-1 : 6 | 00]  (60..63: len-1 in 1..4 bytes follow)   bytes
///   copy 1:   [off hi : 3 | len-4 : 3 | 01]  off lo                    4..11 bytes back 1..2047
///   copy 2:   [len-1 : 6 | 10]  off (2, little endian)                 1..64 bytes
///   copy 4:   [len-1 : 6 | 11]  off (4, little endian)                 1..64 bytes
/// ```
///
/// Source: google/snappy, `format_description.txt`.
///
/// - Threads: any.
public final class SnappyBlock {
  private static final int VARINT_BYTES_MAX = 5;
  private static final int LITERAL = 0;
  private static final int COPY_1 = 1;
  private static final int COPY_2 = 2;
  private static final int LITERAL_LENGTHS = 60; // from here on, bytes of the length follow

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private SnappyBlock() {}

  /// The reason why bytes are not a block, and the position. It has no stack trace, because bad
  /// input is common.
  public static final class Bad extends Exception {
    private static final long serialVersionUID = 1L;

    Bad(String reason, int at) {
      super("%s at byte %d".formatted(reason, at), null, false, false);
    }
  }

  /// The length in a block's header, 0 to 2^32 - 1, or what a varint of 5 bytes can hold. An
  /// element makes at most 64 bytes of 3, so a block of `n` bytes is never longer than `32 n`.
  ///
  /// @throws Bad when it is no length, or when so few bytes cannot become so many
  public static long length(byte[] in, int offset, int limit) throws Bad {
    long length = 0;
    for (int i = 0; i < VARINT_BYTES_MAX; i++) {
      int at = offset + i;
      if (at >= limit) {
        throw new Bad("the length is cut", at);
      }
      length |= (long) (in[at] & 0x7f) << (7 * i);
      if (in[at] >= 0) {
        if (length > 32L * (limit - offset)) {
          throw new Bad("%d bytes cannot hold %d".formatted(limit - offset, length), offset);
        }
        return length;
      }
    }
    throw new Bad("the length is too long", offset);
  }

  /// Unpacks the block in `[offset, limit)` into `length` bytes of `out` from `start` on.
  ///
  /// @param length what [#length] returned
  public static void unpack(byte[] in, int offset, int limit, byte[] out, int start, int length)
      throws Bad {
    int at = offset;
    while (in[at] < 0) {
      at++;
    }
    at++;
    int to = start;
    int end = start + length;
    while (at < limit) {
      int tag = in[at++] & 0xff;
      int kind = tag & 3;
      if (kind == LITERAL) {
        int count = tag >>> 2;
        if (count >= LITERAL_LENGTHS) {
          int bytes = count - LITERAL_LENGTHS + 1;
          count = little(in, at, limit, bytes);
          at += bytes;
        }
        count++;
        if (count <= 0 || count > limit - at || count > end - to) {
          throw new Bad("a literal of %d bytes does not fit".formatted(count), at);
        }
        if (count <= Long.BYTES && at + Long.BYTES <= limit && to + Long.BYTES <= end) {
          LONG.set(out, to, (long) LONG.get(in, at)); // what is too much is overwritten
        } else {
          System.arraycopy(in, at, out, to, count);
        }
        at += count;
        to += count;
        continue;
      }
      int bytes = kind == COPY_1 ? 1 : kind == COPY_2 ? 2 : 4;
      int distance = little(in, at, limit, bytes);
      int count = (tag >>> 2) + 1;
      if (kind == COPY_1) {
        distance |= (tag >>> 5) << Byte.SIZE;
        count = ((tag >>> 2) & 7) + 4;
      }
      if (distance <= 0 || distance > to - start || count > end - to) {
        throw new Bad("a copy of %d bytes from %d back".formatted(count, distance), at);
      }
      at += bytes;
      copy(out, to, end, distance, count);
      to += count;
    }
    if (to != end) {
      throw new Bad("%d bytes instead of %d".formatted(to - start, length), limit);
    }
  }

  /// Copies the bytes that were written `distance` bytes earlier. Source and target may overlap.
  /// Most copies are short: words, the last of which may reach beyond, but not beyond the end.
  private static void copy(byte[] out, int to, int end, int distance, int count) {
    int from = to - distance;
    if (distance >= Long.BYTES && to + count + Long.BYTES <= end) {
      for (int i = 0; i < count; i += Long.BYTES) {
        LONG.set(out, to + i, (long) LONG.get(out, from + i));
      }
      return;
    }
    if (distance >= count) {
      System.arraycopy(out, from, out, to, count);
      return;
    }
    for (int i = 0; i < count; i++) {
      out[to + i] = out[from + i];
    }
  }

  private static int little(byte[] in, int at, int limit, int bytes) throws Bad {
    if (bytes > limit - at) {
      throw new Bad("an element is cut", at);
    }
    int value = 0;
    for (int i = 0; i < bytes; i++) {
      value |= (in[at + i] & 0xff) << (Byte.SIZE * i);
    }
    return value;
  }
}
