package io.widerow.query;

import java.util.List;
import java.util.function.Predicate;

/// Which types a query is about: names in which `*` stands for any text and `?` for one character.
/// No name at all means every type.
///
/// @param globs the names
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

  /// Goes back to the last star only, so the cost is at most glob times type.
  private static boolean matches(String glob, String type) {
    int at = 0;
    int starAt = -1; // behind the last star in the glob
    int starType = 0; // what that star has taken ends here
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
