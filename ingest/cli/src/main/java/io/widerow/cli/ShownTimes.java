package io.widerow.cli;

import io.widerow.query.TimeText;
import java.time.Instant;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Turns the times of a query that name no zone into instants. The daemon that is asked knows
/// neither the zone of the user nor the date there.
public final class ShownTimes {
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final List<String> TIMES = List.of("from", "to", "since");

  private ShownTimes() {}

  /// The current time in nanoseconds since the Unix epoch.
  public static long nowNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * SECOND_NANOS + now.getNano();
  }

  /// A copy of the parameters. Relative times, such as `15m`, stay for the clock of the daemon.
  static Map<String, List<String>> resolve(
      Map<String, List<String>> given, long nowNanos, ZoneId zone) {
    Map<String, List<String>> resolved = new LinkedHashMap<>(given);
    for (String name : TIMES) {
      resolved.computeIfPresent(
          name,
          (_, texts) -> texts.stream().map(text -> text(name, text, nowNanos, zone)).toList());
    }
    return resolved;
  }

  private static String text(String name, String text, long nowNanos, ZoneId zone) {
    return TimeText.isLocal(text)
        ? Instant.EPOCH.plusNanos(TimeText.parse(name, text, nowNanos, zone)).toString()
        : text;
  }
}
