package io.widerow.cli;

import io.widerow.query.ParameterText;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryException;
import io.widerow.query.QueryExecution;
import io.widerow.query.QueryMemory;
import io.widerow.query.TimeText;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.StatsWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.output.Rfc3339;
import io.widerow.query.promql.run.PromqlAnswer;
import io.widerow.query.promql.run.PromqlPlot;
import io.widerow.query.promql.run.StepTimes;
import io.widerow.query.remote.RemoteResponse;
import io.widerow.query.remote.RemoteRows;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreView;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow promql`: evaluates an expression, at one time or at the steps of a range.
@Command(
    description = {
      "Every number of the store is a series: a sample, a field of a measurement, a number in a log"
          + " event. Without --from the expression has one value for each series, at --to; with it"
          + " a value each --step."
    },
    footer = {
      "Examples:",
      "  widerow promql 'sum by (host) (rate(http_requests_total[5m]))'",
      "  widerow promql 'disk_used_percent > 80' --data DIR",
      "  widerow promql 'rate(errors_total[5m])' --from 6h --plot",
      "Times are in UTC.",
      "Exit codes: see `widerow query --help`."
    })
public final class PromqlCommand implements Callable<Integer> {
  private static final int COLUMNS = 60; // of a plot, and steps of a range without --step
  private static final long NANOS_PER_MILLISECOND = 1_000_000;

  private final Shell shell;

  @Parameters(paramLabel = "EXPRESSION", description = "The expression.")
  String expression = "";

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Start of the range (inclusive), as in 2h or 2026-11-20.")
  @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "End of the range (inclusive), or the time of the values. Default: now.")
  @Nullable String to;

  @Option(
      names = "--step",
      paramLabel = "TIME",
      description = "Time between values, as in 1m. Default: a 60th of the range.")
  @Nullable String step;

  @Option(
      names = "--plot",
      description = "Draw each series as a line of bars. Default of --from: 1h.")
  boolean plot;

  @Option(
      names = "--output",
      paramLabel = "FORMAT",
      description = "table (default on a terminal), json (default in a pipe) or csv.")
  @Nullable OutputFormat output;

  @Mixin DaemonOptions daemon = new DaemonOptions();

  @Mixin final StoreOptions source = new StoreOptions();

  public PromqlCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() {
    var _ = PromqlAnswer.parse(expression);
    StepTimes steps = steps();
    PromqlAnswer answer = answer(steps);
    OutputBuffer out = new OutputBuffer(1 << 12);
    if (plot) {
      PromqlPlot.lines(answer, steps, shell.unicode()).forEach(line -> out.put(line + "\n"));
    } else {
      write(answer, out);
    }
    shell.write(out);
    answer.remarks().forEach(each -> shell.err().println("widerow promql: " + each));
    if (answer.all().isEmpty()) {
      shell.err().println("widerow promql: no series");
    }
    return ExitCode.OK.number;
  }

  private StepTimes steps() {
    Instant clock = Instant.now();
    long now = clock.getEpochSecond() * 1_000_000_000L + clock.getNano();
    long last = millis("to", to == null ? "now" : to, now);
    String start = from == null && plot ? "1h" : from;
    if (start == null) {
      if (step != null) {
        throw new QueryException.Refused("step", "needs from, the start of a range");
      }
      return StepTimes.at(last);
    }
    long first = millis("from", start, now);
    if (first > last) {
      throw new QueryException.Refused("from", "%s is after the end".formatted(start));
    }
    String width = step;
    long each =
        width == null
            ? Math.max(1_000, Math.ceilDiv(last - first, COLUMNS) / 1_000 * 1_000)
            : TimeText.positive("step", width) / NANOS_PER_MILLISECOND;
    if (each < 1 || (last - first) / each >= StepTimes.COUNT_MAX) {
      throw new QueryException.Refused(
          "step", "the range must have 1 to 11,000 steps, got %d ms".formatted(each));
    }
    return StepTimes.of(first, last, each);
  }

  private static long millis(String name, String text, long nowNanos) {
    return TimeText.parse(name, text, nowNanos) / NANOS_PER_MILLISECOND;
  }

  private PromqlAnswer answer(StepTimes steps) {
    EventStore store = source.open(daemon, shell);
    if (store == null) {
      return remote(steps);
    }
    try (store;
        StoreView view = store.view();
        QueryExecution execution =
            new QueryExecution(view, QueryBudget.DEFAULT, QueryMemory.unlimited())) {
      return PromqlAnswer.of(execution, expression, steps, StepTimes.LOOKBACK_MILLIS);
    }
  }

  private PromqlAnswer remote(StepTimes steps) {
    boolean isInstant = steps.stepMillis() == 0;
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    ParameterText.put(parameters, "query", expression);
    if (isInstant) {
      ParameterText.put(parameters, "time", seconds(steps.fromMillis()));
    } else {
      ParameterText.put(parameters, "start", seconds(steps.fromMillis()));
      ParameterText.put(parameters, "end", seconds(steps.time(steps.count() - 1)));
      ParameterText.put(parameters, "step", seconds(steps.stepMillis()));
    }
    String path = isInstant ? "/api/v1/query?" : "/api/v1/query_range?";
    return PromqlAnswer.ofJson(
        String.join(
            "", RemoteRows.lines(daemon.address(shell), path + RemoteResponse.encode(parameters))));
  }

  private static String seconds(long millis) {
    return "%d.%03d".formatted(millis / 1_000, millis % 1_000);
  }

  private void write(PromqlAnswer answer, OutputBuffer out) {
    Rfc3339 times = new Rfc3339(ZoneOffset.UTC);
    List<List<Cell>> rows = new ArrayList<>();
    for (PromqlAnswer.Series series : answer.all()) {
      for (PromqlAnswer.Point point : series.points()) {
        OutputBuffer time = new OutputBuffer(64);
        long nanos = point.millis() * NANOS_PER_MILLISECOND;
        times.put(nanos, time);
        rows.add(
            List.of(
                Cell.ofTime(nanos, time.toString()),
                Cell.ofText(series.name()),
                Cell.ofText(point.value())));
      }
    }
    new StatsWriter(shell.format(output)).write(List.of("ts", "series", "value"), rows, out);
  }
}
