package io.widerow.query.result;

import io.widerow.query.RangeReader;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The share of a result that came from rollups, as in the header `widerow-rollup`:
///
/// ```
///   cells=1440 events=812                                  counts by minute, which all types have
///   cells=1440 events=812 minutes=2 rollup=http-status     a rollup that is defined
/// ```
///
/// @param cells minutes of types (steps of a rollup) whose events were counted from cells
/// @param events events that were looked at
/// @param minutes minutes of types in which events were read; negative when it is unknown
/// @param rollups names of rollups, with commas; `count` for the counts by minute
public record RollupUse(long cells, long events, long minutes, String rollups) {
  private static final String COUNT = "count";
  private static final Pattern TEXT =
      Pattern.compile(
          "cells=(\\d{1,18}) events=(\\d{1,18})(?: minutes=(\\d{1,18}) rollup=(\\S+))?");

  /// The use of rollups by a reader so far; null when no rollup was used.
  ///
  /// @param asked the parameters of the query
  public static @Nullable RollupUse of(RangeReader reader, QueryParameters asked) {
    boolean counts = asked.asksForCells();
    if (!counts && reader.rollups().isEmpty()) {
      return null;
    }
    return new RollupUse(
        reader.cells(),
        reader.eventsScanned(),
        reader.minutesFromEvents(),
        counts ? COUNT : String.join(",", reader.rollups()));
  }

  /// Null when a daemon does not report it.
  public static @Nullable RollupUse parse(@Nullable String header) {
    Matcher text = TEXT.matcher(header == null ? "" : header);
    if (!text.matches()) {
      return null;
    }
    boolean defined = text.group(4) != null;
    return new RollupUse(
        Long.parseLong(text.group(1)),
        Long.parseLong(text.group(2)),
        defined ? Long.parseLong(text.group(3)) : -1,
        defined ? text.group(4) : COUNT);
  }

  /// The value of the header.
  public String header() {
    String counts = "cells=%d events=%d".formatted(cells, events);
    return rollups.equals(COUNT)
        ? counts
        : counts + " minutes=%d rollup=%s".formatted(minutes, rollups);
  }

  /// For people.
  public String sentence() {
    return minutes < 0
        ? String.format(Locale.ROOT, "rollup %s: %,d cells, %,d events", rollups, cells, events)
        : String.format(
            Locale.ROOT, "rollup %s: %,d cells, %,d minutes from events", rollups, cells, minutes);
  }
}
