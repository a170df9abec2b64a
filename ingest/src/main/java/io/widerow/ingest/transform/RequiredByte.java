package io.widerow.ingest.transform;

/// Finds a byte without which a regular expression matches nothing, so that most texts need not be
/// searched: `@` of `[\w.]+@[\w.]+`.
final class RequiredByte {
  static final int NONE = -1;

  private RequiredByte() {}

  /// An ASCII character that each match has, a rare one rather than a letter or digit; [#NONE] when
  /// there is none or the expression is too intricate to tell.
  static int of(String regex) {
    if (regex.contains("(?") || regex.indexOf('\\' + "Q") >= 0) {
      return NONE; // flags change what characters mean
    }
    int found = NONE;
    for (int at = 0; at < regex.length(); ) {
      int end = elementEnd(regex, at);
      char first = regex.charAt(at);
      if (end < 0 || first == '|' || first == '{' || first == '}') {
        return NONE;
      }
      int literal = literal(regex, at, end);
      char next = end < regex.length() ? regex.charAt(end) : ' ';
      boolean optional = next == '*' || next == '?' || next == '{';
      boolean better = found < 0 || (isCommon(found) && !isCommon(literal));
      if (literal >= 0 && !optional && better) {
        found = literal;
      }
      at = afterQuantifier(regex, end);
      if (at < 0) {
        return NONE;
      }
    }
    return found;
  }

  private static boolean isCommon(int b) {
    return Character.isLetterOrDigit(b) || b == ' ';
  }

  /// The character that the element in `[at, end)` stands for; negative when it is not one.
  private static int literal(String regex, int at, int end) {
    char first = regex.charAt(at);
    if (first == '\\') {
      char escaped = regex.charAt(at + 1);
      boolean plain = escaped < 0x80 && !Character.isLetterOrDigit(escaped);
      return end - at == 2 && plain ? escaped : NONE;
    }
    boolean special = first == '(' || first == '[' || first == '.' || first == '^' || first == '$';
    return special || first >= 0x80 ? NONE : first;
  }

  /// The end of the element at `at`: a character, an escape, a class or a group.
  private static int elementEnd(String regex, int at) {
    return switch (regex.charAt(at)) {
      case '\\' -> escapeEnd(regex, at);
      case '[' -> classEnd(regex, at);
      case '(' -> groupEnd(regex, at);
      default -> at + 1;
    };
  }

  /// Escapes with an argument, such as `\p{L}` and `\x{41}`, are too intricate.
  private static int escapeEnd(String regex, int at) {
    if (at + 1 == regex.length()) {
      return NONE;
    }
    char escaped = regex.charAt(at + 1);
    boolean known = "dDsSwWbBAz".indexOf(escaped) >= 0 || !Character.isLetterOrDigit(escaped);
    return known ? at + 2 : NONE;
  }

  private static int classEnd(String regex, int at) {
    int i = at + 1;
    i += i < regex.length() && regex.charAt(i) == '^' ? 1 : 0;
    i += i < regex.length() && regex.charAt(i) == ']' ? 1 : 0;
    while (i < regex.length() && regex.charAt(i) != ']') {
      if (regex.charAt(i) == '[') {
        return NONE; // [:alpha:]
      }
      i += regex.charAt(i) == '\\' ? 2 : 1;
    }
    return i < regex.length() ? i + 1 : NONE;
  }

  private static int groupEnd(String regex, int at) {
    int i = at + 1;
    while (i >= 0 && i < regex.length() && regex.charAt(i) != ')') {
      i = elementEnd(regex, i);
    }
    return i >= 0 && i < regex.length() ? i + 1 : NONE;
  }

  /// The position after the quantifiers at `at`: `*`, `+`, `?`, `{2,3}`.
  private static int afterQuantifier(String regex, int at) {
    int i = at;
    while (i < regex.length() && "*+?{".indexOf(regex.charAt(i)) >= 0) {
      if (regex.charAt(i) == '{') {
        i = regex.indexOf('}', i);
        if (i < 0) {
          return NONE;
        }
      }
      i++;
    }
    return i;
  }
}
