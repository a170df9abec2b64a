package io.widerow.ingest.alert;

/// A rule file that cannot be used; the message has the file, the line and the reason.
public final class RuleMistake extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  RuleMistake(String file, int line, String why) {
    super("%s: line %d: %s".formatted(file, line, why));
  }

  RuleMistake(String file, String why) {
    super(file + ": " + why);
  }
}
