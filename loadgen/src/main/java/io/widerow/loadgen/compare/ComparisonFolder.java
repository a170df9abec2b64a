package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.FlatJson;
import io.widerow.loadgen.report.Machine;
import io.widerow.loadgen.report.Plots;
import io.widerow.loadgen.report.ResultsLayout;
import io.widerow.loadgen.report.ResultsPage;
import io.widerow.loadgen.run.LatencyLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A comparison's folder below `runs/` and its lines below `data/`.
///
/// The folder has the command, the environment, the report, and for each run, discarded runs
/// included, a line and the response times second by second.
public final class ComparisonFolder {
  private final ResultsLayout results;
  private final String name;
  private final String command;
  private final Path folder;

  public ComparisonFolder(Path results, String name, List<String> command) throws IOException {
    this.results = new ResultsLayout(results);
    this.name = name;
    this.command = ResultsLayout.commandLine(command);
    this.folder = this.results.begin(name, command, null);
  }

  public Path path() {
    return folder;
  }

  /// The log of a run's response times, which the caller closes.
  public LatencyLog log(String run) throws IOException {
    return new LatencyLog(folder.resolve(run + ".hlog"));
  }

  /// Adds a run's line to the folder and to `data/runs.ndjson`.
  public void run(Map<String, Object> members) throws IOException {
    line(members);
    results.addRun(members);
  }

  /// Draws a side's run; the pictures of the last pair stay.
  public void plots(String side, ContestRun.Outcome outcome) throws IOException {
    Path pictures = Files.createDirectories(folder.resolve(side));
    Plots.write(pictures, outcome.report(), outcome.server(), outcome.client());
  }

  /// Adds any other line to the folder, such as a query's time.
  public void line(Map<String, Object> members) throws IOException {
    Files.writeString(
        folder.resolve("runs.ndjson"),
        FlatJson.render(members) + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /// Writes the report of a comparison, its lines and the page.
  ///
  /// @param more paragraphs for the report
  public void finish(Comparison comparison, String more) throws IOException {
    finish(List.of(comparison), comparison.table() + more);
  }

  /// The same of one contestant compared with several.
  public void finish(List<Comparison> comparisons, String report) throws IOException {
    Files.writeString(folder.resolve("report.md"), report);
    for (Comparison comparison : comparisons) {
      for (Map<String, Object> members : comparison.lines()) {
        members.put("command", command);
        results.addComparison(members);
      }
    }
    ResultsPage.write(results);
  }

  /// Writes the report of what has one line for each size or protocol, and the page.
  ///
  /// @param kind the member with the folder's name: `growth` or `protocols`
  /// @param key the member that distinguishes the lines
  public void finish(String kind, String key, List<Map<String, Object>> lines, String report)
      throws IOException {
    Files.writeString(folder.resolve("report.md"), report);
    for (Map<String, Object> line : lines) {
      line(line);
      Map<String, Object> members = new LinkedHashMap<>();
      members.put("run", name + "/" + line.get(key));
      members.putAll(Machine.origin());
      members.put(kind, name);
      members.putAll(line);
      members.put("command", command);
      results.addRun(members);
    }
    ResultsPage.write(results);
  }
}
