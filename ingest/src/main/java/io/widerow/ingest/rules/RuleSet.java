package io.widerow.ingest.rules;

import java.util.List;

/// The rules of one version of a file, in their order.
///
/// - Threads: any; immutable.
public final class RuleSet {
  private final List<Rule> rules;
  private final byte[] key;

  /// @param key of digests; empty when there is none
  RuleSet(List<Rule> rules, byte[] key) {
    this.rules = List.copyOf(rules);
    this.key = key.clone();
  }

  /// Reads the text of a rule file.
  ///
  /// @param nowNanos the time now, nanoseconds since the Unix epoch, for filters such as `ts > 15m`
  /// @throws RuleMistake with the first line that is no rule
  public static RuleSet parse(String text, long nowNanos) throws RuleMistake {
    return RuleParser.parse(text, nowNanos);
  }

  List<Rule> rules() {
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
