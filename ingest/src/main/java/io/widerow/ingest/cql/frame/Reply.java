package io.widerow.ingest.cql.frame;

import io.netty.buffer.ByteBuf;

/// A frame to send.
///
/// @param version 3 to 5
/// @param stream that of the request
/// @param body which the writer releases
public record Reply(int version, short stream, Opcode opcode, ByteBuf body) {}
