package io.widerow.loadgen.report;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.report.ResultsEntry.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Renders `README.md` of the results: the newest run of each comparison.
///
/// The page depends on `data/` alone, so a test can compare it with the page that the tool writes.
/// It has at most 140 lines: long tables show their newest entries only.
public final class ResultsPage {
  private static final int LINES_MAX = 140;
  private static final int ENTRIES_MAX = 60; // in each table
  private static final String TITLE = "# How fast, against what, on which machine";
  private static final String NONE = "-";

  private final List<String> lines = new ArrayList<>();
  private final List<ResultsEntry> all;
  private final List<ResultsEntry> newest;
  private final Map<String, List<ResultsEntry>> machines = new LinkedHashMap<>();
  private final int entriesMax;

  private ResultsPage(List<ResultsEntry> all, int entriesMax) {
    this.all = all;
    this.entriesMax = entriesMax;
    newest = ResultsEntry.newest(all);
    all.forEach(e -> machines.computeIfAbsent(e.member("machine"), _ -> new ArrayList<>()).add(e));
  }

  /// Rewrites the page.
  ///
  /// @throws IllegalArgumentException when there is a README.md that is not ours
  public static void write(ResultsLayout layout) throws IOException {
    requireOurs(layout);
    Files.writeString(layout.page(), render(layout));
  }

  static void requireOurs(ResultsLayout layout) throws IOException {
    Path page = layout.page();
    if (Files.exists(page) && !Files.readString(page).startsWith(TITLE)) {
      throw new IllegalArgumentException(
          page + " is not a page of results; name another directory");
    }
  }

  static String render(ResultsLayout layout) throws IOException {
    List<ResultsEntry> all = ResultsEntry.all(layout);
    int entries = ENTRIES_MAX;
    String page = new ResultsPage(all, entries).page();
    while (page.lines().count() > LINES_MAX && entries > 1) { // the oldest of long tables go
      entries--;
      page = new ResultsPage(all, entries).page();
    }
    return page;
  }

  private String page() {
    lines.add(TITLE);
    lines.add("");
    lines.add("`./widerow load report` writes this page from `data/`; do not edit it. Each row is");
    lines.add("the newest run of its comparison. The lines of all %d runs:".formatted(all.size()));
    lines.add("[runs.ndjson](data/runs.ndjson) (one for each run) and");
    lines.add("[comparisons.ndjson](data/comparisons.ndjson) (one for each metric).");
    lines.add("");
    lines.add("- [speed.md](speed.md): goals, and whether they are met");
    lines.add("- [budget.md](budget.md): processor time of each stage");
    lines.add("- [storage.md](storage.md): compared with RocksDB; tables, layout, Cassandra");
    lines.add("- [reading.md](reading.md): queries under load, LogQL, overload");
    lines.add("- [faults.md](faults.md): crashes, power cuts, damage, hostile clients");
    lines.add("- [explorer.md](explorer.md): the page in a browser");
    lines.add("- [loadgen](../loadgen/README.md): how to measure");
    machineTable();
    compareTable();
    queryTable();
    fieldTable();
    runTable();
    growthTable();
    protocolTable();
    return String.join("\n", lines) + "\n";
  }

  private void machineTable() {
    section("Machines", "", "name | machine | first run | last run | runs");
    machines.forEach((machine, entries) ->
        row(
            name(machine),
            machine,
            entries.getFirst().day(),
            entries.getLast().day(),
            Integer.toString(entries.size())));
  }

  private String name(String machine) {
    return "M" + (List.copyOf(machines.keySet()).indexOf(machine) + 1);
  }

  private void compareTable() {
    section(
        "Ingest, compared with other stores",
        "A / B is the median of pairs in turn (A B B A), with its 95 % interval. " + peers(),
        "A | B | workload | machine | A, events/s | B, events/s | A / B | p99, A / B | server CPU,"
            + " A / B | at rest, A / B | commit | run");
    for (ResultsEntry entry : newest(Kind.COMPARE)) {
      Map<String, String> rate = entry.figure("events/s");
      row(
          entry.member("a"),
          entry.member("b"),
          workload(entry),
          name(entry.member("machine")),
          rate.getOrDefault("a_median", NONE),
          rate.getOrDefault("b_median", NONE),
          ratio(rate),
          entry.figure("p99 us").getOrDefault("ratio", NONE),
          entry.figure("server CPU us/event").getOrDefault("ratio", NONE),
          entry.figure("at rest B/event").getOrDefault("ratio", NONE),
          entry.member("commit"),
          link(entry, "report.md"));
    }
  }

