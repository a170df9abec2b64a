package io.widerow.cql.type;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.LongConsumer;

/// A growing array of cells as they are on the wire, big-endian: each its length and its bytes, or
/// the length -1 for null.
///
/// - Threads: one.
public final class CellBuffer {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final int NULL = -1;

  private final LongConsumer memory;
  private byte[] bytes;
  private int length;

  public CellBuffer(int bytesStart) {
    this(bytesStart, _ -> {});
  }

  /// @param memory receives the bytes by which the array grows, before it grows, and those of the
  ///   array that it replaces as a negative number; it may refuse by throwing
  public CellBuffer(int bytesStart, LongConsumer memory) {
    this.memory = memory;
    memory.accept(bytesStart);
    bytes = new byte[bytesStart];
  }

  /// The array with the cells, from 0 until [#length]. Growing replaces the array.
  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }

  private int claim(int count) {
    if (bytes.length - length < count) {
      int before = bytes.length;
      int wanted = Math.addExact(length, count);
      int after = Math.max(wanted, (int) Math.min(2L * length, 1 << 30));
      memory.accept(after);
      bytes = Arrays.copyOf(bytes, after);
      memory.accept(-before);
    }
    int at = length;
    length += count;
    return at;
  }

  public void putNull() {
    putInt(NULL);
  }

  /// Begins a cell, or an element, whose length is not known yet.
  ///
  /// @return for [#end]
  public int begin() {
    return claim(Integer.BYTES);
  }

  /// Ends what [#begin] began.
  public void end(int begun) {
    INT.set(bytes, begun, length - begun - Integer.BYTES);
  }

  /// Drops the bytes from an offset on.
  public void truncate(int newLength) {
    length = newLength;
  }

  /// Sets an int that was written before.
  public void setInt(int at, int value) {
    INT.set(bytes, at, value);
  }

  public void putByte(int value) {
    int at = claim(1);
    bytes[at] = (byte) value;
  }

  public void putShort(int value) {
    int at = claim(Short.BYTES);
    SHORT.set(bytes, at, (short) value);
  }

  public void putInt(int value) {
    int at = claim(Integer.BYTES);
    INT.set(bytes, at, value);
  }

  public void putLong(long value) {
    int at = claim(Long.BYTES);
    LONG.set(bytes, at, value);
  }

  public void put(byte[] source) {
    int at = claim(source.length);
    System.arraycopy(source, 0, bytes, at, source.length);
  }

  /// Where its memory is counted.
  public LongConsumer memory() {
    return memory;
  }

  public void putText(String text) {
    put(text.getBytes(StandardCharsets.UTF_8));
  }

  /// Puts the bytes of a name.
  public void put(AttributeName name) {
    int at = claim(name.length());
    int _ = name.copyTo(bytes, at);
  }

  /// Puts a string or bytes of an event unchanged.
  public void put(AttributeValue text) {
    int at = claim(text.length());
    int _ = text.copyTo(bytes, at);
  }
}
