package io.widerow.cql.type;

import java.util.regex.Pattern;

/// Names as statements write them.
public final class Names {
  private static final Pattern PLAIN = Pattern.compile("[a-z][a-z0-9_]*");

  private Names() {}

  /// A name, in quotes where it needs them.
  public static String quoted(String name) {
    return PLAIN.matcher(name).matches() ? name : "\"" + name.replace("\"", "\"\"") + "\"";
  }

  /// A text as a constant.
  public static String constant(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
