package io.widerow.query.parse;

/// A format that is known by sight: how its lines begin, which is cheap to see, and its fields.
///
/// @param name of the format
/// @param begin what stands at the start of a line, a character for each byte: `9` is a digit, `a`
///   a letter, `*` any byte
/// @param fields the expression of all of a line
record SightPattern(String name, String begin, RegexFormat fields) {
  /// @param line of `sight.txt`: name, beginning and expression with tabs between them
  static SightPattern parse(String line) {
    String[] parts = line.split("\t", 3);
    return new SightPattern(parts[0], parts[1], RegexFormat.of("^" + parts[2] + "$"));
  }

  boolean parse(ParsedText text) {
    return begins(text) && fields.parse(text);
  }

  private boolean begins(ParsedText text) {
    if (text.length() < begin.length()) {
      return false;
    }
    for (int i = 0; i < begin.length(); i++) {
      byte here = text.bytes()[i];
      int lower = here | 0x20;
      boolean fits =
          switch (begin.charAt(i)) {
            case '9' -> here >= '0' && here <= '9';
            case 'a' -> lower >= 'a' && lower <= 'z';
            case '*' -> true;
            default -> here == begin.charAt(i);
          };
      if (!fits) {
        return false;
      }
    }
    return true;
  }
}