  /// Such as `access of 4 types, at full rate, batches of 100, 2 connections`.
  private static String workload(ResultsEntry entry) {
    String what = entry.member("what").replaceFirst(", [^,]* after .*", "");
    String types = entry.comparedCommand().replaceFirst(".*--types (\\d+).*", " of $1 types,");
    return types.startsWith(" of ") ? what.replaceFirst(",", types) : what;
  }

  private static String ratio(Map<String, String> figure) {
    return figure.isEmpty() ? NONE : figure.get("ratio") + " (" + figure.get("ci95") + ")";
  }

  /// Versions and settings of the peers that the tables name.
  private String peers() {
    Map<String, String> notes = new TreeMap<>();
    for (ResultsEntry entry : all) {
      if (!entry.member("b_note").isEmpty()) {
        notes.put(entry.member("b"), entry.member("b_note"));
      }
    }
    List<String> said = new ArrayList<>();
    notes.forEach((name, note) -> said.add("`%s`: %s".formatted(name, note)));
    return String.join("; ", said) + ".";
  }

  private void queryTable() {
    section(
        "Queries, compared with other stores",
        "Milliseconds of A and B, and A / B with its 95 % interval. Range: all events in order, as"
            + " CSV. Latest: the newest 100. Token: a word that 0.1 % of the lines have. Count: by"
            + " a field and minute.",
        "A | B | events | machine | range | latest | token | count | commit | run");
    for (ResultsEntry entry : newest(Kind.QUERIES)) {
      row(
          entry.member("a"),
          entry.member("b"),
          events(entry),
          name(entry.member("machine")),
          times(entry.figure("range ms")),
          times(entry.figure("latest ms")),
          times(entry.figure("token ms")),
          times(entry.figure("count ms")),
          entry.member("commit"),
          link(entry, "report.md"));
    }
  }

  /// One row for each peer of the first contestant; without a session there is no such table.
  private void fieldTable() {
    List<ResultsEntry> sessions = newest(Kind.FIELDS);
    if (sessions.isEmpty()) {
      return;
    }
    section(
        "Queries over fields, compared with other stores",
        "How many queries A answers faster than B, and the least and the greatest A / B; the report"
            + " has the table.",
        "A | B | events | machine | A is faster | A / B | commit | run");
    for (ResultsEntry entry : sessions) {
      for (String peer :
          entry.lines().stream().map(line -> line.getOrDefault("b", "")).distinct().toList()) {
        double[] ratios =
            entry.lines().stream()
                .filter(line -> peer.equals(line.get("b")))
                .filter(line -> !line.getOrDefault("figure", "").contains("CPU"))
                .mapToDouble(line -> Double.parseDouble(line.getOrDefault("ratio", "NaN")))
                .sorted()
                .toArray();
        row(
            entry.member("a"),
            peer,
            events(entry),
            name(entry.member("machine")),
            "%d of %d".formatted(Arrays.stream(ratios).filter(r -> r < 1).count(), ratios.length),
            ratios.length == 0
                ? NONE
                : String.format(Locale.ROOT, "%.3f .. %.3f", ratios[0], ratios[ratios.length - 1]),
            entry.member("commit"),
            link(entry, "report.md"));
      }
    }
  }

  private static String events(ResultsEntry entry) {
    String what =
        entry.member("what").replaceFirst("queries over ", "").replaceFirst(",? the .*", "");
    String step = entry.comparedCommand().replaceFirst(".*--step (\\S+).*", ", one each $1");
    return what.replaceFirst(",$", "") + (step.startsWith(",") ? step : "");
  }

  private static String times(Map<String, String> figure) {
    return figure.isEmpty()
        ? NONE
        : "%s and %s: %s".formatted(figure.get("a_median"), figure.get("b_median"), ratio(figure));
  }

