package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.report.LoadSession;
import io.widerow.loadgen.report.RunReport;
import io.widerow.loadgen.run.CostWatcher;
import io.widerow.loadgen.run.Costs;
import io.widerow.loadgen.run.LiveLine;
import io.widerow.loadgen.run.LoadRun;
import io.widerow.loadgen.run.Pace;
import io.widerow.loadgen.run.ProcessReading;
import io.widerow.loadgen.run.RunResult;
import io.widerow.loadgen.run.RunWatcher;
import io.widerow.loadgen.run.WrongAnswer;
import io.widerow.loadgen.workload.BatchPool;
import io.widerow.loadgen.workload.Workload;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// One run of one contestant: start the server on a fresh directory, warm up, measure, wait until
/// everything can be read and its threads are idle, count the stored events, stop it, and measure
/// its directory.
///
/// - Threads: one.
public record ContestRun(
    Contestant contestant, Workload workload, Pace pace, BatchPool pool, PrintWriter live) {
  static final long REST_NANOS_MAX = 30 * Quantity.SECOND;
  private static final double REST_CORES = 0.1;

  /// Measurements of a run.
  ///
  /// @param report costs of the server include a share of its work until it was idle
  /// @param server readings of it, one a second
  /// @param client of this process
  /// @param nodeCpuNanos of the nodes of Cassandra among its processes, as in the report; 0 for
  ///   none
  /// @param clientCpuNanos of this whole process while measuring
  /// @param drainNanos from the last response until everything could be read
  /// @param sentEvents acknowledged in all, warm-up included
  /// @param storedEvents counted by reading
  /// @param dataBytes of the files that hold them
  public record Outcome(
      RunReport report,
      List<ProcessReading> server,
      List<ProcessReading> client,
      long nodeCpuNanos,
      long clientCpuNanos,
      long drainNanos,
      boolean rested,
      long sentEvents,
      long storedEvents,
      long dataBytes) {
    /// One line of `data/runs.ndjson`.
    public Map<String, Object> members(String comparison, int pair) {
      Map<String, Object> members = new LinkedHashMap<>(report.members());
      members.put("comparison", comparison);
      members.put("pair", pair);
      members.put("node_us_per_event", Figure.NODE_MICROS.of(this));
      members.put("client_process_us_per_event", Figure.CLIENT_MICROS.of(this));
      members.put("drain_ms", drainNanos / Quantity.MILLI);
      members.put("rested", rested);
      members.put("sent_events", sentEvents);
      members.put("stored_events", storedEvents);
      members.put("data_bytes", dataBytes);
      return members;
    }
  }

  /// @param data a directory that does not exist
  /// @param watcher an additional watcher of the run
  /// @throws WrongAnswer when the contestant stores other events than it acknowledged, or
  ///   acknowledged none
  public Outcome execute(String name, Path data, RunWatcher watcher)
      throws IOException, InterruptedException {
    InetSocketAddress address = contestant.address();
    try (ServerProcess server = contestant.startReady(data, address)) {
      ServerCosts costs = new ServerCosts(server.pids(), contestant.nodePids(server));
      StoredCount count = new StoredCount(contestant, address, workload);
      long before = contestant.running() == null ? 0 : count.full();
      CostWatcher own = new CostWatcher(List.of(ProcessHandle.current().pid()), null);
      LoadRun run =
          new LoadRun(
              contestant.endpoint(address),
              workload,
              pace,
              pool,
              0,
              new LiveLine(live),
              costs.watcher(),
              own,
              watcher);
      RunResult result = run.execute();
      result.requireEvents(contestant);
      costs.ended();
      long endedNanos = System.nanoTime();
      long sent = run.eventsAccepted();
      count.awaitCheap(server, before + sent);
      long drainNanos = System.nanoTime() - endedNanos;
      boolean rested = rest(server, REST_NANOS_MAX);
      ServerCosts.Settled settled = costs.settled(result.events() / (double) Math.max(1, sent));
      long stored = count.full() - before;
      server.stop();
      Costs whole = settled.all().withAtRestBytes(CostWatcher.bytesBelow(data));
      boolean clientBound = result.isClientBound(pace.connections(), LoadSession.cores());
      RunReport report =
          new RunReport(
              name,
              contestant.note(),
              contestant.endpoint(address),
              workload,
              pace,
              result,
              whole,
              clientBound);
      if (stored != sent && result.failedBatches() == 0) {
        throw new WrongAnswer(
            "%s acknowledged %d events and has %d".formatted(contestant, sent, stored));
      }
      return new Outcome(
          report,
          costs.readings(),
          own.readings(),
          settled.nodeCpuNanos(),
          own.costs().targetCpuNanos(),
          drainNanos,
          rested,
          sent,
          stored,
          contestant.dataBytes(data));
    }
  }

  /// Waits until the server is idle for a second; false when it is not within this time, or when
  /// its process is not known.
  public static boolean rest(ServerProcess server, long nanosMax)
      throws IOException, InterruptedException {
    if (server.pids().isEmpty()) {
      return false;
    }
    long beganNanos = System.nanoTime();
    ProcessReading before = ProcessReading.of(server.pids());
    while (System.nanoTime() - beganNanos < nanosMax) {
      while (System.nanoTime() - before.atNanos() < Quantity.SECOND) {
        server.pause();
      }
      ProcessReading now = ProcessReading.of(server.pids());
      double cores =
          (now.cpuNanos() - before.cpuNanos()) / (double) (now.atNanos() - before.atNanos());
      if (cores < REST_CORES) {
        return true;
      }
      before = now;
    }
    return false;
  }

  /// A line for the terminal.
  public static String summary(Contestant contestant, Outcome outcome) {
    StringBuilder out = new StringBuilder();
    out.append(String.format(Locale.ROOT, "%-22s", contestant));
    for (Figure figure : Figure.values()) {
      out.append(String.format(Locale.ROOT, "  %s %s", figure.title, figure.text(outcome)));
    }
    return out.toString();
  }
}
