package io.widerow.query.result;

import io.widerow.query.RangeReader;
import io.widerow.query.output.OutputBuffer;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The share of a result that came from aggregates whose events are gone, as in the header
/// `widerow-kept`: `minutes=43200 missing=12`.
///
/// @param minutes minutes of types that came from such aggregates
/// @param missing minutes of types whose stored aggregates cannot serve the query
public record AggregateCoverage(long minutes, long missing) {
  private static final Pattern TEXT = Pattern.compile("minutes=(\\d{1,18}) missing=(\\d{1,18})");
  private static final AggregateCoverage NONE = new AggregateCoverage(0, 0);

  /// The coverage of a reader so far.
  public static AggregateCoverage of(RangeReader reader) {
    return new AggregateCoverage(reader.keptMinutes(), reader.missingMinutes());
  }

  /// Parses the header; zero minutes when the daemon sent none.
  public static AggregateCoverage parse(@Nullable String header) {
    Matcher text = TEXT.matcher(header == null ? "" : header);
    return text.matches()
        ? new AggregateCoverage(Long.parseLong(text.group(1)), Long.parseLong(text.group(2)))
        : NONE;
  }

  /// True when all events that aggregates count still exist.
  public boolean isNone() {
    return minutes == 0 && missing == 0;
  }

  /// The value of the header.
  public String header() {
    return "minutes=%d missing=%d".formatted(minutes, missing);
  }

  /// Writes the same as a line of JSON, for a result whose headers are sent first; nothing when no
  /// event is gone.
  public void putLine(OutputBuffer out) {
    if (!isNone()) {
      out.put("{\"kept\":{\"minutes\":%d,\"missing\":%d}}%n".formatted(minutes, missing));
    }
  }

  /// For people, a line each.
  public List<String> sentences() {
    return minutes == 0
        ? List.of()
        : List.of(
            String.format(
                Locale.ROOT, "kept aggregates: %,d minutes whose events are gone", minutes));
  }

  /// A sentence about the missing minutes of the result.
  public String lack() {
    return String.format(
        Locale.ROOT,
        "without %,d minutes: their events are gone, and no stored aggregate serves this query",
        missing);
  }
}
