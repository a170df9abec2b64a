package io.widerow.cli.remote;

import io.widerow.cli.DaemonOptions;
import io.widerow.cli.Shell;
import io.widerow.query.QueryException;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.StatsWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.remote.DaemonAddress;
import io.widerow.query.remote.RemoteRows;
import io.widerow.query.remote.RemoteSurvey;
import io.widerow.storage.FailureReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// The daemon and the output format: the options that all these commands share.
final class RemoteOptions {
  @Option(
      names = "--output",
      paramLabel = "FORMAT",
      description = "table (default on a terminal), json (default in a pipe) or csv.")
  @Nullable OutputFormat output;

  @Mixin DaemonOptions daemon = new DaemonOptions();

  DaemonAddress address(Shell shell) {
    return daemon.address(shell);
  }

  OutputFormat format(Shell shell) {
    return shell.format(output);
  }

  /// The text of a file that is sent.
  ///
  /// @param option that names the file
  /// @throws QueryException.Refused when it cannot be read
  static String text(String option, Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new QueryException.Refused(
          option, "cannot read %s: %s".formatted(file, FailureReason.of(unreadable)));
    }
  }

  /// Writes rows in the format that was asked for.
  void show(Shell shell, RemoteRows table) {
    OutputBuffer out = new OutputBuffer(1 << 12);
    new StatsWriter(format(shell)).write(table.heads(), table.rows(), out);
    shell.write(out);
  }

  /// Writes what a daemon found in a range, in the format that was asked for: as JSON its lines as
  /// they came.
  ///
  /// @param csvHeads members that CSV shows; `heads` are those of a table
  void show(Shell shell, RemoteSurvey survey, List<String> heads, List<String> csvHeads) {
    OutputBuffer out = new OutputBuffer(1 << 12);
    switch (format(shell)) {
      case json -> survey.lines().forEach(line -> out.put(line + "\n"));
      case csv -> new StatsWriter(OutputFormat.csv).write(csvHeads, rows(survey, csvHeads), out);
      case table, raw, logfmt ->
          new StatsWriter(OutputFormat.table).write(heads, rows(survey, heads), out);
    }
    shell.write(out);
  }

  private static List<List<Cell>> rows(RemoteSurvey survey, List<String> heads) {
    return survey.rows().stream()
        .filter(row -> heads.stream().anyMatch(row::containsKey)) // others: of a newer daemon
        .map(row -> heads.stream().map(head -> row.getOrDefault(head, Cell.MISSING)).toList())
        .toList();
  }
}
