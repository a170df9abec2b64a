package io.widerow.ingest.receive.otlp;

import io.widerow.ingest.decode.Swar;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// Writes the fields of protobuf messages one after the other. A message within another one is
/// opened before its fields and closed after them.
///
/// - Threads: one.
/// - Memory: keeps its array, which doubles.
final class ProtobufWriter {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int WIDE_BYTES = 5; // of a varint that any int fits into
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int LENGTH = 2;
  private static final int FIXED32 = 5;

  private byte[] bytes;
  private int length;

  /// @param roomBytes to begin with
  ProtobufWriter(int roomBytes) {
    bytes = new byte[roomBytes + Swar.SLACK_BYTES];
  }

  /// Returns the bytes written, with [Swar#SLACK_BYTES] after them.
  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  /// Goes back to an earlier length.
  void truncate(int newLength) {
    length = newLength;
  }

  private void ensure(int more) {
    int needed = Math.addExact(length, more + Swar.SLACK_BYTES);
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, (int) Math.min(2L * needed, 1 << 30)));
    }
  }

  private void tag(int field, int wireType) {
    ensure(WIDE_BYTES + Long.BYTES + 2);
    append((field << 3) | wireType);
  }

  private void append(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      bytes[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[length++] = (byte) rest;
  }

  void varint(int field, long value) {
    tag(field, VARINT);
    append(value);
  }

  void fixed64(int field, long value) {
    tag(field, FIXED64);
    LONG.set(bytes, length, value);
    length += Long.BYTES;
  }

  void fixed32(int field, int value) {
    tag(field, FIXED32);
    INT.set(bytes, length, value);
    length += Integer.BYTES;
  }

  /// An element of a packed field, which is open.
  void packedVarint(long value) {
    ensure(2 * WIDE_BYTES);
    append(value);
  }

  /// An element of a packed field, which is open.
  void packedFixed64(long value) {
    ensure(Long.BYTES);
    LONG.set(bytes, length, value);
    length += Long.BYTES;
  }

  void text(int field, byte[] source, int offset, int size) {
    tag(field, LENGTH);
    append(size);
    raw(source, offset, size);
  }

  private void raw(byte[] source, int offset, int size) {
    ensure(size);
    System.arraycopy(source, offset, bytes, length, size);
    length += size;
  }

  /// Appends a byte to the open message.
  void raw(int value) {
    ensure(1);
    bytes[length++] = (byte) value;
  }

  /// Opens a message or a packed field.
  ///
  /// @return for [#close]
  int open(int field) {
    tag(field, LENGTH);
    return ++length;
  }

  /// Closes the open message. Its bytes move when its length needs more than one byte.
  void close(int start) {
    int size = length - start;
    int more = 0;
    for (int rest = size >>> 7; rest != 0; rest >>>= 7) {
      more++;
    }
    if (more > 0) {
      ensure(more);
      System.arraycopy(bytes, start, bytes, start + more, size);
    }
    length = start - 1;
    append(size);
    length += size;
  }

  /// Opens a message that stays where it is.
  ///
  /// @return for [#closeFixed]
  int openFixed(int field) {
    tag(field, LENGTH);
    return length += WIDE_BYTES;
  }

  void closeFixed(int start) {
    int size = length - start;
    for (int i = start - WIDE_BYTES; i < start - 1; i++) {
      bytes[i] = (byte) (size | 0x80);
      size >>>= 7;
    }
    bytes[start - 1] = (byte) size;
  }
}
