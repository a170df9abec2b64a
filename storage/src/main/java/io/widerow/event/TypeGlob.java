package io.widerow.event;

/// Glob patterns of types: `*` stands for any text and `?` for one character. Any other text is the
/// exact name of one type.
public final class TypeGlob {
  private TypeGlob() {}

  /// True when a pattern is the exact name of one type.
  public static boolean isExact(String glob) {
    return glob.indexOf('*') < 0 && glob.indexOf('?') < 0;
  }

  /// Number of characters that stand for themselves: the more, the more specific is a pattern.
  public static int literals(String glob) {
    return Math.toIntExact(glob.chars().filter(c -> c != '*' && c != '?').count());
  }

  /// Backtracks to the last star only, so the cost is at most the product of the two lengths.
  public static boolean matches(String glob, String type) {
    int at = 0;
    int starAt = -1; // after the last star in the glob
    int starType = 0; // end of the text that this star has matched
    int globAt = 0;
    while (at < type.length()) {
      if (globAt < glob.length() && glob.charAt(globAt) == '*') {
        starAt = ++globAt;
        starType = at;
      } else if (globAt < glob.length()
          && (glob.charAt(globAt) == '?' || glob.charAt(globAt) == type.charAt(at))) {
        globAt++;
        at++;
      } else if (starAt >= 0) {
        globAt = starAt;
        at = ++starType;
      } else {
        return false;
      }
    }
    while (globAt < glob.length() && glob.charAt(globAt) == '*') {
      globAt++;
    }
    return globAt == glob.length();
  }

  /// True when some text matches both patterns. The cost is the product of the two lengths.
  public static boolean overlap(String one, String other) {
    boolean[] reach = new boolean[other.length() + 1]; // by length of the other's rest
    for (int at = one.length(); at >= 0; at--) {
      boolean[] next = new boolean[other.length() + 1];
      for (int with = other.length(); with >= 0; with--) {
        next[with] = overlap(one, at, other, with, reach, next);
      }
      reach = next;
    }
    return reach[0];
  }

  /// @param below what the rests of `one` after the next character share with those of `other`
  /// @param same what the rest of `one` shares with shorter rests of `other`
  private static boolean overlap(
      String one, int at, String other, int with, boolean[] below, boolean[] same) {
    boolean oneEnds = at == one.length();
    boolean otherEnds = with == other.length();
    if (oneEnds && otherEnds) {
      return true;
    }
    boolean oneStar = !oneEnds && one.charAt(at) == '*';
    boolean otherStar = !otherEnds && other.charAt(with) == '*';
    if (oneStar && (below[with] || (!otherEnds && same[with + 1]))) {
      return true;
    }
    if (otherStar && (same[with + 1] || (!oneEnds && below[with]))) {
      return true;
    }
    return !oneEnds
        && !otherEnds
        && !oneStar
        && !otherStar
        && (one.charAt(at) == '?'
            || other.charAt(with) == '?'
            || one.charAt(at) == other.charAt(with))
        && below[with + 1];
  }
}
