package io.widerow.loadgen.compare;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Where a command writes its results.
public final class ResultOptions {
  @Option(
      names = "--results",
      paramLabel = "DIR",
      description = "write a folder for this run, its lines in data/ and README.md here")
  private @Nullable Path folder;

  @Option(names = "--plots", description = "with --results: draw the last pair as pictures, too")
  public boolean plots;

  /// The folder of a comparison: in the directory that the user named, else in `work`.
  public ComparisonFolder begin(Path work, String name, List<String> command) throws IOException {
    return new ComparisonFolder(folder == null ? work.resolve("results") : folder, name, command);
  }

  /// Prints the report, and its folder when the user named a directory.
  public void show(String report, ComparisonFolder written, PrintWriter out) {
    out.print(report);
    if (folder != null) {
      out.println("written to " + written.path());
    }
    out.flush();
  }
}
