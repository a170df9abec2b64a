package io.widerow.event;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/// A named text that a store keeps for its owner and does not interpret.
///
/// @param name 1 to 100 letters, digits, `.`, `_` and `-`
/// @param definition 1 to 8,192 bytes of UTF-8
public record SavedText(String name, String definition) {
  public static final int DEFINITION_BYTES_MAX = 8_192;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");

  public SavedText {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "name: one word of up to 100 letters, digits, '.', '_' and '-', got '%s'"
              .formatted(name.substring(0, Math.min(name.length(), 200))));
    }
    int bytes = definition.getBytes(StandardCharsets.UTF_8).length;
    if (bytes < 1 || bytes > DEFINITION_BYTES_MAX) {
      throw new IllegalArgumentException(
          "%s: the definition must have 1 to %d bytes, got %d"
              .formatted(name, DEFINITION_BYTES_MAX, bytes));
    }
  }
}
