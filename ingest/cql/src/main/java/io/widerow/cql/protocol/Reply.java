package io.widerow.cql.protocol;

import io.netty.buffer.ByteBuf;

/// A frame to send.
///
/// @param version 3 to 5
/// @param stream that of the request
/// @param warned whether the body begins with warnings
/// @param payload whether a custom payload follows, or begins the body
/// @param body which the writer releases
public record Reply(
    int version, short stream, Opcode opcode, boolean warned, boolean payload, ByteBuf body) {
  /// Without warnings and payload.
  public Reply(int version, short stream, Opcode opcode, ByteBuf body) {
    this(version, stream, opcode, false, false, body);
  }
}
