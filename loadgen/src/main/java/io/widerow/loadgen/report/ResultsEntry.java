package io.widerow.loadgen.report;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A result as recorded in `data/`: a run, a comparison, a store that grew, or a session of all
/// protocols.
///
/// @param name of its folder; begins with the time of its start, UTC
/// @param lines one for a run, one a metric for a comparison, one a size for a store that grew, one
///   a protocol
record ResultsEntry(String name, List<Map<String, String>> lines) {
  /// Options of the duration and the place of a measurement: the result is comparable without them.
  private static final Pattern IRRELEVANT =
      Pattern.compile(
          "--(pairs|rounds|seconds|budget|warmup|from|results|duration|work|home|keep|rest|pid"
              + "|data-dir|url|query-url|ledger|note|max-slip|min-rate|max-p99)[ =]('[^']*'|\\S+)"
              + "|--busy[ =]0(?!\\S)|--plots|(?<=victorialogs)@\\S+");

  private static final int TIME_CHARS = "20261124T150105".length();

  /// The kind of measurement.
  enum Kind {
    RUN,
    COMPARE,
    QUERIES,
    FIELDS,
    GROWTH,
    PROTOCOLS
  }

  /// All entries, oldest first.
  static List<ResultsEntry> all(ResultsLayout layout) throws IOException {
    Map<String, List<Map<String, String>>> entries = new TreeMap<>();
    for (Map<String, String> line : ResultsLayout.lines(layout.runsFile())) {
      if (!line.containsKey("comparison")) { // a comparison has its own lines
        add(entries, nameOf(line), line);
      }
    }
    for (Map<String, String> line : ResultsLayout.lines(layout.comparisonsFile())) {
      add(entries, nameOf(line), line);
    }
    return entries.entrySet().stream()
        .map(entry -> new ResultsEntry(entry.getKey(), entry.getValue()))
        .toList();
  }

  /// The name of the entry that a line of `data/` belongs to.
  static String nameOf(Map<String, String> line) {
    String run = line.getOrDefault("run", "");
    String many = line.getOrDefault("growth", line.getOrDefault("protocols", run));
    return line.getOrDefault("comparison", many);
  }

  private static void add(
      Map<String, List<Map<String, String>>> entries, String name, Map<String, String> line) {
    entries.computeIfAbsent(name, _ -> new ArrayList<>()).add(line);
  }

  /// The newest entry of each compared command, on any machine; oldest first.
  static List<ResultsEntry> newest(List<ResultsEntry> all) {
    Map<String, ResultsEntry> newest = new TreeMap<>();
    all.forEach(entry -> newest.put(entry.comparedCommand(), entry));
    Collection<ResultsEntry> found = newest.values();
    return all.stream().filter(found::contains).toList();
  }

  /// A member that all lines share, or the first line's; empty when there is none.
  String member(String member) {
    return lines.get(0).getOrDefault(member, "");
  }

  /// When it began, such as `20261124T150105`, UTC.
  String time() {
    return name.substring(0, Math.min(name.length(), TIME_CHARS));
  }

  /// The day on which it began, such as `2026-11-24`, UTC.
  String day() {
    return name.replaceFirst("^(\\d{4})(\\d\\d)(\\d\\d).*", "$1-$2-$3");
  }

  Kind kind() {
    String command = comparedCommand() + " ";
    if (command.startsWith("compare ") && command.contains(" --queries")) {
      return Kind.FIELDS;
    }
    for (Kind kind : Kind.values()) {
      if (command.startsWith(kind.name().toLowerCase(Locale.ROOT) + " ")) {
        return kind;
      }
    }
    return Kind.RUN;
  }

  /// The command that two entries must share to be compared: without the options of duration and
  /// place, the other options in alphabetical order.
  String comparedCommand() {
    String command = member("command").replaceFirst("^widerow load ?", "");
    String[] words = IRRELEVANT.matcher(command).replaceAll("").strip().split("\\s+(?=--)|^(?=--)");
    Stream<String> options = Stream.of(words).filter(word -> word.startsWith("--")).sorted();
    Stream<String> head = Stream.of(words).filter(word -> !word.startsWith("--"));
    return String.join(" ", Stream.concat(head, options).map(String::strip).toList()).strip();
  }

  /// The line of a comparison's metric; empty when it has none of this name.
  Map<String, String> figure(String title) {
    return lines.stream()
        .filter(line -> title.equals(line.get("figure")))
        .findFirst()
        .orElse(Map.of());
  }
}
