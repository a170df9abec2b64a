package io.widerow.ingest.decode;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Reads the fields of protobuf messages in a body, without objects for them. Messages within
/// messages narrow the part that is read: [#enter] and [#leave].
///
/// ```
///   reader.begin(body, 0, length);
///   while (reader.next()) {
///     switch (reader.field()) {
///       case 1 -> {
///         int outer = reader.enter();
///         ... while (reader.next()) ...
///         reader.leave(outer);
///       }
///       case 2 -> time = reader.fixed64();
///       default -> reader.skip();
///     }
///   }
/// ```
///
/// A field has a number and a wire type. Each method that reads a value checks the wire type, and
/// that the value ends within its message. Groups, which proto3 does not have, are skipped only.
///
/// Source: protobuf.dev, "Encoding".
///
/// - Threads: one.
public final class ProtobufReader {
  public static final int VARINT = 0;
  public static final int FIXED64 = 1;
  public static final int LENGTH = 2;
  public static final int FIXED32 = 5;
  private static final int GROUP_START = 3;
  private static final int GROUP_END = 4;
  private static final int GROUPS_MAX = 16;
  private static final int VARINT_BYTES_MAX = 10;
  private static final int FIELD_MAX = (1 << 29) - 1;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private byte[] bytes = new byte[0];
  private int at;
  private int limit;
  private int field;
  private int wireType;
  private int offset; // of the bytes read last
  private int length;

  /// Reports a malformed message: the field, the offset in the body and the reason. The exception
  /// has no stack trace, because bad input is common.
  public static final class Bad extends Exception {
    private static final long serialVersionUID = 1L;

    public Bad(String reason) {
      super(reason, null, false, false);
    }

    /// Why it is no such message.
    public String reason() {
      return String.valueOf(getMessage());
    }
  }

  /// Reads the message in `[start, end)` from here on.
  public void begin(byte[] newBytes, int start, int end) {
    field = 0;
    bytes = newBytes;
    at = start;
    limit = end;
  }

  /// Reads the message in `[start, end)` of the same body from here on, or the rest of one.
  public void read(int start, int end) {
    at = start;
    limit = end;
  }

  /// The body in which the messages are.
  public byte[] bytes() {
    return bytes;
  }

  /// Where the next byte is read. It can be given to [#seek] while the same message is read.
  public int at() {
    return at;
  }

  /// The end of the message that is being read.
  public int limit() {
    return limit;
  }

  /// Goes back, or on, to a place in the message that is being read.
  public void seek(int place) {
    at = place;
  }

  /// Reads the tag of the next field.
  ///
  /// @return false at the end of the message
  public boolean next() throws Bad {
    if (at >= limit) {
      return false;
    }
    int first = bytes[at];
    if (first > 0) { // one byte: fields 1 to 15
      at++;
      wireType = first & 7;
      field = first >>> 3;
    } else {
      long tag = varintHere();
      wireType = (int) tag & 7;
      long number = tag >>> 3;
      field = number > FIELD_MAX ? 0 : (int) number;
    }
    if (field == 0) {
      throw new Bad("field 0 at byte " + at);
    }
    return true;
  }

  /// The number of the field read last.
  public int field() {
    return field;
  }

  public int wireType() {
    return wireType;
  }

  /// A `uint64`, `int64`, `uint32`, `int32`, `bool` or enum.
  public long varint() throws Bad {
    require(VARINT);
    return varintHere();
  }

  /// A `sint64` or `sint32`.
  public long zigzag() throws Bad {
    long raw = varint();
    return (raw >>> 1) ^ -(raw & 1);
  }

  /// A `fixed64` or `sfixed64`.
  public long fixed64() throws Bad {
    require(FIXED64);
    requireBytes(Long.BYTES);
    long value = (long) LONG.get(bytes, at);
    at += Long.BYTES;
    return value;
  }

  /// A `double`.
  public double fraction() throws Bad {
    return Double.longBitsToDouble(fixed64());
  }

  /// A `fixed32` or `sfixed32`.
  public int fixed32() throws Bad {
    require(FIXED32);
    requireBytes(Integer.BYTES);
    int value = (int) INT.get(bytes, at);
    at += Integer.BYTES;
    return value;
  }

  /// A string or bytes: where they are is in [#offset] and [#length] until the next are read.
  public void text() throws Bad {
    require(LENGTH);
    long size = varintHere();
    if (size < 0 || size > limit - at) {
      throw bad("%d bytes do not fit".formatted(size));
    }
    offset = at;
    length = (int) size;
    at += length;
  }

  public int offset() {
    return offset;
  }

  public int length() {
    return length;
  }

  /// Goes into the message that is the value of this field.
  ///
  /// @return for [#leave]
  public int enter() throws Bad {
    text();
    int outer = limit;
    at = offset;
    limit = offset + length;
    return outer;
  }

  /// Continues after the message that was entered, wherever in it the reader is.
  public void leave(int outer) {
    at = limit;
    limit = outer;
  }

  /// Continues after a message with a [Bad] part, at any depth.
  ///
  /// @param end the [#limit] of that message, taken when it was entered
  /// @param outer what [#enter] returned
  public void resume(int end, int outer) {
    at = end;
    limit = outer;
  }

  /// A varint without a tag: an element of a packed field, which [#enter] goes into.
  public long packedVarint() throws Bad {
    return varintHere();
  }

  /// Eight bytes without a tag: an element of a packed field.
  public long packedFixed64() throws Bad {
    requireBytes(Long.BYTES);
    long value = (long) LONG.get(bytes, at);
    at += Long.BYTES;
    return value;
  }

  /// Whether there are bytes left of the message, or of the packed field, that is being read.
  public boolean hasMore() {
    return at < limit;
  }

  /// Passes over the value of this field.
  public void skip() throws Bad {
    skip(wireType, 0);
  }

  private void skip(int type, int depth) throws Bad {
    switch (type) {
      case VARINT -> varintHere();
      case FIXED64 -> {
        requireBytes(Long.BYTES);
        at += Long.BYTES;
      }
      case FIXED32 -> {
        requireBytes(Integer.BYTES);
        at += Integer.BYTES;
      }
      case LENGTH -> text();
      case GROUP_START -> skipGroup(depth);
      default -> throw bad("wire type " + type);
    }
  }

  private void skipGroup(int depth) throws Bad {
    int group = field;
    if (depth == GROUPS_MAX) {
      throw bad("groups within groups");
    }
    while (next()) {
      if (wireType == GROUP_END) {
        if (field != group) {
          throw bad("the end of another group");
        }
        return;
      }
      skip(wireType, depth + 1);
    }
    throw bad("a group without an end");
  }

  private long varintHere() throws Bad {
    byte[] from = bytes;
    int here = at;
    int end = limit - here > VARINT_BYTES_MAX ? here + VARINT_BYTES_MAX : limit;
    long value = 0;
    for (int shift = 0; here < end; shift += 7) {
      byte next = from[here++];
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        at = here;
        return value;
      }
    }
    at = here;
    throw bad("a number without an end");
  }

  private void require(int type) throws Bad {
    if (wireType != type) {
      throw bad("wire type %d, not %d".formatted(wireType, type));
    }
  }

  private void requireBytes(int count) throws Bad {
    if (count > limit - at) {
      throw bad("the message is cut");
    }
  }

  /// Makes the exception for the field read last.
  public Bad bad(String why) {
    return new Bad("field %d: %s, at byte %d".formatted(field, why, at));
  }
}
