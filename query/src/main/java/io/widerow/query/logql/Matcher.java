package io.widerow.query.logql;

import com.google.re2j.Pattern;
import org.jspecify.annotations.Nullable;

/// A test of the text of one label: `app="x"`, `level!~"debug|trace"`. A label that is not there
/// has the text `""`.
///
/// @param name the label
/// @param kind how it is compared
/// @param text the text to compare with
/// @param regex the compiled text, which must match the whole label; null unless the kind needs it
public record Matcher(String name, Kind kind, String text, @Nullable Pattern regex) {
  /// The comparisons of a matcher.
  public enum Kind {
    EQUAL("="),
    NOT_EQUAL("!="),
    MATCHES("=~"),
    NOT_MATCHES("!~");

    /// As it is written.
    public final String sign;

    Kind(String sign) {
      this.sign = sign;
    }

    /// True when the test holds for labels that the opposite test refuses.
    public boolean isNegative() {
      return this == NOT_EQUAL || this == NOT_MATCHES;
    }
  }

  /// True when a label with this text passes.
  public boolean test(CharSequence value) {
    Pattern expression = regex;
    boolean same =
        expression == null ? text.contentEquals(value) : expression.matcher(value).matches();
    return same != kind.isNegative();
  }
}
