package io.widerow.query.parse;

import io.widerow.event.AttributeName;
import io.widerow.query.logql.CapturePattern;
import io.widerow.query.logql.Stage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The pattern of LogQL's stage: `<ip> - <_> "<method> <path>`. The first literal begins the text;
/// a capture reaches to the next literal, or to the end where there is none.
///
/// @param pattern as it was written
/// @param pieces of it
record CaptureFormat(String pattern, List<Piece> pieces) implements TextFormat {
  CaptureFormat {
    pieces = List.copyOf(pieces);
  }

  /// A literal, or a capture.
  ///
  /// @param literal empty for a capture
  /// @param name null for a literal, and for a capture that is left out
  record Piece(String literal, @Nullable AttributeName name) {
    private boolean isLiteral() {
      return !literal.isEmpty();
    }
  }

  /// @throws IllegalArgumentException when it captures nothing, or two captures touch
  static CaptureFormat of(String pattern) {
    List<Piece> pieces = new ArrayList<>();
    for (Stage.Piece piece : CapturePattern.parse(pattern)) {
      boolean named = piece.isName() && !piece.text().equals("_");
      pieces.add(
          new Piece(
              piece.isName() ? "" : bytes(piece.text()),
              named ? AttributeName.of(piece.text()) : null));
    }
    return new CaptureFormat(pattern, pieces);
  }

  /// The bytes of a text in UTF-8, a character each.
  private static String bytes(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  @Override
  public boolean parse(ParsedText text) {
    int at = 0;
    for (int i = 0; i < pieces.size(); i++) {
      Piece piece = pieces.get(i);
      if (piece.isLiteral()) {
        if (i == 0 && !text.isAt(piece.literal, 0)) {
          return false;
        }
        at += piece.literal.length();
        continue;
      }
      int next =
          i + 1 < pieces.size() ? text.indexOf(pieces.get(i + 1).literal, at) : text.length();
      int end = next < 0 ? text.length() : next;
      AttributeName name = piece.name;
      if (name != null) {
        text.put(name, at, end);
      }
      if (next < 0) {
        break;
      }
      at = next;
    }
    return text.count() > 0;
  }

  @Override
  public String toString() {
    return "pattern `" + pattern + "`";
  }
}
