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
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Recorder of the rows of `bench-results/faults.md`. Each fault test that passes appends a row to
/// the file named by `-Dfaults.file=<path>`. [#main] writes a file's rows as tables between pairs
/// of marks in the page. Without the property nothing is written. A failing test adds no row.
public final class FaultRecords {
  private static final String END = "<!-- end of rows -->";
  private static final Pattern FIELD = Pattern.compile("\"([a-z0-9]+)\":(?:\"([^\"]*)\"|(-?\\d+))");

  /// The kinds of rows. Each has its own columns, in this order, followed by date, machine and
  /// commit.
  public enum Table {
    FAULTS(
        "fault:fault times:times acknowledged:batches_acknowledged repeated:retries"
            + " recognised:deduplicated lost:lost twice:twice order:out_of_order"
            + " p50:p50_ms p99:p99_ms max:max_ms"),
    PEERS(
        "store:store setting:setting promise:promise fault:fault times:times"
            + " acknowledged:batches_acknowledged lost:lost twice:twice corrupt:rows_corrupt"
            + " person:did_not_serve_again unread:batches_not_read_for_that"
            + " p50:p50_ms max:max_ms"),
    OS(
        "fault:fault times:times acknowledged:batches_acknowledged lost:lost"
            + " p50:p50_of_loss_ms p99:p99_ms max:max_ms"),
    ATTACKS(
        "attack:attack size:size heap:heap_MiB p50:healthy_client's_p50_ms p99:p99_ms"
            + " served:requests_of_it failed:of_them_failed growth:resident_growth_MiB"),
    PLANTS("module:module planted:planted caught:caught"),
    FUZZ(
        "target:target executions:executions covered:points_covered kept:inputs_kept"
            + " cpu:processor_seconds found:found"),
    DAMAGE(
        "damage:damage times:times told:detected,_file_named whole:harmless"
            + " wrong:wrong_rows undetected:undetected"),
    CLOCKS(
        "step:clock_from_start_to_start starts:starts stamped:events_it_stamped"
            + " behind:refused_for_clock_skew ahead:refused_for_a_time_ahead"
            + " beside:stored again:ids_repeated"),
    JUMPS(
        "jump:jump_of_the_running_clock times:times kept:events_that_would_expire"
            + " dropped:dropped hidden:hidden stamped:events_stamped_by_the_right_clock"
            + " refused:refused ahead:stamped_more_than_10_s_ahead");

    private final String columns; // key:title, the title with _ for blanks

    Table(String columns) {
      this.columns = columns + " date:date machine:machine commit:commit";
    }

    private List<String> parts(int part) {
      return Arrays.stream(columns.split(" ", -1))
          .map(column -> column.split(":", -1)[part])
          .toList();
    }

    List<String> keys() {
      return parts(0);
    }

    private List<String> titles() {
      return parts(1).stream().map(title -> title.replace('_', ' ')).toList();
    }

    String start() {
      String name = this == FAULTS ? "" : ": " + name().toLowerCase(Locale.ROOT);
      return "<!-- rows of faults.ndjson" + name + " -->";
    }

    private String head() {
      return "| " + String.join(" | ", titles()) + " |\n" + "|---".repeat(titles().size()) + "|\n";
    }
  }

  private FaultRecords() {}

  /// Counts of senders with a ledger.
  ///
  /// @param acknowledged acknowledged batches; all are present, once and in order
  /// @param repeated attempts that got no success answer
  /// @param recognised repeats that were acknowledged without storing them again
  public record Batches(long acknowledged, long repeated, long recognised) {
    public Batches with(Batches more) {
      return new Batches(
          acknowledged + more.acknowledged, repeated + more.repeated, recognised + more.recognised);
    }
  }

  /// Adds a row.
  ///
  /// @param fault one line of words, without quotes
  /// @param millis for each time, milliseconds until the daemon served again, or as the fault says;
  ///   may be empty
  public static void add(String fault, long times, Batches batches, long[] millis)
      throws IOException {
    add(
        Table.FAULTS,
        fault,
        times,
        batches.acknowledged(),
        batches.repeated(),
        batches.recognised(),
        0L,
        0L,
        0L,
        part(millis, 50),
        part(millis, 99),
        part(millis, 100));
  }

  /// The percentile of the values; "-" when there are none.
  public static Object part(long[] values, int percent) {
    long[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted.length == 0
        ? "-"
        : (Object) sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)];
  }

  /// Adds a row.
  ///
  /// @param values column values in order: numbers, or one line of words without quotes
  public static void add(Table table, Object... values) throws IOException {
    String file = System.getProperty("faults.file", "");
    String line = row(table, file.isEmpty() ? "unknown" : commit(), values);
    if (!file.isEmpty()) {
      Files.writeString(
          Path.of(file), line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }

  private static String row(Table table, String commit, Object... values) {
    int about = 3; // date, machine, commit
    if (values.length != table.keys().size() - about) {
      throw new IllegalArgumentException(values.length + " values for " + table.keys());
    }
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("table", table.name().toLowerCase(Locale.ROOT));
    for (int i = 0; i < values.length; i++) {
      row.put(table.keys().get(i), values[i]);
    }
    row.put(
        "date", DateTimeFormatter.ISO_LOCAL_DATE.format(Instant.now().atOffset(ZoneOffset.UTC)));
    row.put("machine", machine());
    row.put("commit", commit);
    return line(row);
  }

  private static String line(Map<String, Object> row) {
    List<String> fields = new ArrayList<>();
    row.forEach((name, value) -> {
      String text = value instanceof Number ? value.toString() : "\"" + value + "\"";
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

  /// The page with the rows between their marks. The text around them is unchanged.
  static String rendered(String page, List<String> lines) {
    String rendered = page;
    for (Table table : Table.values()) {
      String name = table.name().toLowerCase(Locale.ROOT);
      List<Map<String, String>> rows =
          lines.stream()
              .map(FaultRecords::fields)
              .filter(row -> row.getOrDefault("table", "faults").equals(name))
              .toList();
      rendered = rendered(rendered, table, rows);
    }
    return rendered;
  }

  private static Map<String, String> fields(String line) {
    Map<String, String> fields = new LinkedHashMap<>();
    Matcher matcher = FIELD.matcher(line);
    while (matcher.find()) {
      fields.put(matcher.group(1), matcher.group(2) == null ? matcher.group(3) : matcher.group(2));
    }
    return fields;
  }

  private static String rendered(String page, Table table, List<Map<String, String>> rows) {
    int start = page.indexOf(table.start());
    int end = page.indexOf(END, Math.max(0, start));
    if (start < 0 || end < 0) {
      throw new IllegalArgumentException("no marks '%s' and '%s'".formatted(table.start(), END));
    }
    StringBuilder text = new StringBuilder("\n").append(table.head());
    for (Map<String, String> row : rows) {
      for (String key : table.keys()) {
        text.append("| ").append(row.getOrDefault(key, "-")).append(' ');
      }
      text.append("|\n");
    }
    return page.substring(0, start + table.start().length()) + text + page.substring(end);
  }
}
