package io.widerow.cql.protocol;

import io.netty.buffer.ByteBuf;

/// A frame to send.
///
/// @param version 3 to 5
/// @param stream that of the request
/// @param payload whether the body begins with a custom payload
/// @param body which the writer releases
public record Reply(int version, short stream, Opcode opcode, boolean payload, ByteBuf body) {
  /// Without a payload.
  public Reply(int version, short stream, Opcode opcode, ByteBuf body) {
    this(version, stream, opcode, false, body);
  }
}
