package io.widerow.ingest.transform;

/// A line of a rule file that is no rule. The message has the line and the reason; it shows no text
/// of a key.
public final class TransformMistake extends Exception {
  private static final long serialVersionUID = 1L;

  TransformMistake(int line, String why) {
    super("line %d: %s".formatted(line, why));
  }
}
