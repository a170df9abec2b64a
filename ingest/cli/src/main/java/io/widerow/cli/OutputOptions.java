package io.widerow.cli;

import io.widerow.event.AttributeName;
import io.widerow.query.QueryException;
import io.widerow.query.aggregation.StatsStream;
import io.widerow.query.aggregation.StatsWriter;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputFormat;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The output options that `query` and `tail` share.
final class OutputOptions {
  @Option(
      names = "--output",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}. Default: table on a terminal, else json.")
  private @Nullable OutputFormat output;

  @Option(
      names = "--csv-safe",
      description = "CSV for spreadsheets: a quote before values that would run as a formula.")
  private boolean csvSafe;

  @Option(
      names = "--token",
      description = "Print the token at the end of standard output, not on stderr.")
  private boolean token;

  @Option(
      names = "--tz",
      paramLabel = "ZONE",
      description = "Zone of times shown and given, such as Europe/Berlin. Default: UTC.")
  private @Nullable String zone;

  @Option(names = "--utc", description = "Times in UTC (default).")
  private boolean utc;

  /// The zone of the times that are shown, and of those given without a zone.
  ZoneId zone() {
    if (zone == null || utc) {
      return ZoneOffset.UTC;
    }
    try {
      return ZoneId.of(zone);
    } catch (DateTimeException unknown) {
      throw new QueryException.Refused("tz", "no such time zone: " + zone);
    }
  }

  /// Whether the token goes to standard output.
  boolean token() {
    return token;
  }

  /// Whether a format is asked for.
  boolean isGiven() {
    return output != null || csvSafe || token;
  }

  OutputFormat format(Shell shell) {
    if (csvSafe && output != null && output != OutputFormat.csv) {
      throw new QueryException.Refused("csv-safe", "not with --output " + output);
    }
    return csvSafe ? OutputFormat.csv : shell.format(output);
  }

  /// The writer of events. Its output is events alone, or with `--token` ends with a token.
  EventWriter writer(Shell shell, @Nullable List<AttributeName> fields) {
    OutputFormat format = format(shell);
    return new EventOutput(shell.writer(format, csvSafe, zone(), fields), token, format);
  }

  /// The writer of aggregates that come bit by bit.
  ///
  /// @param heads names of the columns; the last one is that of a flag
  StatsStream statsStream(Shell shell, List<String> heads) {
    return new StatsStream(format(shell), csvSafe, heads);
  }

  /// The writer of aggregates.
  StatsWriter statsWriter(Shell shell) {
    return new StatsWriter(format(shell), csvSafe);
  }
}
