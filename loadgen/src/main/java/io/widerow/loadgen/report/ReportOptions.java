package io.widerow.loadgen.report;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.RunResult;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options for watching the target, storing the report and judging it.
public final class ReportOptions {
  @Option(
      names = "--pid",
      description = "process of the target: its CPU, memory and disk writes are reported")
  @Nullable Long pid;

  List<Long> pids() {
    return pid == null ? List.of() : List.of(pid);
  }

  @Option(
      names = "--data-dir",
      paramLabel = "DIR",
      description = "directory of the target: its size after the run is reported")
  @Nullable Path dataDirectory;

  @Option(
      names = "--results",
      paramLabel = "DIR",
      description = "write a folder for this run, its line in data/ and README.md here")
  @Nullable Path results;

  @Option(names = "--plots", description = "with --results: draw the run as pictures, too")
  boolean plots;

  @Option(
      names = "--note",
      defaultValue = "",
      description = "shown with the results, such as a peer's version and settings")
  String note = "";

  @Option(names = "--max-p99", paramLabel = "TIME", description = "exit code 99 above it")
  private @Nullable String maxP99;

  @Option(names = "--min-rate", paramLabel = "EVENTS", description = "exit code 99 below it")
  private @Nullable String minRate;

  @Option(
      names = "--max-slip",
      paramLabel = "TIME",
      description = "exit code 99 when the tool's own p99 of slip is above it")
  private @Nullable String maxSlip;

  public boolean isBeyondBound(RunResult result) {
    if (maxSlip != null
        && result.slip().getValueAtPercentile(99) > Quantity.nanos("--max-slip", maxSlip)) {
      return true;
    }
    boolean slow =
        maxP99 != null
            && result.response().getValueAtPercentile(99) > Quantity.nanos("--max-p99", maxP99);
    return slow
        || (minRate != null && result.eventsPerSecond() < Quantity.count("--min-rate", minRate));
  }

  /// Rejects impossible values before anything is sent.
  public void check() {
    if (maxP99 != null) {
      Quantity.nanos("--max-p99", maxP99);
    }
    if (maxSlip != null) {
      Quantity.nanos("--max-slip", maxSlip);
    }
    if (minRate != null) {
      Quantity.count("--min-rate", minRate);
    }
    if (pid != null && ProcessHandle.of(pid).isEmpty()) {
      throw new IllegalArgumentException("--pid " + pid + ": no such process");
    }
  }
}
