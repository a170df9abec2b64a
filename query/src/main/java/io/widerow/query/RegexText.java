package io.widerow.query;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import io.widerow.event.Text;
import io.widerow.storage.Filter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// An RE2 regular expression that a string must match. The store searches the UTF-8 of strings, in
/// time linear in their length. Two are equal when their expressions are.
///
/// @param regex the compiled expression
/// @param whole true when the whole string must match, false when any part of it may
public record RegexText(Pattern regex, boolean whole) implements Filter.TextTest {
  private static final String PLAIN = " _/,:;@%&=<>'\"-";
  private static final String ESCAPES = "dDsSwWbBAznrtfva"; // one character of a class, or none
  private static final String ANY = ".*";
  private static final int REQUIRED_BYTES_MIN = 2;

  /// A test of the whole string. `.*x.*`, in which a dot is any character, finds `x` in any part.
  public static RegexText whole(Pattern regex) {
    String inner = inner(regex);
    return inner.isEmpty()
        ? new RegexText(regex, true)
        : new RegexText(Pattern.compile(inner, regex.flags()), false);
  }

  /// The expression between `.*` and `.*`; empty when it has another form.
  private static String inner(Pattern regex) {
    String text = regex.pattern();
    int end = text.length() - ANY.length();
    if (regex.flags() != Pattern.DOTALL
        || end <= ANY.length()
        || !text.startsWith(ANY)
        || !text.endsWith(ANY)
        || text.charAt(end - 1) == '\\'
        || text.contains("\\Q")
        || text.replace("(?:", "").contains("(?")) { // flags, for all that follows
      return "";
    }
    String inner = text.substring(ANY.length(), end);
    boolean repeats = "?+*{".indexOf(inner.charAt(0)) >= 0;
    return repeats || hasAlternatives(inner) ? "" : inner;
  }

  /// True when an expression has alternatives outside of groups, or a form that is not looked into.
  private static boolean hasAlternatives(String regex) {
    int at = 0;
    while (at >= 0 && at < regex.length()) {
      switch (regex.charAt(at)) {
        case '|' -> {
          return true;
        }
        case '\\' -> at += 2;
        case '(' -> at = endOfGroup(regex, at);
        case '[' -> at = endOfClass(regex, at);
        default -> at++;
      }
    }
    return at < 0;
  }

  /// A test of any part of the string.
  public static RegexText part(Pattern regex) {
    return new RegexText(regex, false);
  }

  /// True when an expression has no special characters, so that it matches itself.
  public static boolean isPlain(String regex) {
    return regex.chars().allMatch(c -> Character.isLetterOrDigit(c) || PLAIN.indexOf(c) >= 0);
  }

  @Override
  public boolean keeps(MemorySegment memory, long offset, int length) {
    byte[] utf8 = bytes(memory, offset, length);
    Matcher matcher =
        hasAnchors() && !isAscii(utf8)
            ? regex.matcher(new String(utf8, StandardCharsets.UTF_8))
            : regex.matcher(utf8);
    return whole ? matcher.matches() : matcher.find();
  }

  /// In UTF-8, RE2/J takes the place next to a character of several bytes for an end of the text.
  private boolean hasAnchors() {
    String text = regex.pattern();
    return text.indexOf('^') >= 0
        || text.indexOf('$') >= 0
        || text.contains("\\A")
        || text.contains("\\z");
  }

  private static boolean isAscii(byte[] utf8) {
    for (byte one : utf8) {
      if (one < 0) {
        return false;
      }
    }
    return true;
  }

  /// The longest text that the expression has outside of groups and classes. An expression with
  /// alternatives has none, nor one with flags other than for the dot.
  @Override
  public @Nullable Text required() {
    boolean flagged = (regex.flags() & ~Pattern.DOTALL) != 0;
    boolean simple = !flagged && !regex.pattern().contains("\\Q"); // no quotation
    String longest = simple ? longest(regex.pattern()) : "";
    Text text = Text.of(longest);
    return text.length() < REQUIRED_BYTES_MIN ? null : text;
  }

  private static String longest(String regex) {
    String longest = "";
    StringBuilder run = new StringBuilder();
    int at = 0;
    while (at < regex.length()) {
      int c = regex.codePointAt(at);
      int end = at + Character.charCount(c);
      int literal = -1;
      switch (c) {
        case '|' -> {
          return "";
        }
        case '(' -> {
          if (regex.startsWith("(?", at) && !regex.startsWith("(?:", at)) {
            return ""; // flags, for all that follows
          }
          end = endOfGroup(regex, at);
        }
        case '[' -> end = endOfClass(regex, at);
        case '.', '^', '$' -> {}
        case '\\' -> {
          int escaped = end < regex.length() ? regex.codePointAt(end) : -1;
          boolean other = Character.isLetterOrDigit(escaped) && ESCAPES.indexOf(escaped) < 0;
          if (escaped < 0 || other) {
            return ""; // a class by name, or a character by number
          }
          end += Character.charCount(escaped);
          literal = Character.isLetterOrDigit(escaped) ? -1 : escaped;
        }
        default -> literal = c;
      }
      if (end < 0) {
        return "";
      }
      char next = end < regex.length() ? regex.charAt(end) : ' ';
      boolean optional = next == '*' || next == '?' || next == '{';
      if (literal >= 0 && !optional) {
        run.appendCodePoint(literal);
      }
      if (literal < 0 || optional || next == '+') {
        longest = run.length() > longest.length() ? run.toString() : longest;
        run.setLength(0);
      }
      at = optional || next == '+' ? endOfRepetition(regex, end) : end;
    }
    return run.length() > longest.length() ? run.toString() : longest;
  }

  /// The end of a repetition, with the mark that makes it lazy.
  private static int endOfRepetition(String regex, int from) {
    int end = regex.charAt(from) == '{' ? regex.indexOf('}', from) + 1 : from + 1;
    if (end == 0) {
      return regex.length(); // not a repetition: what follows is not looked at
    }
    return end < regex.length() && regex.charAt(end) == '?' ? end + 1 : end;
  }

  /// The end of a group; negative when there is none.
  private static int endOfGroup(String regex, int from) {
    int depth = 0;
    for (int at = from; at < regex.length(); at++) {
      switch (regex.charAt(at)) {
        case '\\' -> at++;
        case '[' -> {
          int end = endOfClass(regex, at);
          if (end < 0) {
            return -1;
          }
          at = end - 1;
        }
        case '(' -> depth++;
        case ')' -> {
          if (--depth == 0) {
            return at + 1;
          }
        }
        default -> {}
      }
    }
    return -1;
  }

  /// The end of a class of characters; negative when it has another class in it.
  private static int endOfClass(String regex, int from) {
    int at = from + 1;
    if (at < regex.length() && regex.charAt(at) == '^') {
      at++;
    }
    if (at < regex.length() && regex.charAt(at) == ']') {
      at++; // the first one is a character of the class
    }
    for (; at < regex.length(); at++) {
      switch (regex.charAt(at)) {
        case '\\' -> at++;
        case '[' -> {
          if (regex.startsWith("[:", at)) {
            return -1;
          }
        }
        case ']' -> {
          return at + 1;
        }
        default -> {}
      }
    }
    return -1;
  }

  /// A copy of a text.
  public static byte[] bytes(MemorySegment memory, long offset, int length) {
    byte[] utf8 = new byte[length];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, utf8, 0, length);
    return utf8;
  }
}