  private void runTable() {
    section(
        "One target alone",
        "Latency of a response from its scheduled time, in milliseconds."
            + " `--target null` measures the load generator itself. Client-bound: the load"
            + " generator was late, so the latency is an upper bound.",
        "options | note | machine | events/s | p50 | p99 | p99.9 | max | CPU us/event | commit |"
            + " run");
    for (ResultsEntry entry : newest(Kind.RUN)) {
      row(
          "`" + entry.comparedCommand() + "`",
          note(entry),
          name(entry.member("machine")),
          count(entry.member("events_per_second")),
          millis(entry.member("response_p50_us")),
          millis(entry.member("response_p99_us")),
          millis(entry.member("response_p999_us")),
          millis(entry.member("response_max_us")),
          entry.member("target_us_per_event").startsWith("-")
              ? NONE
              : entry.member("target_us_per_event"),
          entry.member("commit"),
          link(entry, "report.txt"));
    }
  }

  /// The operator's note, and the p99 of queries during the run.
  private static String note(ResultsEntry entry) {
    StringBuilder note = new StringBuilder(entry.member("note"));
    for (String read : List.of("latest", "filter", "count")) {
      String p99 = entry.member("read_" + read + "_p99_us");
      if (!p99.isEmpty()) {
        note.append("; %s p99 %s ms".formatted(read, millis(p99)));
      }
    }
    if (entry.member("client_bound").equals("true")) {
      note.append("; client-bound");
    }
    return note.toString();
  }

  private void growthTable() {
    section(
        "A growing store",
        "",
        "events | machine | events/s up to there | latest 100, p50 ms | resident MB | at rest MB |"
            + " ready after SIGKILL, ms | commit | run");
    for (ResultsEntry entry : newest(Kind.GROWTH)) {
      for (Map<String, String> size : entry.lines()) {
        row(
            count(size.getOrDefault("events", "")),
            name(entry.member("machine")),
            count(size.getOrDefault("events_per_second", "")),
            millis(size.getOrDefault("latest100_p50_us", "")),
            size.getOrDefault("rss_mb", NONE),
            count(size.getOrDefault("at_rest_mb", "")),
            count(size.getOrDefault("ready_after_kill_ms", "")),
            entry.member("commit"),
            link(entry, "report.md"));
      }
    }
  }

  /// One row for each session; without one there is no such table.
  private void protocolTable() {
    List<ResultsEntry> sessions = newest(Kind.PROTOCOLS);
    if (sessions.isEmpty()) {
      return;
    }
    section(
        "Protocols, compared with each other",
        "Events/s (CPU of the daemon in us/event; p99 in ms at a fixed rate); the report has the"
            + " table.",
        "options | machine | rounds | protocols | commit | run");
    for (ResultsEntry entry : sessions) {
      row(
          "`" + entry.comparedCommand() + "`",
          name(entry.member("machine")),
          entry.member("rounds"),
          entry.lines().stream()
              .filter(line -> line.containsKey("events_per_second"))
              .map(ResultsPage::protocol)
              .collect(Collectors.joining("; ")),
          entry.member("commit"),
          link(entry, "report.md"));
    }
  }

  private static String protocol(Map<String, String> line) {
    String p99 = line.getOrDefault("response_p99_us", "-1");
    return "%s %s (%s; %s)"
        .formatted(
            line.get("target"),
            count(line.getOrDefault("events_per_second", "")),
            line.get("target_us_per_event"),
            p99.startsWith("-") ? NONE : millis(p99));
  }

  /// The newest entries of this kind, by command and then by time.
  private List<ResultsEntry> newest(Kind kind) {
    List<ResultsEntry> found = newest.stream().filter(entry -> entry.kind() == kind).toList();
    return found.subList(Math.max(0, found.size() - entriesMax), found.size()).stream()
        .sorted(
            Comparator.comparing(ResultsEntry::comparedCommand).thenComparing(ResultsEntry::name))
        .toList();
  }

  private void section(String title, String text, String columns) {
    lines.add("");
    lines.add("## " + title);
    lines.add("");
    if (!text.isEmpty()) {
      lines.add(text);
      lines.add("");
    }
    row(columns);
    lines.add("|" + " --- |".repeat(columns.split(" [|] ", -1).length));
  }

  private void row(String... cells) {
    lines.add("| " + String.join(" | ", cells) + " |");
  }

  private static String link(ResultsEntry entry, String report) {
    return "[%s](runs/%s/%s)".formatted(entry.time(), entry.name(), report);
  }

  private static String count(String number) {
    return number.isEmpty() ? NONE : Quantity.count(Double.parseDouble(number));
  }

  private static String millis(String micros) {
    return micros.isEmpty()
        ? NONE
        : String.format(Locale.ROOT, "%.2f", Double.parseDouble(micros) / 1_000.0);
  }
}
