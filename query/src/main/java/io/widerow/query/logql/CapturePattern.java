package io.widerow.query.logql;

import java.util.ArrayList;
import java.util.List;

/// Reads the patterns of the stage `pattern`: `<ip> - <_> "<method> <path>`.
public final class CapturePattern {
  private CapturePattern() {}

  /// @throws IllegalArgumentException when it captures nothing, or two captures touch
  public static List<Stage.Piece> parse(String text) {
    List<Stage.Piece> pieces = new ArrayList<>();
    StringBuilder literal = new StringBuilder();
    boolean names = false;
    int at = 0;
    while (at < text.length()) {
      int close = text.charAt(at) == '<' ? text.indexOf('>', at) : -1;
      String name = close < 0 ? "" : text.substring(at + 1, close);
      if (!LogqlNames.isLabel(name)) {
        literal.append(text.charAt(at++));
        continue;
      }
      if (!literal.isEmpty()) {
        pieces.add(new Stage.Piece(literal.toString(), false));
        literal.setLength(0);
      } else if (!pieces.isEmpty()) {
        throw new IllegalArgumentException(
            "found consecutive capture before '<%s>': invalid expression".formatted(name));
      }
      boolean named = !name.equals("_");
      if (named && pieces.stream().anyMatch(piece -> piece.isName() && piece.text().equals(name))) {
        throw new IllegalArgumentException(
            "duplicate capture name (%s): invalid expression".formatted(name));
      }
      names |= named;
      pieces.add(new Stage.Piece(name, true));
      at = close + 1;
    }
    if (!literal.isEmpty()) {
      pieces.add(new Stage.Piece(literal.toString(), false));
    }
    if (!names) {
      throw new IllegalArgumentException("at least one capture is required");
    }
    return pieces;
  }
}
