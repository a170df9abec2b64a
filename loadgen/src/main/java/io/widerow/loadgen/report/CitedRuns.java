package io.widerow.loadgen.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The folders below `runs/` that are needed: folders that a page cites, and the newest of each
/// command. The pages are all Markdown files of the results except the reports of runs, and the
/// `README.md` next to the folder of the results.
public record CitedRuns(ResultsLayout layout) {
  private static final Pattern NAME = Pattern.compile("\\d{8}T\\d{6}-[a-z0-9.-]*[a-z0-9]");

  private List<Path> files(String suffix) throws IOException {
    try (Stream<Path> below = Files.walk(layout.root())) {
      return below.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
    }
  }

  private String pages() throws IOException {
    StringBuilder text = new StringBuilder();
    for (Path file : files(".md")) {
      if (!file.startsWith(layout.folders())) {
        text.append(Files.readString(file));
      }
    }
    Path top = layout.root().resolveSibling("README.md");
    return Files.exists(top) ? text.append(Files.readString(top)).toString() : text.toString();
  }

  private Set<String> cited() throws IOException {
    Set<String> names = new TreeSet<>();
    Matcher matcher = NAME.matcher(pages());
    while (matcher.find()) {
      names.add(matcher.group());
    }
    return names;
  }

  private Set<String> folders() throws IOException {
    Set<String> names = new TreeSet<>();
    if (Files.exists(layout.folders())) {
      try (Stream<Path> folders = Files.list(layout.folders())) {
        folders.forEach(folder -> names.add(folder.getFileName().toString()));
      }
    }
    return names;
  }

  /// Cited runs without a folder.
  Set<String> missing() throws IOException {
    Set<String> missing = cited();
    missing.removeAll(folders());
    return missing;
  }

  /// Folders that no page cites, except the newest of each compared command.
  Set<String> unneeded() throws IOException {
    Set<String> unneeded = folders();
    unneeded.removeAll(cited());
    ResultsEntry.newest(ResultsEntry.all(layout)).forEach(entry -> unneeded.remove(entry.name()));
    return unneeded;
  }

  /// Runs with lines in `data/` that no page cites and that are not the newest of a compared
  /// command.
  Set<String> staleLines() throws IOException {
    Set<String> stale = new TreeSet<>();
    List<ResultsEntry> all = ResultsEntry.all(layout);
    all.forEach(entry -> stale.add(entry.name()));
    stale.removeAll(cited());
    ResultsEntry.newest(all).forEach(entry -> stale.remove(entry.name()));
    return stale;
  }

  /// Folders of runs without a line in `data/`.
  Set<String> withoutLine() throws IOException {
    Set<String> names = folders();
    ResultsEntry.all(layout).forEach(entry -> names.remove(entry.name()));
    return names;
  }

  /// Pictures that no page shows.
  List<Path> unshown() throws IOException {
    String pages = pages();
    List<Path> unshown = new ArrayList<>();
    for (Path plot : files(".png")) {
      if (!pages.contains("](" + layout.root().relativize(plot) + ")")) {
        unshown.add(plot);
      }
    }
    return unshown;
  }

  /// Deletes folders and lines that are not needed, and returns the names of their runs.
  public Set<String> prune() throws IOException {
    Set<String> unneeded = unneeded();
    for (String name : unneeded) {
      FileTree.remove(layout.folders().resolve(name));
    }
    Set<String> stale = staleLines();
    layout.keepLines(line -> !stale.contains(ResultsEntry.nameOf(line)));
    unneeded.addAll(stale);
    return unneeded;
  }
}
