package io.widerow.cql.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.widerow.cql.plan.Variable;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/// Writes the parts of a body in the notation of the protocol.
///
/// - Threads: one.
public final class BodyWriter {
  private static final int STRING_BYTES_MAX = 0xffff;
  private static final int GLOBAL_TABLE = 0x01;

  private final ByteBuf body = Unpooled.buffer(128);

  /// The written bytes.
  public ByteBuf body() {
    return body;
  }

  public BodyWriter unsignedShort(int value) {
    body.writeShort(value);
    return this;
  }

  public BodyWriter integer(int value) {
    body.writeInt(value);
    return this;
  }

  public BodyWriter uuid(UUID id) {
    body.writeLong(id.getMostSignificantBits()).writeLong(id.getLeastSignificantBits());
    return this;
  }

  /// A string; of one that is too long its beginning.
  public BodyWriter string(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    return shortBytes(
        utf8.length > STRING_BYTES_MAX ? Arrays.copyOf(utf8, STRING_BYTES_MAX) : utf8);
  }

  public BodyWriter strings(List<String> texts) {
    unsignedShort(texts.size());
    texts.forEach(this::string);
    return this;
  }

  public BodyWriter shortBytes(byte[] bytes) {
    unsignedShort(bytes.length);
    body.writeBytes(bytes);
    return this;
  }

  public BodyWriter bytes(ByteBuffer bytes) {
    integer(bytes.remaining());
    body.writeBytes(bytes.duplicate());
    return this;
  }

  /// The flag of [#columns], for those of one table.
  public static int tableFlag(List<Variable> columns) {
    return columns.isEmpty() ? 0 : GLOBAL_TABLE;
  }

  /// The table of columns, which is the same for all, and their names and types.
  ///
  /// @param version of the protocol
  public BodyWriter columns(List<Variable> columns, int version) {
    if (columns.isEmpty()) {
      return this;
    }
    string(columns.getFirst().keyspace()).string(columns.getFirst().table());
    for (Variable column : columns) {
      string(column.name());
      type(column.type(), version);
    }
    return this;
  }

  private void type(CqlType type, int version) {
    if (type == NativeType.DURATION && version < FrameReader.VERSION_MAX) {
      unsignedShort(0).string("org.apache.cassandra.db.marshal.DurationType");
      return;
    }
    unsignedShort(type.option());
    if (type instanceof CqlType.VectorOf vector) {
      string(vector.className());
      return;
    }
    if (type instanceof CqlType.UserType user) {
      string(user.keyspace()).string(user.name()).unsignedShort(user.fields().size());
      for (CqlType.Field field : user.fields()) {
        string(field.name());
        type(field.type(), version);
      }
      return;
    }
    if (type instanceof CqlType.TupleOf(List<CqlType> elements)) {
      unsignedShort(elements.size());
    }
    type.parts().forEach(part -> type(part, version));
  }
}
