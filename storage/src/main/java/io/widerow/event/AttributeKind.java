package io.widerow.event;

/// The type of an attribute's value. The codes are written to disk and never change.
public enum AttributeKind {
  /// Valid UTF-8.
  STRING(1),
  LONG(2),
  /// Any bits; a NaN is kept as it is.
  DOUBLE(3),
  BOOLEAN(4),
  BYTES(5);

  private static final AttributeKind[] BY_CODE = {null, STRING, LONG, DOUBLE, BOOLEAN, BYTES};

  public final byte code;

  AttributeKind(int code) {
    this.code = (byte) code;
  }

  /// True when a kind has this code.
  static boolean isKind(int code) {
    return code >= 1 && code < BY_CODE.length;
  }

  /// @throws IllegalArgumentException when no kind has this code
  public static AttributeKind of(int code) {
    if (!isKind(code)) {
      throw new IllegalArgumentException("attribute kind " + code);
    }
    return BY_CODE[code];
  }

  /// True when the value is a run of bytes, false when it is one number.
  public boolean isText() {
    return this == STRING || this == BYTES;
  }
}
