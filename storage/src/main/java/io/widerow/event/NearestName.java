package io.widerow.event;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Finds the nearest valid name to a misspelt one.
public final class NearestName {
  private static final int CHARS_MAX = 200;

  private NearestName() {}

  /// The name with the least edit distance (insert, delete, replace, swap of neighbours), whatever
  /// the case; the first of equals. Null when even that one differs in more than a third of the
  /// characters.
  public static @Nullable String of(String misspelt, Collection<String> names) {
    String given = lower(misspelt);
    String nearest = null;
    int least = Integer.MAX_VALUE;
    for (String name : names) {
      String other = lower(name);
      int allowed = Math.max(1, (Math.max(given.length(), other.length()) + 1) / 3);
      if (Math.abs(given.length() - other.length()) > allowed) {
        continue; // the distance is at least this
      }
      int distance = distance(given, other);
      if (distance <= allowed && distance < least) {
        least = distance;
        nearest = name;
      }
    }
    return nearest;
  }

  /// `; did you mean NAME?`, for a message about a name that there is not.
  ///
  /// @param none the text when no name is near
  public static String question(String misspelt, Collection<String> names, String none) {
    String nearest = of(misspelt, names);
    return nearest == null ? none : "; did you mean " + nearest + "?";
  }

  private static String lower(String name) {
    return name.substring(0, Math.min(name.length(), CHARS_MAX)).toLowerCase(Locale.ROOT);
  }

  /// The distance of Damerau and Levenshtein, in the form that edits no part twice.
  private static int distance(String a, String b) {
    int[] before = new int[b.length() + 1];
    int[] last = new int[b.length() + 1];
    int[] now = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      now[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        boolean same = a.charAt(i - 1) == b.charAt(j - 1);
        int replaced = last[j - 1] + (same ? 0 : 1);
        now[j] = Math.min(replaced, 1 + Math.min(last[j], now[j - 1]));
        boolean swapped =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        if (swapped) {
          now[j] = Math.min(now[j], 1 + before[j - 2]);
        }
      }
      int[] free = before;
      before = last;
      last = now;
      now = free;
    }
    return last[b.length()];
  }
}
