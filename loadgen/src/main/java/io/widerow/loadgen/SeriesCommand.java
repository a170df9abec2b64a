package io.widerow.loadgen;

import io.widerow.loadgen.compare.CompareOptions;
import io.widerow.loadgen.compare.SeriesContest;
import io.widerow.loadgen.compare.SeriesContest.Question;
import io.widerow.loadgen.compare.SeriesStore;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.report.FileTree;
import io.widerow.loadgen.report.Machine;
import io.widerow.loadgen.workload.CounterSeries;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `widerow load series`: PromQL compared with VictoriaMetrics and Prometheus.
@Command(
    name = "series",
    description = {
      "Sends the same counters by remote write to a daemon of its own, to VictoriaMetrics and to"
          + " Prometheus (both Debian's), and times PromQL in turn: rates by label over an hour,"
          + " rates of all series over the whole time, the largest of all series. Prints medians of"
          + " the time and means of the CPU time."
    })
final class SeriesCommand extends LoadgenCommand {
  private static final long HOUR_MILLIS = 3_600_000;

  @Option(
      names = "--stores",
      defaultValue = "widerow,victoria,prometheus",
      split = ",",
      description = "which to compare: widerow, victoria, prometheus")
  private List<String> stores = List.of();

  @Option(names = "--series", defaultValue = "200")
  private int series;

  @Option(
      names = "--every",
      defaultValue = "15s",
      paramLabel = "TIME",
      description = "time between the samples of a series")
  private String every = "";

  @Option(names = "--hours", defaultValue = "720", description = "hours of samples until now")
  private int hours;

  @Option(names = "--times", defaultValue = "9", description = "how often each is asked")
  private int times;

  @Option(
      names = "--warmups",
      defaultValue = "40",
      description = "times before, not counted: until code is compiled")
  private int warmups;

  @Mixin private final CompareOptions options = new CompareOptions();

  @Override
  public Integer call() throws Exception {
    long everyMillis = Quantity.nanos("--every", every) / Quantity.MILLI;
    if (hours < 1 || series < 1 || everyMillis < 1 || times < 1) {
      throw new IllegalArgumentException(
          "--hours, --series, --every and --times must be positive, got %d, %d, %s and %d"
              .formatted(hours, series, every, times));
    }
    Set<SeriesStore> compared = new TreeSet<>();
    for (String store : stores) {
      compared.add(store(store));
    }
    long scrapes = hours * HOUR_MILLIS / everyMillis;
    long end = System.currentTimeMillis() / HOUR_MILLIS * HOUR_MILLIS;
    var span = new SeriesContest.Span(series, end - scrapes * everyMillis, everyMillis, scrapes);
    Path work = options.workDirectory();
    try (SeriesContest contest = new SeriesContest(span, out())) {
      for (SeriesStore store : compared) {
        contest.enter(store, options, work);
      }
      for (Question question : questions()) {
        contest.ask(question, times, warmups);
      }
      contest.weigh();
      out().println("machine: " + Machine.origin() + options.settings());
      out().print(table(compared, contest.lines()));
      out().flush();
    } finally {
      FileTree.remove(work);
    }
    return ExitCode.OK;
  }

  private static SeriesStore store(String name) {
    for (SeriesStore store : SeriesStore.values()) {
      if (store.name().toLowerCase(Locale.ROOT).equals(name)) {
        return store;
      }
    }
    throw new IllegalArgumentException("--stores: no such store: '" + name + "'");
  }

  private List<Question> questions() {
    String rate = "rate(" + CounterSeries.NAME + "[5m])";
    long hour = HOUR_MILLIS;
    long all = hours * hour;
    return List.of(
        new Question("rate by label, 1 h by 15 s", "sum by (path) (" + rate + ")", hour, 15_000),
        new Question("rate, all hours by 1 h", rate, all, hour),
        new Question("average of an hour, all hours by 1 h", overTime("avg"), all, hour),
        new Question("topk of the rate, 1 h by 60 s", "topk(10, " + rate + ")", hour, 60_000),
        new Question("topk at an instant", "topk(10, " + CounterSeries.NAME + ")", 0, 0));
  }

  private static String overTime(String aggregate) {
    return "sum(%s_over_time(%s[1h]))".formatted(aggregate, CounterSeries.NAME);
  }

  /// A row for each figure, a column for each store.
  private static String table(Set<SeriesStore> stores, List<SeriesContest.Line> lines) {
    List<String> rows = new ArrayList<>();
    StringBuilder head = new StringBuilder("| figure |");
    stores.forEach(store -> head.append(' ').append(store.label()).append(" |"));
    rows.add(head.toString());
    rows.add("| --- |" + " ---: |".repeat(stores.size()));
    for (SeriesContest.Line line : lines) {
      StringBuilder row = new StringBuilder("| ").append(line.label()).append(" |");
      for (SeriesStore store : stores) {
        double figure = line.figures().getOrDefault(store, Double.NaN);
        String form = figure < 100 ? " %,.2f |" : " %,.0f |";
        row.append(String.format(Locale.ROOT, form, figure));
      }
      rows.add(row.toString());
    }
    return String.join("\n", rows) + "\n";
  }
}
