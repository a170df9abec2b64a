package io.widerow.query.filter;

import com.google.re2j.Pattern;
import io.widerow.storage.Filter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Searches the UTF-8 of a string for an RE2 regular expression, in time linear in its length. Two
/// are equal when their expressions are.
///
/// @param pattern the compiled expression
record RegexMatcher(Pattern pattern) implements Filter.TextTest {
  private static final java.util.regex.Pattern PLAIN =
      java.util.regex.Pattern.compile("[A-Za-z0-9 _/,:;@%&=<>'\"-]+");

  /// @throws com.google.re2j.PatternSyntaxException when the expression is invalid
  static RegexMatcher of(String regex) {
    return new RegexMatcher(Pattern.compile(regex));
  }

  /// True when the expression has no special characters, so it matches itself.
  static boolean isPlain(String regex) {
    return PLAIN.matcher(regex).matches();
  }

  @Override
  public boolean keeps(MemorySegment memory, long offset, int length) {
    byte[] utf8 = new byte[length];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, utf8, 0, length);
    return pattern.matcher(utf8).find();
  }
}
