package io.widerow.ingest.decode;

import java.nio.charset.StandardCharsets;

/// Reports why a message is refused: the bad field, its offset and the reason. The exception has no
/// stack trace, because bad input is common.
public final class BadField extends Exception {
  private static final long serialVersionUID = 1L;
  private static final int SHOWN_BYTES_MAX = 40;

  /// @param at of the field in its message, in bytes from 0
  public BadField(String field, int at, String wrong) {
    super("%s at byte %d: %s".formatted(field, at, wrong), null, false, false);
  }

  /// The reason, as an operator sees it.
  public String reason() {
    return String.valueOf(getMessage());
  }

  /// The text of a field in quotes, for a reason; a long one is cut.
  public static String shown(byte[] bytes, int offset, int limit) {
    int shown = Math.min(limit - offset, SHOWN_BYTES_MAX);
    String text = new String(bytes, offset, shown, StandardCharsets.UTF_8);
    return "'%s%s'".formatted(text, shown < limit - offset ? "..." : "");
  }
}
