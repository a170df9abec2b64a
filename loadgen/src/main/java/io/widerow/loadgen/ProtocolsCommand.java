package io.widerow.loadgen;

import io.widerow.loadgen.compare.CompareOptions;
import io.widerow.loadgen.compare.ComparisonFolder;
import io.widerow.loadgen.compare.Contestant;
import io.widerow.loadgen.compare.ProtocolRun;
import io.widerow.loadgen.compare.ProtocolTable;
import io.widerow.loadgen.compare.ResultOptions;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.report.FileTree;
import io.widerow.loadgen.report.LoadSession;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Target;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow load protocols`: one table of all protocols.
@Command(
    name = "protocols",
    description = {
      "Sends the same events in each protocol in turn, each to a daemon on a fresh directory, and"
          + " prints one table: events/s as fast as responses arrive, CPU of the daemon for an"
          + " event, and the latency of responses at a fixed rate.",
      "Protocols of logs send the lines of --scenario, protocols of metrics samples of `counter`."
          + " One that the daemon does not serve is listed as such."
    })
final class ProtocolsCommand extends LoadgenCommand {
  @Parameters(
      paramLabel = "TARGET",
      description = "protocols, by the names of --target (default: all)")
  private List<String> targets = List.of(); // picocli's own message would not name them

  @Option(
      names = "--rounds",
      defaultValue = "2",
      description = "rounds of all protocols, whose median counts")
  private int rounds;

  @Option(
      names = "--seconds",
      defaultValue = "3",
      description =
          "measured time of each of a protocol's two runs (default ${DEFAULT-VALUE}); a protocol"
              + " takes twice that, --warmup and about 6 s more")
  private int seconds;

  @Option(
      names = "--warmup",
      defaultValue = "6s",
      description = "time before it that is not measured")
  private String warmup = "";

  @Option(
      names = "--rate",
      defaultValue = "50k",
      paramLabel = "EVENTS",
      description = "events per second for the latency; a protocol has half its full rate at most")
  private String rate = "";

  @Option(
      names = "--durability",
      defaultValue = "disk",
      paramLabel = "LEVEL",
      description = "disk, os or memory")
  private String durability = "";

  @Option(
      names = "--scenario",
      defaultValue = "access",
      description = "lines of the protocols of logs: access or broker")
  private Scenario scenario = Scenario.ACCESS;

  @Option(names = "--batch", defaultValue = "1000", description = "events a request at full rate")
  private int batch;

  @Option(
      names = "--latency-batch",
      defaultValue = "100",
      description = "events a request at the fixed rate")
  private int latencyBatch;

  @Option(names = "--connections", defaultValue = "2")
  private int connections;

  @Mixin private final CompareOptions options = new CompareOptions();
  @Mixin private final ResultOptions output = new ResultOptions();

  private final Set<Target> unserved = EnumSet.noneOf(Target.class);
  private boolean failed;

  @Override
  public Integer call() throws Exception {
    List<Target> order = order();
    if (options.contestant(order.getFirst().label + ":" + durability).isOnCluster()) {
      throw new IllegalArgumentException(
          "protocols are compared on one machine: --durability cannot be " + durability);
    }
    if (rounds < 1 || seconds < 1 || !scenario.isLog()) {
      throw new IllegalArgumentException(
          "--rounds and --seconds are at least 1, --scenario is access or broker, got %d, %d, %s"
              .formatted(rounds, seconds, scenario.name().toLowerCase(Locale.ROOT)));
    }
    ProtocolRun.Plan plan =
        new ProtocolRun.Plan(
            scenario,
            batch,
            latencyBatch,
            Quantity.count("--rate", rate),
            connections,
            Quantity.nanos("--warmup", warmup),
            seconds * Quantity.SECOND);
    ProtocolTable table = new ProtocolTable(order);
    Path work = options.workDirectory();
    try {
      String name = LoadSession.STAMP.format(Instant.now()) + "-protocols-" + scenario.type;
      ComparisonFolder folder = output.begin(work, name, arguments());
      int done = run(order, plan, table, work);
      String report = table.render(what(), done);
      folder.finish("protocols", "target", table.lines(), report);
      output.show("\n" + report, folder, out());
      return failed ? ExitCode.FAILURES : ExitCode.OK;
    } finally {
      FileTree.remove(work);
    }
  }

  private List<Target> order() {
    return targets.isEmpty()
        ? Stream.of(Target.values()).filter(Target::isDaemons).toList()
        : targets.stream().map(Target::protocol).distinct().toList();
  }

  /// Runs whole rounds until there are enough, or the next would not end within the budget.
  private int run(List<Target> order, ProtocolRun.Plan plan, ProtocolTable table, Path work)
      throws IOException, InterruptedException {
    long beganNanos = System.nanoTime();
    long longestNanos = 0;
    for (int round = 0; round < rounds; round++) {
      long roundNanos = System.nanoTime();
      if (round > 0 && roundNanos - beganNanos + longestNanos > options.budgetNanos()) {
        print("no time within --budget for round " + (round + 1));
        return round;
      }
      for (Target target : round % 2 == 0 ? order : order.reversed()) {
        if (!unserved.contains(target)) {
          turn(target, round, plan, table, work);
        }
      }
      longestNanos = Math.max(longestNanos, System.nanoTime() - roundNanos);
    }
    return rounds;
  }

  /// One protocol's turn; what it does wrong is a note, and the session goes on.
  private void turn(Target target, int round, ProtocolRun.Plan plan, ProtocolTable table, Path work)
      throws InterruptedException, IOException {
    Path data = work.resolve("%02d-%s".formatted(round, target));
    Contestant contestant = options.contestant(target.label + ":" + durability);
    PrintWriter err = err();
    try {
      ProtocolRun.Figures found = new ProtocolRun(contestant, plan, err).execute(data);
      table.add(target, found);
      print(
          String.format(
              Locale.ROOT,
              "%d  %-14s %,12.0f events/s  %6.2f us/event%s%s",
              round + 1,
              target,
              found.eventsPerSecond(),
              found.serverMicros(),
              Double.isNaN(found.p99Micros())
                  ? ""
                  : String.format(
                      Locale.ROOT,
                      "  p99 %,10.0f us at %,.0f events/s",
                      found.p99Micros(),
                      found.latencyRate()),
              found.clientBound() ? "  client-bound" : ""));
    } catch (ProtocolRun.Unserved refused) {
      unserved.add(target);
      table.note(target, "not served");
      print("%d  %-14s not served: %s".formatted(round + 1, target, refused.getMessage()));
    } catch (IOException failure) {
      failed = true;
      table.note(target, "failed: " + failure.getMessage());
      print("%d  %-14s failed: %s".formatted(round + 1, target, failure.getMessage()));
    } finally {
      FileTree.remove(data);
    }
  }

  private String what() {
    return ("durability %s; full rate: batches of %d, %d connections, %d s after %s of warm-up, as"
            + " fast as answers come; latency: batches of %d on a fixed schedule of %s events/s or"
            + " half the full rate, %d s; lines: %s, samples: counter%s")
        .formatted(
            durability,
            batch,
            connections,
            seconds,
            warmup,
            latencyBatch,
            rate,
            seconds,
            scenario.name().toLowerCase(Locale.ROOT),
            options.settings());
  }
}
