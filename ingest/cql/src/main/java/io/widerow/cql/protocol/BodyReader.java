package io.widerow.cql.protocol;

import io.netty.buffer.ByteBuf;
import io.widerow.cql.CqlException;
import io.widerow.cql.plan.StatementExecution;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads the parts of a body in the notation of the protocol.
///
/// - Threads: one.
/// - Memory: borrows the body; what it returns are copies.
public final class BodyReader {
  private static final int NULL = -1;
  private static final int UNSET = -2;

  private final ByteBuf body;

  public BodyReader(ByteBuf body) {
    this.body = body;
  }

  private void require(long bytes) {
    if (bytes > body.readableBytes()) {
      throw CqlException.protocol(
          "the body ends too soon: %d bytes are missing".formatted(bytes - body.readableBytes()));
    }
  }

  public int unsignedByte() {
    require(1);
    return body.readUnsignedByte();
  }

  public int unsignedShort() {
    require(Short.BYTES);
    return body.readUnsignedShort();
  }

  public int integer() {
    require(Integer.BYTES);
    return body.readInt();
  }

  public long longInteger() {
    require(Long.BYTES);
    return body.readLong();
  }

  private String text(int length) {
    require(length);
    return body.readCharSequence(length, StandardCharsets.UTF_8).toString();
  }

  public String string() {
    return text(unsignedShort());
  }

  public String longString() {
    int length = integer();
    if (length < 0) {
      throw CqlException.protocol("a text of %d bytes".formatted(length));
    }
    return text(length);
  }

  public Map<String, String> stringMap() {
    Map<String, String> map = new LinkedHashMap<>();
    int entries = unsignedShort();
    for (int i = 0; i < entries; i++) {
      map.put(string(), string());
    }
    return map;
  }

  public byte[] shortBytes() {
    byte[] bytes = new byte[requireAll(unsignedShort())];
    body.readBytes(bytes);
    return bytes;
  }

  private int requireAll(int length) {
    require(length);
    return length;
  }

  /// Bytes that may be null.
  public @Nullable ByteBuffer bytes() {
    int length = integer();
    if (length < 0) {
      return null;
    }
    byte[] bytes = new byte[requireAll(length)];
    body.readBytes(bytes);
    return ByteBuffer.wrap(bytes);
  }

  /// A value: null, [StatementExecution#UNSET] or its bytes.
  ///
  /// @param version of the protocol; before 4 every value is set
  public @Nullable ByteBuffer value(int version) {
    int length = integer();
    if (length >= 0) {
      byte[] bytes = new byte[requireAll(length)];
      body.readBytes(bytes);
      return ByteBuffer.wrap(bytes);
    }
    if (length == UNSET && version > FrameReader.VERSION_MIN) {
      return StatementExecution.UNSET;
    }
    if (length != NULL) {
      throw CqlException.protocol("Invalid ByteBuf length %d".formatted(length));
    }
    return null;
  }
}
