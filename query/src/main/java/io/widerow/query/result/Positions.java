package io.widerow.query.result;

import io.widerow.event.EventId;
import io.widerow.query.QueryException;
import io.widerow.query.Token;

/// Parses positions in the order of events: a token, or `TYPE/ID`, the position of an event whose
/// type and id are known.
final class Positions {
  private static final int ID_CHARS = 36;

  private Positions() {}

  /// @throws QueryException.Refused when the text is neither
  static Token parse(String text) {
    int slash = text.length() - ID_CHARS - 1;
    if (slash < 1 || text.charAt(slash) != '/') { // a token has no slash
      return Token.parse(text);
    }
    try {
      return new Token(EventId.parse(text.substring(slash + 1)), text.substring(0, slash));
    } catch (IllegalArgumentException notAnId) {
      throw new QueryException.Refused(
          "after", "%s is neither a token nor TYPE/ID (%s)".formatted(text, notAnId.getMessage()));
    }
  }
}
