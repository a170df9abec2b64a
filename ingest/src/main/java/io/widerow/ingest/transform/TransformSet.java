package io.widerow.ingest.transform;

import java.util.List;

/// The transforms of one version of a file, in order.
///
/// - Threads: any; immutable.
public final class TransformSet {
  private final List<Transform> rules;
  private final byte[] key;

  /// @param key of digests; empty when there is none
  TransformSet(List<Transform> rules, byte[] key) {
    this.rules = List.copyOf(rules);
    this.key = key.clone();
  }

  /// Reads the text of a rule file.
  ///
  /// @param nowNanos the time now, nanoseconds since the Unix epoch, for filters such as `ts > 15m`
  /// @throws TransformMistake with the first line that is no rule
  public static TransformSet parse(String text, long nowNanos) throws TransformMistake {
    return TransformParser.parse(text, nowNanos);
  }

  List<Transform> rules() {
    return rules;
  }

  /// The number of rules.
  public int size() {
    return rules.size();
  }

  /// True when it holds a key, so that others must not be able to read its file.
  public boolean hasKey() {
    return key.length > 0;
  }

  byte[] key() {
    return key.clone();
  }
}
