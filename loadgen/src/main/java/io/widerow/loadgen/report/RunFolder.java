package io.widerow.loadgen.report;

import io.widerow.loadgen.format.FlatJson;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.LatencyLog;
import io.widerow.loadgen.run.ProcessReading;
import io.widerow.loadgen.run.RunWatcher;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/// A run's folder below `bench-results`: command, environment, table, latency logs, plots; and the
/// run's line in `runs.ndjson`.
final class RunFolder implements AutoCloseable {
  private final Path results;
  private final Path folder;
  private final LatencyLog log;

  /// @param pid of the target; null when nobody said
  RunFolder(Path results, String name, List<String> command, @Nullable Long pid)
      throws IOException {
    this.results = results;
    this.folder = Files.createDirectories(results.resolve(name));
    Files.writeString(folder.resolve("command.txt"), String.join(" ", command) + "\n");
    StringBuilder environment = new StringBuilder();
    Machine.describe().forEach((fact, value) -> environment.append(fact + ": " + value + "\n"));
    if (pid != null) {
      environment.append("target flags: " + Machine.flags(pid) + "\n");
    }
    Files.writeString(folder.resolve("environment.txt"), environment);
    log = new LatencyLog(folder.resolve("response.hlog"));
  }

  /// To be told of the run's response times.
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
    percentiles("response", report.result().response());
    percentiles("service", report.result().service());
    percentiles("slip", report.result().slip());
    Plots.write(folder, report, target, client);
    Files.writeString(
        results.resolve("runs.ndjson"),
        FlatJson.render(members) + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
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
