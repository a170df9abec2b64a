package io.widerow.event;

/// Attributes that a [FieldMerge] adds to a record, in any order. Of equal names the first counts.
public interface AddedFields {
  int count();

  AttributeName name(int field);

  AttributeKind kind(int field);

  /// The value of a number or a boolean, as in [AttributeValue#bits].
  long bits(int field);

  /// Length of a text in bytes.
  int length(int field);

  /// Copies a text, which is valid UTF-8 when its kind is `STRING`.
  void copyTo(int field, byte[] out, int at);
}
