package io.widerow.query;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// Limits the regular expressions of one query, all together, before they are compiled. RE2/J
/// copies a run of plain characters for each character that it adds, so the memory for compiling
/// grows with the square of the length; and it expands repetitions, so that `(a{1000}){1000}` is a
/// program of a million steps, each of which takes memory and is tried at every character.
///
/// - Threads: one.
public final class RegexBudget {
  /// Most characters of all expressions.
  public static final int CHARS_MAX = 3_000;

  /// Most steps of all expressions.
  public static final int STEPS_MAX = 5_000;

  private static final long MANY = 1L << 40; // stands for all that is more

  private long chars;
  private long steps;

  /// Adds an expression that is about to be compiled.
  ///
  /// @return why it must not be; null when it may
  public @Nullable String exceeded(String regex) {
    chars += regex.length();
    if (chars > CHARS_MAX) {
      return "regular expressions of more than %d characters".formatted(CHARS_MAX);
    }
    steps = Math.min(MANY, steps + steps(regex));
    return steps > STEPS_MAX
        ? "regular expressions of more than %d steps, with repetitions written out"
            .formatted(STEPS_MAX)
        : null;
  }

  /// About how many steps an expression has. One that is not valid has any number.
  static long steps(String regex) {
    Deque<Long> outside = new ArrayDeque<>(); // steps before each open bracket
    long sum = 0;
    long last = 0; // of what a repetition applies to
    for (int at = 0; at < regex.length(); ) {
      int end = at + 1;
      switch (regex.charAt(at)) {
        case '(' -> {
          outside.push(sum);
          sum = 0;
          last = 0;
        }
        case ')' -> {
          last = sum + 2;
          sum = last + (outside.isEmpty() ? 0 : outside.pop());
        }
        case '{' -> {
          int times = times(regex, at);
          end = times < 0 ? end : regex.indexOf('}', at) + 1;
          long repeated = Math.min(MANY, times < 0 ? last + 1 : last * Math.max(1, times) + 1);
          sum = Math.min(MANY, sum - last + repeated);
          last = times < 0 ? 1 : repeated;
        }
        default -> {
          end = endOfOne(regex, at);
          last = 1;
          sum++;
        }
      }
      at = end;
    }
    return outside.stream().reduce(sum, Long::sum);
  }

  /// The maximum number of repetitions of `{n}`, `{n,}` or `{n,m}`; negative when it is plain text.
  private static int times(String regex, int from) {
    int most = 0;
    int number = 0;
    for (int at = from + 1; at < regex.length(); at++) {
      char c = regex.charAt(at);
      if (c >= '0' && c <= '9') {
        number = Math.min(CHARS_MAX, 10 * number + c - '0'); // RE2 has at most 1000
      } else if (c == ',' || (c == '}' && at > from + 1)) {
        most = Math.max(most, number);
        number = 0;
        if (c == '}') {
          return most;
        }
      } else {
        return -1;
      }
    }
    return -1;
  }

  /// Where a character, an escape or a class ends.
  private static int endOfOne(String regex, int from) {
    int end = from + 1;
    char c = regex.charAt(from);
    if (c == '\\' && end < regex.length()) {
      boolean named = "pPx".indexOf(regex.charAt(end)) >= 0 && regex.startsWith("{", end + 1);
      int close = named ? regex.indexOf('}', end) : end;
      return close < 0 ? regex.length() : close + 1;
    }
    if (c != '[') {
      return end;
    }
    end += regex.startsWith("^", end) ? 1 : 0;
    end += regex.startsWith("]", end) ? 1 : 0;
    while (end < regex.length() && regex.charAt(end) != ']') {
      int posix = regex.startsWith("[:", end) ? regex.indexOf(":]", end) : -1;
      end = posix >= 0 ? posix + 2 : end + (regex.charAt(end) == '\\' ? 2 : 1);
    }
    return Math.min(regex.length(), end + 1);
  }
}
