package io.widerow.loadgen.report;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.LatencyLog;
import io.widerow.loadgen.run.ProcessReading;
import io.widerow.loadgen.run.RunWatcher;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/// A run's folder below `runs/` and its line in `data/runs.ndjson`.
///
/// The folder has the command, the environment, the report, the response times second by second and
/// the percentiles of the two histograms that this log does not have.
final class RunFolder implements AutoCloseable {
  private final ResultsLayout results;
  private final Path folder;
  private final LatencyLog log;
  private final boolean plots;

  /// @param pid of the target; null when it is not known
  /// @param plots whether pictures are drawn
  RunFolder(Path results, String name, List<String> command, @Nullable Long pid, boolean plots)
      throws IOException {
    this.results = new ResultsLayout(results);
    this.folder = this.results.begin(name, command, pid);
    this.log = new LatencyLog(folder.resolve("response.hlog"));
    this.plots = plots;
  }

  /// The watcher that logs response times.
  RunWatcher log() {
    return log;
  }

  /// Writes everything that is known only at the end.
  ///
  /// @param members the run's line
  void finish(
      RunReport report,
      Map<String, Object> members,
      String table,
      List<ProcessReading> target,
      List<ProcessReading> client)
      throws IOException {
    Files.writeString(folder.resolve("report.txt"), table);
    percentiles("service", report.result().service());
    percentiles("slip", report.result().slip());
    if (plots) {
      Plots.write(folder, report, target, client);
    }
    results.addRun(members);
    ResultsPage.write(results);
  }

  private void percentiles(String name, Histogram histogram) throws IOException {
    try (PrintStream out =
        new PrintStream(
            Files.newOutputStream(folder.resolve(name + ".hgrm")), false, StandardCharsets.UTF_8)) {
      histogram.outputPercentileDistribution(out, 5, (double) Quantity.MICRO);
    }
  }

  Path path() {
    return folder;
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
