package io.widerow.loadgen;

import io.widerow.loadgen.compare.BesideRun;
import io.widerow.loadgen.compare.CompareOptions;
import io.widerow.loadgen.compare.Contestant;
import io.widerow.loadgen.compare.HeavyQuery;
import io.widerow.loadgen.compare.PairedRatio;
import io.widerow.loadgen.compare.PairedRuns;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.report.FileTree;
import io.widerow.loadgen.report.Machine;
import io.widerow.loadgen.run.Pace;
import io.widerow.loadgen.workload.Scenario;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow load beside`: measures the cost of heavy queries to writers.
@Command(
    name = "beside",
    description = {
      "Fills a daemon of its own with --events, and then sends events at --rate in turns, with"
          + " clients that send heavy queries all the time, and alone (A B B A ...). Prints medians"
          + " of the latency of writing, and their ratio.",
      "Queries: scan (a percentile by host; of logs, a regular expression over lines), logql (a"
          + " sum by region with unwrap; of logs, with a parser), read (Prometheus' remote read of"
          + " all samples; counter only). Each has a client, which abandons every second response"
          + " after --leave-after."
    })
final class BesideCommand extends LoadgenCommand {
  @Parameters(
      index = "0",
      arity = "0..1",
      defaultValue = "widerow-lines:disk",
      paramLabel = "WHO",
      description = "a protocol of the daemon and its level")
  private String who = "";

  @Option(
      names = "--scenario",
      defaultValue = "counter",
      description = "counter, devops, access or broker")
  private Scenario scenario = Scenario.COUNTER;

  @Option(
      names = "--queries",
      defaultValue = "scan,logql",
      split = ",",
      description = "scan, logql, read; a client for each")
  private List<HeavyQuery> queries = List.of();

  @Option(
      names = "--leave-after",
      defaultValue = "200ms",
      paramLabel = "TIME",
      description = "when every second response is abandoned; 0s for never")
  private String leaveAfter = "";

  @Option(names = "--events", defaultValue = "2M", description = "events that the daemon holds")
  private String events = "";

  @Option(
      names = "--rate",
      defaultValue = "100k",
      paramLabel = "EVENTS",
      description = "events per second")
  private String rate = "";

  @Option(names = "--batch", defaultValue = "1000", description = "events a request")
  private int batch;

  @Option(names = "--connections", defaultValue = "4")
  private int connections;

  @Option(names = "--series", defaultValue = "100", description = "hosts of metrics")
  private int series;

  @Option(names = "--pairs", defaultValue = "5")
  private int pairs;

  @Option(names = "--duration", defaultValue = "10s", description = "measured time of a run")
  private String duration = "";

  @Option(
      names = "--warmup",
      defaultValue = "5s",
      description = "time before it that is not measured")
  private String warmup = "";

  @Option(
      names = "--max-ratio",
      paramLabel = "N",
      defaultValue = "0",
      description = "exit code 99 when the p99 rises more than so many times")
  private double maxRatio;

  @Mixin private final CompareOptions options = new CompareOptions();

  @Override
  public Integer call() throws Exception {
    Contestant contestant = options.contestant(who);
    BesideRun.Plan plan = plan(contestant);
    Path work = options.workDirectory();
    try (BesideRun run = BesideRun.start(contestant, plan, work.resolve("data"), err())) {
      run.turn(true); // compilers have seen both
      run.turn(false);
      PairedRuns<BesideRun.Turn> runs =
          new PairedRuns<>(
              pair -> turn(run, true, pair),
              pair -> turn(run, false, pair),
              BesideRun.Turn::stealShare,
              pairs,
              options.budgetNanos());
      runs.execute();
      return report(contestant, runs);
    } finally {
      FileTree.remove(work);
    }
  }

  private BesideRun.Plan plan(Contestant contestant) {
    requireDaemon(contestant, who);
    for (HeavyQuery query : queries) {
      if (!query.suits(scenario)) {
        throw new IllegalArgumentException(
            "--queries %s has no result in events of --scenario %s"
                .formatted(
                    query.name().toLowerCase(Locale.ROOT),
                    scenario.name().toLowerCase(Locale.ROOT)));
      }
    }
    double perSecond = Quantity.count("--rate", rate);
    long fill = Quantity.count("--events", events);
    if (perSecond < 1 || fill < 1 || queries.isEmpty()) {
      throw new IllegalArgumentException(
          "--rate and --events are at least 1, --queries one or more, got %s, %s, %s"
              .formatted(rate, events, queries));
    }
    Pace pace =
        new Pace(
            perSecond,
            Quantity.nanos("--warmup", warmup),
            Quantity.nanos("--duration", duration),
            Long.MAX_VALUE,
            connections,
            30 * Quantity.SECOND);
    return new BesideRun.Plan(
        scenario, series, fill, pace, batch, queries, Quantity.nanos("--leave-after", leaveAfter));
  }

  private BesideRun.Turn turn(BesideRun run, boolean beside, int pair)
      throws IOException, InterruptedException {
    BesideRun.Turn turn = run.turn(beside);
    print(
        String.format(
            Locale.ROOT,
            "%d  %-7s p50 %.2f  p90 %.2f  p99 %.2f  p99.9 %.2f ms  %,.0f events/s  answers %d,"
                + " left %d%s",
            pair + 1,
            beside ? "beside" : "alone",
            turn.millis(50),
            turn.millis(90),
            turn.millis(99),
            turn.millis(99.9),
            turn.result().eventsPerSecond(),
            turn.answers(),
            turn.left(),
            turn.clientBound() ? "  client-bound" : ""));
    return turn;
  }

  private int report(Contestant contestant, PairedRuns<BesideRun.Turn> runs) {
    print("");
    print("machine: " + Machine.origin() + "; daemon: " + contestant + options.settings());
    print(
        ("%s events of %s held, %s events/s in batches of %d over %d connections; beside %s, every"
                + " second answer left after %s; %d pairs, %d discarded")
            .formatted(
                events,
                scenario.name().toLowerCase(Locale.ROOT),
                rate,
                batch,
                connections,
                queries.toString().toLowerCase(Locale.ROOT),
                leaveAfter,
                runs.a().size(),
                runs.discarded()));
    print("");
    print("| latency of writing | alone | with queries | ratio | 95 % |");
    print("| --- | ---: | ---: | ---: | --- |");
    PairedRatio p99 = row("p99 ms", runs, turn -> turn.millis(99));
    row("p50 ms", runs, turn -> turn.millis(50));
    row("p90 ms", runs, turn -> turn.millis(90));
    row("p99.9 ms", runs, turn -> turn.millis(99.9));
    row("service p99 ms", runs, turn -> millis99(turn.result().service()));
    row("slip p99 ms", runs, turn -> millis99(turn.result().slip()));
    row("events/s", runs, turn -> turn.result().eventsPerSecond());
    row(
        "cores of the daemon",
        runs,
        turn -> turn.cpuNanos() / (double) turn.result().elapsedNanos());
    if (runs.a().size() < pairs) {
      return ExitCode.FAILURES;
    }
    return maxRatio > 0 && p99.ratio() > maxRatio ? ExitCode.BOUND : ExitCode.OK;
  }

  private static double millis99(Histogram times) {
    return times.getValueAtPercentile(99) / (double) Quantity.MILLI;
  }

  private PairedRatio row(
      String title, PairedRuns<BesideRun.Turn> runs, ToDoubleFunction<BesideRun.Turn> figure) {
    PairedRatio ratio = PairedRatio.of(runs, figure);
    print(
        String.format(
            Locale.ROOT,
            "| %s | %,.2f | %,.2f | %.2f | %.2f .. %.2f |",
            title,
            ratio.medianB(),
            ratio.medianA(),
            ratio.ratio(),
            ratio.low(),
            ratio.high()));
    return ratio;
  }
}
