package io.widerow.cql.protocol;

import io.netty.buffer.ByteBuf;
import io.widerow.cql.CqlException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A frame that has arrived.
///
/// @param version 3 to 5
/// @param stream number that its response carries back
/// @param opcode null for a number that is none, and when it is refused
/// @param body which its receiver releases; not compressed
/// @param credit bytes that it holds until it is answered
/// @param key of a request that is done once, as it was given; null for none
/// @param traced whether its client asks for a trace
/// @param refused why its body was not read; null when it was
public record Request(
    int version,
    short stream,
    @Nullable Opcode opcode,
    ByteBuf body,
    long credit,
    @Nullable ByteBuffer key,
    boolean traced,
    @Nullable CqlException refused) {}
