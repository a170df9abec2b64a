package io.widerow.loadgen;

import io.widerow.loadgen.report.CitedRuns;
import io.widerow.loadgen.report.ResultsLayout;
import io.widerow.loadgen.report.ResultsPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow load report`: writes the README.md of a results directory from its data.
@Command(
    name = "report",
    description = {
      "Writes DIR/README.md from DIR/data: the newest run of each comparison.",
      "--prune deletes the folders and the lines of older runs that no page cites."
    })
final class ReportCommand extends LoadgenCommand {
  @Parameters(
      index = "0",
      arity = "0..1",
      defaultValue = "bench-results",
      paramLabel = "DIR",
      description = "directory of results")
  private Path directory = Path.of("");

  @Option(names = "--prune", description = "delete older runs and print their names")
  private boolean prune;

  @Override
  public Integer call() throws IOException {
    if (!Files.isDirectory(directory.resolve("data"))) {
      throw new NoSuchFileException(directory.resolve("data").toString());
    }
    ResultsLayout layout = new ResultsLayout(directory);
    ResultsPage.write(layout);
    if (prune) {
      for (String name : new CitedRuns(layout).prune()) {
        out().println("deleted " + name);
      }
      ResultsPage.write(layout); // the page counts runs and machines
    }
    print("written " + directory.resolve("README.md"));
    return ExitCode.OK;
  }
}
