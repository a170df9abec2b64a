package io.widerow.query.logql;

/// Names of labels. They have letters, digits and underscores only; other characters of an
/// attribute's name show as underscores. Names of metrics may have colons, too.
public final class LogqlNames {
  /// The label that names an error of a stage.
  public static final String ERROR = "__error__";

  /// The label that explains it.
  public static final String ERROR_DETAILS = "__error_details__";

  private LogqlNames() {}

  /// The label for the name of an attribute, or of a parsed key.
  public static String shown(String name) {
    return isLabel(name) ? name : shown(name, '_');
  }

  /// The metric name for a type.
  public static String metric(String type) {
    return isLabel(type) ? type : shown(type, ':');
  }

  private static String shown(String name, char other) {
    StringBuilder shown = new StringBuilder(name.length() + 1);
    if (!name.isEmpty() && name.charAt(0) >= '0' && name.charAt(0) <= '9') {
      shown.append('_');
    }
    for (int i = 0; i < name.length(); ) {
      int c = name.codePointAt(i);
      shown.append(isPart(c) || c == other ? (char) c : '_');
      i += Character.charCount(c);
    }
    return shown.toString();
  }

  /// True for the name of a label.
  public static boolean isLabel(String name) {
    if (name.isEmpty() || (name.charAt(0) >= '0' && name.charAt(0) <= '9')) {
      return false;
    }
    return name.chars().allMatch(LogqlNames::isPart);
  }

  private static boolean isPart(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
}
