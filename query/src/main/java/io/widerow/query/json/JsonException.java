package io.widerow.query.json;

/// A text that is not JSON, with the reason and the position.
public final class JsonException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String reason;
  private final int position;

  JsonException(String why, int position) {
    super("%s at pos %d".formatted(why, position + 1), null, false, false);
    this.reason = why;
    this.position = position;
  }

  public String reason() {
    return reason;
  }

  /// Offset of the character that is wrong.
  public int position() {
    return position;
  }
}
