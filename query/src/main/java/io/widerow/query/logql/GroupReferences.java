package io.widerow.query.logql;

import com.google.re2j.Matcher;

/// Replacement texts with references to groups, as Go reads them: `$1`, `${1}`, `$name`, `$$`. A
/// name is as long as possible; a group that is not there is empty.
public final class GroupReferences {
  private GroupReferences() {}

  public static String expand(String replacement, Matcher found) {
    StringBuilder made = new StringBuilder();
    int at = 0;
    while (at < replacement.length()) {
      int dollar = replacement.indexOf('$', at);
      if (dollar < 0 || dollar + 1 == replacement.length()) {
        break;
      }
      made.append(replacement, at, dollar);
      at = dollar + 1;
      boolean braced = replacement.charAt(at) == '{';
      int start = braced ? at + 1 : at;
      int end = start;
      while (end < replacement.length() && isName(replacement.charAt(end))) {
        end++;
      }
      boolean closed = !braced || (end < replacement.length() && replacement.charAt(end) == '}');
      if (replacement.charAt(at) == '$') {
        made.append('$');
        at++;
      } else if (end == start || !closed) {
        made.append('$'); // no reference
      } else {
        made.append(group(replacement.substring(start, end), found));
        at = braced ? end + 1 : end;
      }
    }
    return made.append(replacement, at, replacement.length()).toString();
  }

  private static boolean isName(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  private static String group(String name, Matcher found) {
    String value = null;
    if (name.matches("\\d{1,4}")) {
      int number = Integer.parseInt(name);
      value = number <= found.groupCount() ? found.group(number) : null;
    } else if (found.pattern().namedGroups().containsKey(name)) {
      value = found.group(name);
    }
    return value == null ? "" : value;
  }
}
