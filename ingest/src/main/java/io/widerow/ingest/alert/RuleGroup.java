package io.widerow.ingest.alert;

import io.widerow.ingest.decode.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Rules that are evaluated one after the other, each with the results of those before it.
///
/// @param file in which it is
/// @param intervalMillis between two evaluations
/// @param phaseMillis of an evaluation within the interval
/// @param offsetMillis how far before its time an evaluation reads
/// @param lagMillis how long after its time it is made
/// @param limit of series of a recording rule, and of alerts of an alert rule; 0 for none
/// @param hash of the file
public record RuleGroup(
    String file,
    String name,
    long intervalMillis,
    long phaseMillis,
    long offsetMillis,
    long lagMillis,
    int limit,
    String hash,
    List<Rule> rules) {
  public RuleGroup {
    rules = List.copyOf(rules);
  }

  /// The same in another file.
  RuleGroup inFile(String other) {
    return new RuleGroup(
        other, name, intervalMillis, phaseMillis, offsetMillis, lagMillis, limit, hash, rules);
  }

  /// The phase of a group of this name: not all groups are evaluated at once.
  static long phase(String name, long intervalMillis) {
    byte[] digest = Sha256.start().digest(name.getBytes(StandardCharsets.UTF_8));
    return Math.floorMod(ByteBuffer.wrap(digest).getLong(), intervalMillis);
  }

  /// The number of its rules.
  public int count() {
    return rules.size();
  }

  /// Identifies it among all groups.
  public String key() {
    return file + ";" + name;
  }

  /// The last time of an evaluation up to a time, both in milliseconds since the Unix epoch.
  long last(long millis) {
    return millis - Math.floorMod(millis - phaseMillis, intervalMillis);
  }

  /// True for a group that is evaluated at the same times.
  boolean hasTimesOf(RuleGroup other) {
    return intervalMillis == other.intervalMillis && phaseMillis == other.phaseMillis;
  }
}
