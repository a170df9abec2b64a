package io.widerow.cli.ship;

import java.util.Map;
import java.util.SortedMap;

/// A line of a Loki.
///
/// @param nanos its time, nanoseconds since the Unix epoch
/// @param labels of its stream
/// @param metadata its structured metadata
record LokiLine(
    long nanos, SortedMap<String, String> labels, String line, Map<String, String> metadata) {
  /// Approximate bytes in a push.
  long bytes() {
    long bytes = 32L + line.length();
    for (Map.Entry<String, String> each : metadata.entrySet()) {
      bytes += 6 + each.getKey().length() + each.getValue().length();
    }
    return bytes;
  }
}
