package io.widerow.loadgen.compare;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Where a command writes its results.
public final class ResultOptions {
  @Option(
      names = "--results",
      paramLabel = "DIR",
      description = "write a folder for this run, its lines in data/ and README.md here")
  public @Nullable Path folder;

  @Option(names = "--plots", description = "with --results: draw the last pair as pictures, too")
  public boolean plots;
}
