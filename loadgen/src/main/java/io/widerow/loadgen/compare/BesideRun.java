package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.report.LoadSession;
import io.widerow.loadgen.run.CostWatcher;
import io.widerow.loadgen.run.LiveLine;
import io.widerow.loadgen.run.LoadRun;
import io.widerow.loadgen.run.Pace;
import io.widerow.loadgen.run.RunResult;
import io.widerow.loadgen.run.RunWatcher;
import io.widerow.loadgen.run.WrongAnswer;
import io.widerow.loadgen.workload.BatchPool;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Workload;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// A daemon that holds events and takes more on a schedule, alone or while clients run heavy
/// queries on the events that it holds.
///
/// - Threads: one.
public final class BesideRun implements AutoCloseable {
  private static final long SEED = 1;
  private static final int DISTINCT = 50_000;
  private static final int FILL_BATCH = 1_000;
  private static final long FILL_NANOS_MAX = 1_800 * Quantity.SECOND;
  private static final long FILL_SPAN_NANOS = 7_200 * Quantity.SECOND; // times of what it holds
  private static final long REST_NANOS_MAX = 10 * Quantity.SECOND;

  private final Contestant contestant;
  private final Plan plan;
  private final PrintWriter live;
  private final InetSocketAddress address;
  private final HeavyQuery.Range held;
  private ServerProcess server;
  private long sequence; // of the next event

  /// The events and queries to send.
  ///
  /// @param fillEvents number of events that the daemon holds before anything is measured
  /// @param pace of the events that come then
  /// @param batchEvents number of events in a request
  /// @param queries each sent by a client of its own while events come
  /// @param leaveNanos after which the client leaves every second response; 0 for never
  public record Plan(
      Scenario scenario,
      int series,
      long fillEvents,
      Pace pace,
      int batchEvents,
      List<HeavyQuery> queries,
      long leaveNanos) {
    public Plan {
      queries = List.copyOf(queries);
    }
  }

  /// The measurements of a turn.
  ///
  /// @param cpuNanos of the daemon while it was measured
  /// @param answers responses to heavy queries that were read to their ends
  /// @param left responses that the client did not wait for
  public record Turn(
      RunResult result,
      long cpuNanos,
      double stealShare,
      boolean clientBound,
      long answers,
      long left) {
    /// A percentile of the response times, in milliseconds.
    public double millis(double percentile) {
      return result.response().getValueAtPercentile(percentile) / (double) Quantity.MILLI;
    }
  }

  private BesideRun(
      Contestant contestant,
      Plan plan,
      PrintWriter live,
      InetSocketAddress address,
      HeavyQuery.Range held,
      ServerProcess server) {
    this.contestant = contestant;
    this.plan = plan;
    this.live = live;
    this.address = address;
    this.held = held;
    this.server = server;
  }

  /// Starts a daemon, fills it and starts it again, so that all its events are sealed. Each query
  /// is sent once.
  ///
  /// @param data a directory that does not exist
  public static BesideRun start(Contestant contestant, Plan plan, Path data, PrintWriter live)
      throws IOException, InterruptedException {
    InetSocketAddress address = ServerProcess.freeAddress();
    long untilNanos = nowNanos() - 60 * Quantity.SECOND;
    var held = new HeavyQuery.Range(plan.scenario(), untilNanos - FILL_SPAN_NANOS, untilNanos);
    ServerProcess server = contestant.startReady(data, address);
    BesideRun run = new BesideRun(contestant, plan, live, address, held, server);
    try {
      run.fill();
      server.stop();
      server.close();
      run.server = contestant.startReady(data, address);
      for (HeavyQuery query : plan.queries()) {
        HeavyClients.once(address, query, held);
      }
      ContestRun.rest(run.server, REST_NANOS_MAX);
      return run;
    } catch (Throwable failure) {
      run.close();
      throw failure;
    }
  }

  private void fill() throws IOException, InterruptedException {
    long stepNanos = Math.max(1, FILL_SPAN_NANOS / plan.fillEvents());
    Workload workload = workload(FILL_BATCH, held.fromNanos(), stepNanos);
    int connections = plan.pace().connections();
    Pace pace =
        new Pace(0, 0, FILL_NANOS_MAX, plan.fillEvents(), connections, 30 * Quantity.SECOND);
    LoadRun run = run(workload, pace, List.of());
    RunResult result = run.execute();
    result.requireNoFailure();
    advance(run);
    ContestRun.rest(server, REST_NANOS_MAX);
  }

  private void advance(LoadRun run) {
    long taken = sequence + run.eventsTaken();
    sequence = Math.ceilDiv(taken, Workload.BATCH_EVENTS_MAX) * Workload.BATCH_EVENTS_MAX;
  }

  private Workload workload(int batchEvents, long fromNanos, long stepNanos) {
    long firstNanos = fromNanos - sequence * stepNanos;
    return Workload.plain(
        plan.scenario(), SEED, batchEvents, DISTINCT, plan.series(), firstNanos, stepNanos);
  }

  private LoadRun run(Workload workload, Pace pace, List<CostWatcher> costs) {
    BatchPool pool = BatchPool.prepare(workload, contestant.target(), pace.connections());
    List<RunWatcher> watchers = new ArrayList<>(costs);
    watchers.addFirst(new LiveLine(live));
    return new LoadRun(
        contestant.endpoint(address),
        workload,
        pace,
        pool,
        sequence,
        watchers.toArray(RunWatcher[]::new));
  }

  private static long nowNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * Quantity.SECOND + now.getNano();
  }

  /// Sends events for the time of the plan.
  ///
  /// @param beside whether clients send queries concurrently, from before the warm-up on
  /// @throws WrongAnswer when a batch or a heavy query is refused
  public Turn turn(boolean beside) throws IOException, InterruptedException {
    long stepNanos = Math.max(1, Math.round(Quantity.SECOND / plan.pace().rate()));
    Workload workload = workload(plan.batchEvents(), nowNanos(), stepNanos);
    CostWatcher costs = new CostWatcher(server.pids(), null);
    LoadRun run = run(workload, plan.pace(), List.of(costs));
    List<HeavyQuery> queries = beside ? plan.queries() : List.of();
    RunResult result;
    HeavyClients clients = HeavyClients.start(address, queries, held, plan.leaveNanos());
    try (clients) {
      result = run.execute();
    }
    advance(run);
    result.requireEvents(contestant);
    result.requireNoFailure();
    if (clients.failures() > 0) {
      throw new WrongAnswer(
          "heavy queries failed %d times: %s".formatted(clients.failures(), clients.failure()));
    }
    ContestRun.rest(server, REST_NANOS_MAX);
    return new Turn(
        result,
        costs.costs().targetCpuNanos(),
        costs.costs().stealShare(),
        result.isClientBound(plan.pace().connections(), LoadSession.cores()),
        clients.answers(),
        clients.left());
  }

  @Override
  public void close() {
    server.close();
  }
}
