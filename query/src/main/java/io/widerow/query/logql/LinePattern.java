package io.widerow.query.logql;

import java.util.ArrayList;
import java.util.List;

/// The pattern of a line filter `|> "<_> took <_> ms"`: texts in order, and captures, which are
/// never empty. A line ends where the pattern ends; a first text may stand anywhere, as in Loki.
///
/// - Threads: any; immutable.
///
/// @param texts in order
/// @param startsOpen true when a capture is first
/// @param endsOpen true when a capture is last
public record LinePattern(List<String> texts, boolean startsOpen, boolean endsOpen) {
  private static final String ANY = "<_>";

  public LinePattern {
    texts = List.copyOf(texts);
  }

  /// @throws IllegalArgumentException when a capture has a name, or two captures touch
  static LinePattern parse(String text) {
    List<String> texts = new ArrayList<>();
    int at = 0;
    while (at <= text.length()) {
      int open = text.indexOf(ANY, at);
      String literal = text.substring(at, open < 0 ? text.length() : open);
      requireNoName(literal);
      if (literal.isEmpty() && open > 0 && at > 0) {
        throw new IllegalArgumentException(
            "found consecutive capture '<_><_>': invalid expression");
      }
      if (!literal.isEmpty()) {
        texts.add(literal);
      }
      at = open < 0 ? text.length() + 1 : open + ANY.length();
    }
    return new LinePattern(texts, text.startsWith(ANY), text.endsWith(ANY));
  }

  private static void requireNoName(String literal) {
    for (int open = literal.indexOf('<'); open >= 0; open = literal.indexOf('<', open + 1)) {
      int close = literal.indexOf('>', open);
      if (close > 0 && LogqlNames.isLabel(literal.substring(open + 1, close))) {
        throw new IllegalArgumentException(
            "named captures are not allowed: found '%s'"
                .formatted(literal.substring(open, close + 1)));
      }
    }
  }

  /// True when a line is of this pattern.
  public boolean isOf(String line) {
    if (line.isEmpty() || (texts.isEmpty() && !startsOpen)) {
      return line.isEmpty() && texts.isEmpty() && !startsOpen;
    }
    int at = 0;
    for (int i = 0; i < texts.size(); i++) {
      int found = line.indexOf(texts.get(i), at);
      boolean afterCapture = i > 0 || startsOpen;
      if (found < 0 || (afterCapture && found == at)) {
        return false;
      }
      at = found + texts.get(i).length();
    }
    return endsOpen == at < line.length();
  }
}
