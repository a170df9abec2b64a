package io.widerow.cql.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/// A frame to send.
///
/// @param version 3 to 5
/// @param stream that of the request
/// @param flags which parts the body begins with: [#TRACING], [#WARNING], [#CUSTOM_PAYLOAD], in
///   this order
/// @param body which the writer releases
public record Reply(int version, short stream, Opcode opcode, int flags, ByteBuf body) {
  public static final int TRACING = 0x02;
  public static final int CUSTOM_PAYLOAD = 0x04;
  public static final int WARNING = 0x08;

  /// Without further parts.
  public Reply(int version, short stream, Opcode opcode, ByteBuf body) {
    this(version, stream, opcode, 0, body);
  }

  /// The same with a part in front.
  public Reply with(int flag, BodyWriter part) {
    return new Reply(
        version, stream, opcode, flags | flag, Unpooled.wrappedBuffer(part.body(), body));
  }
}
