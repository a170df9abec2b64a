package io.widerow.loadgen.report;

import io.widerow.loadgen.format.FlatJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The directory of results: the folder and the lines of the newest run of each comparison.
///
/// ```
///  bench-results/
///    README.md                written by ResultsPage from data/
///    data/runs.ndjson         one line for each run, size of a store that grew, and protocol
///    data/comparisons.ndjson  one line for each figure of a comparison
///    runs/NAME/               command.txt, environment.txt, report.txt or report.md, *.hlog
/// ```
///
/// @param root the directory that `--results` names
public record ResultsLayout(Path root) {
  Path runsFile() {
    return root.resolve("data/runs.ndjson");
  }

  Path comparisonsFile() {
    return root.resolve("data/comparisons.ndjson");
  }

  Path page() {
    return root.resolve("README.md");
  }

  Path folders() {
    return root.resolve("runs");
  }

  /// Creates the folder of a run and writes how and where it was run.
  ///
  /// @param pid of the target; null when it is not known
  /// @throws IllegalArgumentException when the directory has a README.md that is not ours
  public Path begin(String name, List<String> command, @Nullable Long pid) throws IOException {
    ResultsPage.requireOurs(this);
    Path folder = Files.createDirectories(folders().resolve(name));
    Files.writeString(folder.resolve("command.txt"), commandLine(command) + "\n");
    StringBuilder environment = new StringBuilder();
    Machine.describe().forEach((fact, value) -> environment.append(fact + ": " + value + "\n"));
    if (pid != null) {
      environment.append("target flags: " + Machine.flags(pid) + "\n");
    }
    Files.writeString(folder.resolve("environment.txt"), environment);
    return folder;
  }

  /// The command in shell syntax; apostrophes inside words are dropped.
  public static String commandLine(List<String> arguments) {
    return arguments.stream()
        .map(word -> word.matches("[^\\s']+") ? word : "'" + word.replace("'", "") + "'")
        .collect(Collectors.joining(" ", "widerow load ", ""));
  }

  /// Adds the line of a run.
  public void addRun(Map<String, Object> members) throws IOException {
    append(runsFile(), members);
  }

  /// Adds the line of one figure of a comparison.
  public void addComparison(Map<String, Object> members) throws IOException {
    append(comparisonsFile(), members);
  }

  private static void append(Path file, Map<String, Object> members) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.writeString(
        file,
        FlatJson.render(members) + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /// Deletes the lines that a test rejects; the others keep their order.
  void keepLines(Predicate<Map<String, String>> kept) throws IOException {
    for (Path file : List.of(runsFile(), comparisonsFile())) {
      if (Files.exists(file)) {
        Files.write(
            file,
            Files.readAllLines(file).stream()
                .filter(line -> kept.test(FlatJson.parse(line)))
                .toList());
      }
    }
  }

  static List<Map<String, String>> lines(Path file) throws IOException {
    if (!Files.exists(file)) {
      return List.of();
    }
    return Files.readAllLines(file).stream().map(FlatJson::parse).toList();
  }
}
