package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.FlatJson;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.report.Machine;
import io.widerow.loadgen.report.Plots;
import io.widerow.loadgen.report.ResultsPage;
import io.widerow.loadgen.run.LatencyLog;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/// A comparison's folder below `bench-results`: command, environment, a line, the latencies and
/// their log of each run, also of those that do not count, and the table; its lines in
/// `comparisons.ndjson` and the table that `README.md` shows of them.
public final class ComparisonFolder {
  static final String BEGIN = "<!-- comparisons: written by widerow load compare -->";
  static final String END = "<!-- end of comparisons -->";
  private static final int COMPARISONS_MAX = 40;

  private static final List<String> COLUMNS =
      List.of("figure", "a_median", "b_median", "ratio", "ci95", "differs");

  private final Path results;
  private final Path folder;

  public ComparisonFolder(Path results, String name, List<String> command) throws IOException {
    this.results = results;
    this.folder = Files.createDirectories(results.resolve(name));
    Files.writeString(
        folder.resolve("command.txt"), "widerow load " + String.join(" ", command) + "\n");
    StringBuilder environment = new StringBuilder();
    Machine.describe().forEach((fact, value) -> environment.append(fact + ": " + value + "\n"));
    Files.writeString(folder.resolve("environment.txt"), environment);
  }

  public Path path() {
    return folder;
  }

  /// The log of a run's response times, which the caller closes.
  public LatencyLog log(String name) throws IOException {
    return new LatencyLog(folder.resolve(name + ".hlog"));
  }

  /// Adds a run's line to the folder and to `runs.ndjson`, and its response times to the folder.
  public void run(String name, Map<String, Object> members, Histogram response) throws IOException {
    String line = FlatJson.render(members) + "\n";
    append(folder.resolve("runs.ndjson"), line);
    append(results.resolve("runs.ndjson"), line);
    try (PrintStream out =
        new PrintStream(
            Files.newOutputStream(folder.resolve(name + ".hgrm")), false, StandardCharsets.UTF_8)) {
      response.outputPercentileDistribution(out, 5, (double) Quantity.MICRO);
    }
  }

  /// Draws a side's run; the pictures of the last pair stay.
  public void plots(String side, ContestRun.Outcome outcome) throws IOException {
    Path pictures = Files.createDirectories(folder.resolve(side));
    Plots.write(pictures, outcome.report(), outcome.server(), outcome.client());
  }

  /// Adds anything else that is said of a run, such as a query's time.
  public void line(Map<String, Object> members) throws IOException {
    append(folder.resolve("runs.ndjson"), FlatJson.render(members) + "\n");
  }

  /// Writes the table and shows it in `README.md`.
  ///
  /// @param more paragraphs for the report
  public void finish(Comparison comparison, String more) throws IOException {
    Files.writeString(folder.resolve("report.md"), comparison.table() + more);
    for (String line : comparison.lines()) {
      append(results.resolve("comparisons.ndjson"), line + "\n");
    }
    page(results);
  }

  private static void append(Path file, String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /// Shows the newest comparisons, newest first.
  static void page(Path results) throws IOException {
    Map<String, List<Map<String, String>>> comparisons = new LinkedHashMap<>();
    for (String line : Files.readAllLines(results.resolve("comparisons.ndjson"))) {
      Map<String, String> members = FlatJson.parse(line);
      comparisons
          .computeIfAbsent(members.getOrDefault("comparison", ""), _ -> new ArrayList<>())
          .add(members);
    }
    List<String> table = new ArrayList<>();
    table.add(BEGIN);
    table.add("Comparisons, newest first; all of them: comparisons.ndjson.");
    List<List<Map<String, String>>> all = new ArrayList<>(comparisons.values());
    for (List<Map<String, String>> rows : all.reversed().stream().limit(COMPARISONS_MAX).toList()) {
      Map<String, String> first = rows.get(0);
      table.add("");
      table.add(
          "**%s** ([%s](%s/report.md), commit %s): A is %s, B is %s (%s); %s pairs, %s discarded"
              .formatted(
                  first.get("what"),
                  first.get("comparison"),
                  first.get("comparison"),
                  first.get("commit"),
                  first.get("a"),
                  first.get("b"),
                  first.get("b_note"),
                  first.get("pairs"),
                  first.get("discarded")));
      table.add("");
      table.add("| figure | A | B | A / B | 95 % CI | differs |");
      table.add("| --- | --- | --- | --- | --- | --- |");
      for (Map<String, String> row : rows) {
        List<String> cells = COLUMNS.stream().map(c -> row.getOrDefault(c, "")).toList();
        table.add("| " + String.join(" | ", cells) + " |");
      }
    }
    table.add(END);
    Path page = results.resolve("README.md");
    String text = Files.exists(page) ? Files.readString(page) : "# Runs\n";
    Files.writeString(page, ResultsPage.replaced(text, BEGIN, END, String.join("\n", table)));
  }
}
