package io.widerow.cql.schema;

import io.widerow.cql.CqlException;

/// A pattern of LIKE: a text with `%` in front, at the end, at both or at none. Every other
/// character stands for itself.
///
/// @param text without the `%`
/// @param open whether anything may come before the text
/// @param more whether anything may come after it
public record LikePattern(String text, boolean open, boolean more) {
  public static LikePattern of(String pattern) {
    boolean open = pattern.startsWith("%");
    boolean more = pattern.endsWith("%") && pattern.length() > (open ? 1 : 0);
    String text = pattern.substring(open ? 1 : 0, pattern.length() - (more ? 1 : 0));
    if (text.isEmpty()) {
      throw CqlException.invalid("LIKE value can't be empty.");
    }
    return new LikePattern(text, open, more);
  }

  public boolean test(String found) {
    if (open) {
      return more ? found.contains(text) : found.endsWith(text);
    }
    return more ? found.startsWith(text) : found.equals(text);
  }
}
