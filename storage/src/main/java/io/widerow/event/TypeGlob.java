package io.widerow.event;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;

/// Glob patterns of types: `*` stands for any text and `?` for one character; `\*` and `\?` stand
/// for these signs themselves, and any other `\` for itself. A pattern without `*` and `?` is the
/// exact name of one type.
public final class TypeGlob {
  /// An exact name before a pattern, more literal characters before fewer.
  public static final Comparator<String> SPECIFIC_FIRST =
      Comparator.<String, Boolean>comparing(glob -> !isExact(glob))
          .thenComparingInt(glob -> -literals(glob));

  private static final int ANY_TEXT = -1;
  private static final int ANY_SIGN = -2;

  private TypeGlob() {}

  /// The pattern that matches one type.
  public static String of(String type) {
    return isExact(type) ? type : type.replace("*", "\\*").replace("?", "\\?");
  }

  /// True when a pattern is the exact name of one type, with no sign that stands for others.
  public static boolean isExact(String glob) {
    return glob.indexOf('*') < 0 && glob.indexOf('?') < 0;
  }

  /// Number of characters that stand for themselves: the more, the more specific is a pattern.
  public static int literals(String glob) {
    int literals = 0;
    for (int at = 0; at < glob.length(); at += width(glob, at)) {
      literals += sign(glob, at) >= 0 ? 1 : 0;
    }
    return literals;
  }

  /// @throws IllegalArgumentException when a pattern is longer than the name of a type can be
  static void requireLength(String glob) {
    if (!Utf8.isEncodable(glob)
        || glob.isEmpty()
        || glob.getBytes(StandardCharsets.UTF_8).length > EventLayout.TYPE_BYTES_MAX) {
      throw new IllegalArgumentException(
          "type: a name or a pattern has 1 to 128 bytes of UTF-8, got '" + glob + "'");
    }
  }

  /// @throws IllegalArgumentException when a pattern other than `*` matches none of the types
  public static void requireMatch(String glob, Collection<String> types) {
    if (!isExact(glob)
        && !glob.chars().allMatch(c -> c == '*')
        && types.stream().noneMatch(type -> matches(glob, type))) {
      throw new IllegalArgumentException("type: no type matches '%s'".formatted(glob));
    }
  }

  private static boolean isEscape(String glob, int at) {
    return glob.charAt(at) == '\\'
        && at + 1 < glob.length()
        && (glob.charAt(at + 1) == '*' || glob.charAt(at + 1) == '?');
  }

  private static int width(String glob, int at) {
    return isEscape(glob, at) ? 2 : 1;
  }

  /// A character, [#ANY_TEXT] or [#ANY_SIGN].
  private static int sign(String glob, int at) {
    if (isEscape(glob, at)) {
      return glob.charAt(at + 1);
    }
    char sign = glob.charAt(at);
    return sign == '*' ? ANY_TEXT : sign == '?' ? ANY_SIGN : sign;
  }

  /// Backtracks to the last star only, so the cost is at most the product of the two lengths.
  public static boolean matches(String glob, String type) {
    int at = 0;
    int starAt = -1; // after the last star in the glob
    int starType = 0; // end of the text that this star has matched
    int globAt = 0;
    while (at < type.length()) {
      int sign = globAt < glob.length() ? sign(glob, globAt) : 0;
      if (globAt < glob.length() && sign == ANY_TEXT) {
        starAt = ++globAt;
        starType = at;
      } else if (globAt < glob.length() && (sign == ANY_SIGN || sign == type.charAt(at))) {
        globAt += width(glob, globAt);
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

  private static int[] signs(String glob) {
    int[] signs = new int[glob.length()];
    int count = 0;
    for (int at = 0; at < glob.length(); at += width(glob, at)) {
      signs[count++] = sign(glob, at);
    }
    return Arrays.copyOf(signs, count);
  }

  /// True when some text matches both patterns. The cost is the product of the two lengths.
  public static boolean overlap(String one, String other) {
    int[] first = signs(one);
    int[] second = signs(other);
    boolean[] reach = new boolean[second.length + 1]; // by length of the other's rest
    for (int at = first.length; at >= 0; at--) {
      boolean[] next = new boolean[second.length + 1];
      for (int with = second.length; with >= 0; with--) {
        next[with] = overlap(first, at, second, with, reach, next);
      }
      reach = next;
    }
    return reach[0];
  }

  /// @param below what the rests of `one` after the next character share with those of `other`
  /// @param same what the rest of `one` shares with shorter rests of `other`
  private static boolean overlap(
      int[] one, int at, int[] other, int with, boolean[] below, boolean[] same) {
    boolean oneEnds = at == one.length;
    boolean otherEnds = with == other.length;
    if (oneEnds && otherEnds) {
      return true;
    }
    boolean oneStar = !oneEnds && one[at] == ANY_TEXT;
    boolean otherStar = !otherEnds && other[with] == ANY_TEXT;
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
        && (one[at] == ANY_SIGN || other[with] == ANY_SIGN || one[at] == other[with])
        && below[with + 1];
  }
}
