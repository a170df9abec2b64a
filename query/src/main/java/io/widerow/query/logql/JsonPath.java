package io.widerow.query.logql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Paths into JSON: `a.b[0]["c d"]`.
final class JsonPath {
  private static final int STEPS_MAX = 64;

  private JsonPath() {}

  /// The names (text) and indexes (Integer) of a path; null when the text is none.
  static @Nullable List<Object> parse(String text) {
    List<Object> path = new ArrayList<>();
    int at = 0;
    while (at < text.length() && path.size() <= STEPS_MAX) {
      char c = text.charAt(at);
      int end;
      if (c == '[') {
        end = bracket(text, at + 1, path);
      } else {
        int start = c == '.' && at > 0 ? at + 1 : at;
        end = name(text, start);
        if (end > start) {
          path.add(text.substring(start, end));
        } else {
          return null;
        }
      }
      if (end < 0) {
        return null;
      }
      at = end;
    }
    return path.isEmpty() || path.size() > STEPS_MAX ? null : path;
  }

  private static int name(String text, int start) {
    int end = start;
    while (end < text.length() && text.charAt(end) != '.' && text.charAt(end) != '[') {
      end++;
    }
    return end;
  }

  /// Adds the content of brackets. Returns the offset after them; negative when they are invalid.
  private static int bracket(String text, int start, List<Object> path) {
    if (start < text.length() && text.charAt(start) == '"') {
      int end = text.indexOf("\"]", start + 1);
      if (end > start) {
        path.add(text.substring(start + 1, end));
      }
      return end < 0 ? -1 : end + 2;
    }
    int end = text.indexOf(']', start);
    if (end <= start || end - start > 9) {
      return -1;
    }
    for (int i = start; i < end; i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return -1;
      }
    }
    path.add(Integer.valueOf(text.substring(start, end)));
    return end + 1;
  }
}
