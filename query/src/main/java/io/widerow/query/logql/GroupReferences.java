package io.widerow.query.logql;

import com.google.re2j.Matcher;
import java.util.function.LongConsumer;

/// Replacement texts with references to groups, as Go reads them: `$1`, `${1}`, `$name`, `$$`. A
/// name is as long as possible; a group that is not there is empty.
public final class GroupReferences {
  private GroupReferences() {}

  /// @param count receives the length of the text before it is made; it may refuse by throwing
  public static String expand(String replacement, Matcher found, LongConsumer count) {
    CountedText made = new CountedText(count);
    expand(replacement, found, made);
    return made.toString();
  }

  static void expand(String replacement, Matcher found, CountedText made) {
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
        append(replacement.substring(start, end), found, made);
        at = braced ? end + 1 : end;
      }
    }
    made.append(replacement, at, replacement.length());
  }

  private static boolean isName(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  private static void append(String name, Matcher found, CountedText made) {
    int number = 0;
    if (name.matches("\\d{1,4}")) {
      number = Integer.parseInt(name);
    } else {
      number = found.pattern().namedGroups().getOrDefault(name, Integer.MAX_VALUE);
    }
    if (number <= found.groupCount() && found.start(number) >= 0) {
      made.count(found.end(number) - found.start(number));
      made.append(found.group(number));
    }
  }
}
