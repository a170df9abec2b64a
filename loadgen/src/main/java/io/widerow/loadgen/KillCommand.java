package io.widerow.loadgen;

import io.widerow.loadgen.compare.CompareOptions;
import io.widerow.loadgen.compare.Contestant;
import io.widerow.loadgen.compare.Killer;
import io.widerow.loadgen.compare.ServerProcess;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.report.FileTree;
import io.widerow.loadgen.run.LiveLine;
import io.widerow.loadgen.run.LoadRun;
import io.widerow.loadgen.run.Pace;
import io.widerow.loadgen.run.PaceOptions;
import io.widerow.loadgen.run.RunResult;
import io.widerow.loadgen.verify.Ledger;
import io.widerow.loadgen.verify.Verification;
import io.widerow.loadgen.wire.Endpoint;
import io.widerow.loadgen.workload.BatchPool;
import io.widerow.loadgen.workload.Workload;
import io.widerow.loadgen.workload.WorkloadOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow load kill`: load on a daemon that is killed again and again, and everything read back.
@Command(
    name = "kill",
    description = {
      "Kills a daemon with SIGKILL at random times under load, retries unanswered batches, and then"
          + " reads everything back: each acknowledged event once, in order, nothing invented."
    })
final class KillCommand extends LoadgenCommand {
  @Parameters(
      index = "0",
      arity = "0..1",
      defaultValue = "widerow-text:disk",
      paramLabel = "WHO",
      description = "widerow-text|widerow-lines|widerow-json:disk|os")
  private String who = "";

  @Option(
      names = "--every",
      defaultValue = "2s",
      paramLabel = "TIME",
      description = "mean time between kills")
  private String every = "";

  @Mixin private final CompareOptions options = new CompareOptions();
  @Mixin private final WorkloadOptions workloadOptions = new WorkloadOptions();
  @Mixin private final PaceOptions paceOptions = new PaceOptions();

  @Override
  public Integer call() throws Exception {
    Contestant contestant = options.contestant(who);
    if (!contestant.isWiderow()
        || !contestant.target().acknowledges()
        || contestant.isOnCluster()
        || contestant.setting().equals("memory")) {
      throw new IllegalArgumentException(
          "kill needs Widerow with acknowledgements that survive it, disk or os, not " + who);
    }
    Workload workload = workloadOptions.workload(Instant.now(), paceOptions.rate());
    Pace pace = paceOptions.pace();
    paceOptions.refuseStages("kill");
    long everyNanos = Quantity.nanos("--every", every);
    if (everyNanos < 1) {
      throw new IllegalArgumentException("--every cannot be " + every);
    }
    Path work = options.workDirectory();
    try {
      return run(contestant, workload, pace, everyNanos, work);
    } finally {
      FileTree.remove(work);
    }
  }

  private int run(Contestant contestant, Workload workload, Pace pace, long everyNanos, Path work)
      throws IOException, InterruptedException {
    PrintWriter out = out();
    BatchPool pool = workloadOptions.pool(workload, contestant.target(), pace.connections());
    InetSocketAddress address = ServerProcess.freeAddress();
    Path file = work.resolve("ledger");
    try (Killer killer =
        new Killer(contestant, work.resolve("data"), address, workload.seed(), everyNanos, out)) {
      Endpoint endpoint = contestant.endpoint(address).withPatience(pace.timeoutNanos());
      RunResult result;
      try (Ledger acks = new Ledger(file)) {
        LiveLine live = new LiveLine(err());
        result = new LoadRun(endpoint, workload, pace, pool, 0, acks, live).execute();
      }
      killer.finish();
      out.printf(
          "acknowledged   %s events while measuring, %d batches failed: %s %s%n",
          Quantity.count((double) result.events()),
          result.failedBatches(),
          result.failures(),
          result.failureExample());
      boolean right =
          Verification.run(contestant.queries(address), workload, pool.batches().size(), file, out);
      if (!right) {
        return ExitCode.WRONG;
      }
      return killer.kills() > 0 && result.events() > 0 ? ExitCode.OK : ExitCode.FAILURES;
    }
  }
}
