package io.widerow.event;

/// The type of an attribute's value. The codes are written to disk and never change.
public enum AttributeKind {
  /// Valid UTF-8.
  STRING(1),
  LONG(2),
  /// Any 64 bits; the bits of a NaN are kept.
  DOUBLE(3),
  BOOLEAN(4),
  BYTES(5);

  private static final AttributeKind[] BY_CODE = {null, STRING, LONG, DOUBLE, BOOLEAN, BYTES};

  public final byte code;

  AttributeKind(int code) {
    this.code = (byte) code;
  }

  /// True when `code` is the code of a kind.
  static boolean isKind(int code) {
    return code >= 1 && code < BY_CODE.length;
  }

  /// @throws IllegalArgumentException when `code` is not the code of a kind
  public static AttributeKind of(int code) {
    if (!isKind(code)) {
      throw new IllegalArgumentException("attribute kind " + code);
    }
    return BY_CODE[code];
  }

  /// True when the value is a sequence of bytes, false when it is one number.
  public boolean isText() {
    return this == STRING || this == BYTES;
  }
}
