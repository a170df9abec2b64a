package io.widerow.ingest.transform;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The transforms of one version of a file, in order.
///
/// - Threads: any; immutable.
public final class TransformSet {
  private final List<Transform> rules;
  private final byte[] key;
  private final Map<Path, LookupTable> tables;

  /// @param key of digests; empty when there is none
  /// @param tables that its rules look up, by file
  TransformSet(List<Transform> rules, byte[] key, Map<Path, LookupTable> tables) {
    this.rules = List.copyOf(rules);
    this.key = key.clone();
    this.tables = Collections.unmodifiableMap(new LinkedHashMap<>(tables));
  }

  /// Reads the text of a rule file, which looks up no tables.
  ///
  /// @param nowNanos the time now, nanoseconds since the Unix epoch, for filters such as `ts > 15m`
  /// @throws TransformMistake with the first line that is no rule
  public static TransformSet parse(String text, long nowNanos) throws TransformMistake {
    return TransformParser.parse(text, nowNanos, null);
  }

  /// Reads the text of a rule file.
  ///
  /// @param directory of the tables that it looks up
  static TransformSet parse(String text, long nowNanos, Path directory) throws TransformMistake {
    return TransformParser.parse(text, nowNanos, directory);
  }

  /// Tables that the rules look up, by file.
  Map<Path, LookupTable> tables() {
    return tables;
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
