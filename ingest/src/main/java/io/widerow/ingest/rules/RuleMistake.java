package io.widerow.ingest.rules;

/// A line of a rule file that is no rule. The message has the line and the reason; it shows no text
/// of a key.
public final class RuleMistake extends Exception {
  private static final long serialVersionUID = 1L;

  RuleMistake(int line, String why) {
    super("line %d: %s".formatted(line, why));
  }
}
