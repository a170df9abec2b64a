package io.widerow.cql.parse;

import java.util.Locale;

/// One word or sign of a statement.
///
/// @param text of a quoted name or a string: the text inside the quotes; of all others: as written
/// @param offset where it begins in the statement
record Lexeme(Kind kind, String text, int offset) {
  /// The kind of the word.
  enum Kind {
    WORD,
    QUOTED_NAME,
    STRING,
    INTEGER,
    FLOAT,
    UUID,
    HEX,
    DURATION,
    SIGN,
    END
  }

  /// True for this sign.
  boolean isSign(String sign) {
    return kind == Kind.SIGN && text.equals(sign);
  }

  /// True for this keyword, in any case.
  boolean isWord(String keyword) {
    return kind == Kind.WORD && text.equalsIgnoreCase(keyword);
  }

  String lower() {
    return text.toLowerCase(Locale.ROOT);
  }

  /// For messages.
  String shown() {
    return kind == Kind.END ? "the end" : "'" + text + "'";
  }
}
