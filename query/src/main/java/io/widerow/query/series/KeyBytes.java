package io.widerow.query.series;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/// A list of attributes as bytes: equal lists have equal bytes.
///
/// ```
///   number of the attribute (4) | kind (1) | length (4) | value ...
/// ```
///
/// - Threads: one.
/// - Memory: an array that grows.
final class KeyBytes {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int KIND_AT = Integer.BYTES;
  private static final int LENGTH_AT = KIND_AT + 1;
  private static final int VALUE_AT = LENGTH_AT + Integer.BYTES;

  private byte[] bytes = new byte[1 << 9];
  private MemorySegment memory = MemorySegment.ofArray(bytes);
  private int length;

  void clear() {
    length = 0;
  }

  int length() {
    return length;
  }

  /// Shows all of it as one value, valid until it changes.
  void show(AttributeValue as) {
    as.setText(AttributeKind.BYTES, memory, 0, length);
  }

  private void reserve(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(length, more), 2 * bytes.length));
      memory = MemorySegment.ofArray(bytes);
    }
  }

  void put(int number, AttributeValue value) {
    boolean isText = value.kind().isText();
    int size = isText ? value.length() : Long.BYTES;
    reserve(VALUE_AT + size);
    INT.set(bytes, length, number);
    bytes[length + KIND_AT] = value.kind().code;
    INT.set(bytes, length + LENGTH_AT, size);
    length += VALUE_AT;
    if (isText) {
      value.copyTo(bytes, length);
    } else {
      LONG.set(bytes, length, value.bits());
    }
    length += size;
  }

  /// Appends a part of another one.
  void put(KeyBytes other, int from, int until) {
    reserve(until - from);
    System.arraycopy(other.bytes, from, bytes, length, until - from);
    length += until - from;
  }

  int number(int at) {
    return (int) INT.get(bytes, at);
  }

  AttributeKind kind(int at) {
    return AttributeKind.of(bytes[at + KIND_AT]);
  }

  /// The bytes of a text.
  byte[] text(int at) {
    return Arrays.copyOfRange(bytes, at + VALUE_AT, next(at));
  }

  /// The bits of a value that is no text.
  long bits(int at) {
    return (long) LONG.get(bytes, at + VALUE_AT);
  }

  /// Where the attribute after this one lies.
  int next(int at) {
    return at + VALUE_AT + (int) INT.get(bytes, at + LENGTH_AT);
  }
}
