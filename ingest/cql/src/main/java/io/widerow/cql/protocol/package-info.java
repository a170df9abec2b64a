/// Frames and segments of the CQL native protocol, on both ways.
///
/// ```
///   frame     | version | flags | stream, 2 | opcode | length, 4 | body |
///   segment   | lengths and flag, 3 or 5 | crc24, 3 | frames, or a part of one | crc32, 4 |
/// ```
@NullMarked
package io.widerow.cql.protocol;

import org.jspecify.annotations.NullMarked;
