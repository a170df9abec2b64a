package io.widerow.ingest.transform;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/// A value in a file of transforms.
///
/// - Threads: any; immutable.
///
/// @param kind of it
/// @param bits of a number or a boolean
/// @param utf8 of a text; empty for others
record Literal(AttributeKind kind, long bits, MemorySegment utf8) {
  static Literal of(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    return new Literal(AttributeKind.STRING, 0, MemorySegment.ofArray(utf8).asReadOnly());
  }

  /// A number or a boolean.
  static Literal of(AttributeKind kind, long bits) {
    return new Literal(kind, bits, MemorySegment.NULL);
  }

  void read(AttributeValue out) {
    if (kind.isText()) {
      out.setText(kind, utf8, 0, (int) utf8.byteSize());
    } else {
      out.setBits(kind, bits);
    }
  }
}
