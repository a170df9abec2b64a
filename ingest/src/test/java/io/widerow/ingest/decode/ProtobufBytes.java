package io.widerow.ingest.decode;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// For tests: writes protobuf field by field, without any code of [ProtobufReader].
///
/// Source: protobuf.dev, "Encoding".
public final class ProtobufBytes {
  private ProtobufBytes() {}

  /// All parts, one behind the other.
  public static byte[] join(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  public static byte[] varint(long value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) ((rest & 0x7f) | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
    return out.toByteArray();
  }

  /// What stands before each value.
  ///
  /// @param wireType 0 varint, 1 eight bytes, 2 length and bytes, 5 four bytes
  public static byte[] tag(int field, int wireType) {
    return varint((long) field << 3 | wireType);
  }

  /// A field of bytes, or of a message with these fields.
  public static byte[] message(int field, byte[]... parts) {
    byte[] content = join(parts);
    return join(tag(field, 2), varint(content.length), content);
  }

  public static byte[] text(int field, String text) {
    return message(field, text.getBytes(UTF_8));
  }

  public static byte[] number(int field, long value) {
    return join(tag(field, 0), varint(value));
  }

  public static byte[] fixed64(int field, long value) {
    byte[] eight = new byte[Long.BYTES];
    ByteBuffer.wrap(eight).order(ByteOrder.LITTLE_ENDIAN).putLong(value);
    return join(tag(field, 1), eight);
  }
}
