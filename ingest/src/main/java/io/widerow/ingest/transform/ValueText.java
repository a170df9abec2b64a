package io.widerow.ingest.transform;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue;
import java.nio.charset.StandardCharsets;

/// The bytes of a value as a query shows it, for expressions and digests: those of a text, and the
/// text of a number.
final class ValueText {
  private ValueText() {}

  static byte[] of(AttributeValue value) {
    return value.kind().isText()
        ? value.toBytes()
        : value.toString().getBytes(StandardCharsets.US_ASCII);
  }

  /// The kind of a value whose text was changed: a number becomes a string.
  static AttributeKind kind(AttributeValue value) {
    return value.kind() == AttributeKind.BYTES ? AttributeKind.BYTES : AttributeKind.STRING;
  }
}
