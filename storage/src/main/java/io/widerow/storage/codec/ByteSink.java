package io.widerow.storage.codec;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// A growable buffer for the bytes of a segment: little-endian numbers, LEB128 varints, bytes. It
/// grows by doubling and is reused.
///
/// - Threads: one.
public final class ByteSink {
  public static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  public static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private byte[] bytes = new byte[1 << 10];
  private int length;

  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }

  public void clear() {
    length = 0;
  }

  /// Drops everything after `newLength`.
  public void cut(int newLength) {
    assert newLength <= length : newLength + " of " + length;
    length = newLength;
  }

  /// Makes room for `count` more bytes and returns the array, to be filled from [#length].
  public byte[] reserve(int count) {
    if (bytes.length - length < count) {
      int needed = Math.addExact(length, count);
      bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 8L, 2L * needed));
    }
    return bytes;
  }

  /// Appends `count` bytes that were written after [#reserve].
  public void advance(int count) {
    assert length + count <= bytes.length : length + " and " + count;
    length += count;
  }

  public void putByte(int value) {
    reserve(1)[length++] = (byte) value;
  }

  public void putInt(int value) {
    INT.set(reserve(Integer.BYTES), length, value);
    length += Integer.BYTES;
  }

  public void putLong(long value) {
    LONG.set(reserve(Long.BYTES), length, value);
    length += Long.BYTES;
  }

  /// Appends an unsigned LEB128 varint: seven bits a byte, low bits first.
  public void putVarint(long value) {
    byte[] out = reserve(10);
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    out[length++] = (byte) rest;
  }

  /// Appends a signed number as zigzag varint: small numbers of either sign take few bytes.
  public void putZigzag(long value) {
    putVarint((value << 1) ^ (value >> 63));
  }

  public void put(byte[] source, int offset, int count) {
    System.arraycopy(source, offset, reserve(count), length, count);
    length += count;
  }

  /// Appends a text that is followed by [ByteSource#SLACK] readable bytes.
  public void putText(byte[] source, int offset, int count) {
    ByteWords.copy(source, offset, reserve(count + ByteSource.SLACK), length, count);
    length += count;
  }

  public void put(ByteSink other) {
    put(other.bytes, 0, other.length);
  }

  /// The bytes from `offset`, as memory to write to a file.
  public MemorySegment memory(int offset) {
    return MemorySegment.ofArray(bytes).asSlice(offset, length - offset);
  }
}
