package io.widerow.loadgen.report;

import io.widerow.loadgen.format.FlatJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The table in `bench-results/README.md`, between two marks; what people write around it stays.
public final class ResultsPage {
  public static final String BEGIN = "<!-- runs: written by widerow load -->";
  public static final String END = "<!-- end of runs -->";
  private static final int ROWS_MAX = 40;

  /// A column's title and the member of `runs.ndjson` that it shows.
  private record Column(String title, String member) {}

  private static final List<Column> COLUMNS =
      List.of(
          new Column("run", "run"),
          new Column("commit", "commit"),
          new Column("target", "target"),
          new Column("note", "note"),
          new Column("durability", "durability"),
          new Column("scenario", "scenario"),
          new Column("batch", "batch"),
          new Column("asked/s", "rate_asked"),
          new Column("events/s", "events_per_second"),
          new Column("p50 us", "response_p50_us"),
          new Column("p99 us", "response_p99_us"),
          new Column("p99.9 us", "response_p999_us"),
          new Column("max us", "response_max_us"),
          new Column("slip p99 us", "slip_p99_us"),
          new Column("failed", "failed_batches"),
          new Column("client-bound", "client_bound"),
          new Column("target us/event", "target_us_per_event"),
          new Column("client us/event", "client_us_per_event"),
          new Column("RSS peak B", "target_rss_peak_bytes"),
          new Column("written B/event", "written_bytes_per_event"),
          new Column("at rest B", "at_rest_bytes"));

  private ResultsPage() {}

  /// Shows the newest runs, newest first.
  static void write(Path results) throws IOException {
    List<String> runs = Files.readAllLines(results.resolve("runs.ndjson"));
    List<String> table = new ArrayList<>();
    table.add(BEGIN);
    table.add("Latest runs, newest first; -1 means that nobody watched. All of them: runs.ndjson.");
    table.add("");
    table.add(row(COLUMNS.stream().map(Column::title).toList()));
    table.add(row(COLUMNS.stream().map(column -> "---").toList()));
    List<Map<String, String>> alone =
        runs.reversed().stream()
            .map(FlatJson::parse)
            .filter(run -> !run.containsKey("comparison")) // these have a table of their own
            .limit(ROWS_MAX)
            .toList();
    for (Map<String, String> members : alone) {
      table.add(row(COLUMNS.stream().map(c -> members.getOrDefault(c.member(), "")).toList()));
    }
    table.add(END);
    Path page = results.resolve("README.md");
    String text = Files.exists(page) ? Files.readString(page) : "# Runs\n\n" + BEGIN + END + "\n";
    Files.writeString(page, replaced(text, String.join("\n", table)));
  }

  private static String row(List<String> cells) {
    return "| " + String.join(" | ", cells) + " |";
  }

  public static String replaced(String page, String table) {
    return replaced(page, BEGIN, END, table);
  }

  /// The page with what stands from one mark to the other replaced, marks included.
  public static String replaced(String page, String beginMark, String endMark, String table) {
    int begin = page.indexOf(beginMark);
    int end = page.indexOf(endMark);
    return begin < 0 || end < begin
        ? page.stripTrailing() + "\n\n" + table + "\n"
        : page.substring(0, begin) + table + page.substring(end + endMark.length());
  }
}
