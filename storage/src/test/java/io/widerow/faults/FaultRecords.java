package io.widerow.faults;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The rows of `bench-results/faults.md`: each run of a fault test that came to its end adds one to
/// the file that `-Dfaults.file=<path>` names, and [#main] writes those of a file as a table
/// between two marks of the page. Without the property nothing is written. A test that fails adds
/// none.
public final class FaultRecords {
  private static final String START = "<!-- rows of faults.ndjson -->";
  private static final String END = "<!-- end of rows -->";
  private static final Pattern FIELD = Pattern.compile("\"([a-z0-9]+)\":(?:\"([^\"]*)\"|(-?\\d+))");
  private static final List<String> COLUMNS =
      List.of(
          "fault",
          "times",
          "acknowledged",
          "repeated",
          "recognised",
          "lost",
          "twice",
          "order",
          "p50",
          "p99",
          "max",
          "date",
          "machine",
          "commit");
  private static final String TITLES =
      """
      | fault | times | batches acknowledged | attempts repeated | recognised | lost | twice \
      | out of order | p50 ms | p99 ms | max ms | date | machine | commit |
      |---|---|---|---|---|---|---|---|---|---|---|---|---|---|
      """;

  private FaultRecords() {}

  /// What senders with a ledger saw.
  ///
  /// @param acknowledged batches, all of which are there, once and in order
  /// @param repeated attempts that were not answered with success
  /// @param recognised repeats that were answered without storing them again
  public record Batches(long acknowledged, long repeated, long recognised) {
    public Batches with(Batches more) {
      return new Batches(
          acknowledged + more.acknowledged, repeated + more.repeated, recognised + more.recognised);
    }
  }

  /// Adds a row.
  ///
  /// @param fault one line of words, without quotes
  /// @param millis what each time took until the daemon served again, or what the fault says; may
  ///   be empty
  public static void add(String fault, long times, Batches batches, long[] millis)
      throws IOException {
    String file = System.getProperty("faults.file");
    if (file != null) {
      Files.writeString(
          Path.of(file),
          row(fault, times, batches, millis) + "\n",
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
  }

  private static String row(String fault, long times, Batches batches, long[] millis) {
    long[] sorted = millis.clone();
    Arrays.sort(sorted);
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("fault", fault);
    row.put("times", times);
    row.put("acknowledged", batches.acknowledged());
    row.put("repeated", batches.repeated());
    row.put("recognised", batches.recognised());
    row.put("lost", 0L);
    row.put("twice", 0L);
    row.put("order", 0L);
    if (sorted.length > 0) {
      row.put("p50", sorted[sorted.length / 2]);
      row.put("p99", sorted[sorted.length * 99 / 100]);
      row.put("max", sorted[sorted.length - 1]);
    }
    row.put(
        "date", DateTimeFormatter.ISO_LOCAL_DATE.format(Instant.now().atOffset(ZoneOffset.UTC)));
    row.put("machine", machine());
    row.put("commit", commit());
    return line(row);
  }

  private static String line(Map<String, Object> row) {
    List<String> fields = new ArrayList<>();
    row.forEach((name, value) -> {
      String text = value instanceof Long ? value.toString() : "\"" + value + "\"";
      fields.add("\"" + name + "\":" + text);
    });
    return "{" + String.join(",", fields) + "}";
  }

  private static String machine() {
    return "%d processors, Linux %s, Java %s"
        .formatted(
            Runtime.getRuntime().availableProcessors(),
            System.getProperty("os.version"),
            Runtime.version().feature());
  }

  private static String commit() {
    try {
      Process git = new ProcessBuilder("git", "rev-parse", "--short", "HEAD").start();
      String told = new String(git.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return told.isBlank() ? "unknown" : told.strip(); // not a repository
    } catch (IOException noGit) {
      return "unknown";
    }
  }

  /// @param arguments the file of rows, and the page
  public static void main(String[] arguments) throws IOException {
    Path page = Path.of(arguments[1]);
    Files.writeString(
        page, rendered(Files.readString(page), Files.readAllLines(Path.of(arguments[0]))));
  }

  /// The page with the rows between its marks; what stands around them is left as it is.
  static String rendered(String page, List<String> lines) {
    int start = page.indexOf(START);
    int end = page.indexOf(END);
    if (start < 0 || end < start) {
      throw new IllegalArgumentException("no marks '%s' and '%s'".formatted(START, END));
    }
    StringBuilder table = new StringBuilder("\n").append(TITLES);
    for (String line : lines) {
      Map<String, String> fields = new LinkedHashMap<>();
      Matcher matcher = FIELD.matcher(line);
      while (matcher.find()) {
        fields.put(
            matcher.group(1), matcher.group(2) == null ? matcher.group(3) : matcher.group(2));
      }
      COLUMNS.forEach(
          column -> table.append("| ").append(fields.getOrDefault(column, "-")).append(' '));
      table.append("|\n");
    }
    return page.substring(0, start + START.length()) + table + page.substring(end);
  }
}
