package io.widerow.query;

import java.util.List;
import java.util.function.Predicate;

/// The types that a query selects, as glob patterns: `*` stands for any text and `?` for one
/// character. An empty list selects every type.
///
/// @param globs the patterns
public record TypeGlobs(List<String> globs) implements Predicate<String> {
  public static final TypeGlobs ALL = new TypeGlobs(List.of());

  public TypeGlobs {
    globs = List.copyOf(globs);
  }

  @Override
  public boolean test(String type) {
    if (globs.isEmpty()) {
      return true;
    }
    for (String glob : globs) {
      if (matches(glob, type)) {
        return true;
      }
    }
    return false;
  }

  /// Backtracks to the last star only, so the cost is at most the product of the two lengths.
  private static boolean matches(String glob, String type) {
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
}
