package io.widerow.query.logql;

import java.util.ArrayList;
import java.util.List;

/// Reads the patterns of the stage `pattern`, and the templates of formatting stages as far as they
/// only name labels: `{{.method}} took {{ .took }}`.
final class FormatTemplates {
  private static final String LINE = "__line__";

  private FormatTemplates() {}

  /// @throws IllegalArgumentException when it is more than text and names
  static List<Stage.Piece> template(String text) {
    List<Stage.Piece> pieces = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      int open = text.indexOf("{{", at);
      int literalEnd = open < 0 ? text.length() : open;
      if (literalEnd > at) {
        pieces.add(new Stage.Piece(text.substring(at, literalEnd), false));
      }
      if (open < 0) {
        break;
      }
      int close = text.indexOf("}}", open);
      if (close < 0) {
        throw new IllegalArgumentException("unclosed action");
      }
      pieces.add(new Stage.Piece(field(text.substring(open + 2, close)), true));
      at = close + 2;
    }
    return pieces;
  }

  private static String field(String action) {
    String field = action.strip();
    if (field.equals(LINE)) {
      return LINE;
    }
    if (field.startsWith(".") && LogqlNames.isLabel(field.substring(1))) {
      return field.substring(1);
    }
    throw new IllegalArgumentException("{{%s}}, only {{.label}}".formatted(action));
  }

  /// @throws IllegalArgumentException when it captures nothing, or two captures touch
  static List<Stage.Piece> pattern(String text) {
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
