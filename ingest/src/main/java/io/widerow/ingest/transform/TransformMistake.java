package io.widerow.ingest.transform;

/// An invalid line of a file of transforms. The message has the line and the reason; it shows no
/// text of a key.
public final class TransformMistake extends Exception {
  private static final long serialVersionUID = 1L;

  TransformMistake(int line, String why) {
    super("line %d: %s".formatted(line, why));
  }
}
