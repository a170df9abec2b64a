package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.report.LoadSession;
import io.widerow.loadgen.run.CostWatcher;
import io.widerow.loadgen.run.Costs;
import io.widerow.loadgen.run.LiveLine;
import io.widerow.loadgen.run.LoadRun;
import io.widerow.loadgen.run.Pace;
import io.widerow.loadgen.run.ProcessReading;
import io.widerow.loadgen.run.RunResult;
import io.widerow.loadgen.run.WrongAnswer;
import io.widerow.loadgen.wire.Connection;
import io.widerow.loadgen.wire.Endpoint;
import io.widerow.loadgen.wire.Failure;
import io.widerow.loadgen.wire.Reply;
import io.widerow.loadgen.workload.BatchPool;
import io.widerow.loadgen.workload.PreparedBatch;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Stamper;
import io.widerow.loadgen.workload.Target;
import io.widerow.loadgen.workload.Workload;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import org.HdrHistogram.Histogram;

/// One protocol's turn: a daemon on a fresh directory takes events as fast as answers come, which
/// gives the rate and the CPU, and then events on a fixed schedule, which gives the latency. Every
/// acknowledged event must be stored.
///
/// - Threads: one.
public record ProtocolRun(Contestant contestant, Plan plan, PrintWriter live) {
  private static final long SEED = 1;
  private static final int SERIES = 100;
  private static final int DISTINCT = 50_000;
  private static final int DISTINCT_ALONE = 5_000; // where each event is a request
  private static final long REST_NANOS_MAX = 5 * Quantity.SECOND;
  private static final long LATENCY_WARMUP_NANOS = Quantity.SECOND;
  private static final long TIMEOUT_NANOS = 10 * Quantity.SECOND;

  /// What each protocol does in each round.
  ///
  /// @param logs the scenario of protocols of logs; those of metrics have samples
  /// @param batchEvents a request at full rate
  /// @param latencyBatchEvents a request on the schedule
  /// @param rate events per second on the schedule; a protocol has half its full rate at most
  /// @param nanos how long each of the two is measured
  public record Plan(
      Scenario logs,
      int batchEvents,
      int latencyBatchEvents,
      double rate,
      int connections,
      long warmupNanos,
      long nanos) {}

  /// What a turn found.
  ///
  /// @param eventsPerSecond stored
  /// @param serverMicros CPU of the daemon for each of them, sealing and merging included
  /// @param p50Micros of responses on the schedule; NaN where there are none
  /// @param p99Micros likewise
  /// @param latencyRate events per second of the schedule
  /// @param wireBytes of a request's body for each event
  /// @param lostShare of the events sent, where the protocol has no acknowledgements
  /// @param clientBound whether this tool was the limit in one of the two
  public record Figures(
      double eventsPerSecond,
      double serverMicros,
      double p50Micros,
      double p99Micros,
      double latencyRate,
      double wireBytes,
      double lostShare,
      boolean clientBound) {}

  /// The daemon does not serve the protocol.
  public static final class Unserved extends IOException {
    private static final long serialVersionUID = 1L;

    Unserved(String said) {
      // Some answers are protobuf, and some name all keys there are.
      super(said.replaceAll("\\p{Cntrl}+", " ").strip().replaceFirst("(.{100}).+", "$1..."));
    }
  }

  /// @param data a directory that does not exist
  /// @throws Unserved when the daemon says so
  /// @throws WrongAnswer when it stores other events than it acknowledged, or acknowledged none
  public Figures execute(Path data) throws IOException, InterruptedException {
    InetSocketAddress address = ServerProcess.freeAddress();
    try (ServerProcess server = contestant.start(data, address)) {
      awaitReady(server, address);
      Workload workload = workload(plan.batchEvents(), Quantity.MICRO, 0);
      probe(contestant.endpoint(address), workload);
      Pace flat = pace(0, plan.warmupNanos());
      Turn full = turn(server, address, workload, flat, 0, 1); // the probe's event
      double perSecond = full.result().eventsPerSecond() * full.storedShare();
      double rate = Math.max(1, Math.min(plan.rate(), Math.floor(perSecond / 2)));
      long base = Math.ceilDiv(full.taken(), Workload.BATCH_EVENTS_MAX) * Workload.BATCH_EVENTS_MAX;
      long stepNanos = Math.max(1, Math.round(Quantity.SECOND / rate));
      Workload slow = workload(plan.latencyBatchEvents(), stepNanos, base);
      Pace paced = pace(rate, LATENCY_WARMUP_NANOS);
      Turn onSchedule = turn(server, address, slow, paced, base, full.stored());
      server.stop();
      return figures(full, onSchedule, perSecond, rate);
    }
  }

  private Pace pace(double rate, long warmupNanos) {
    return new Pace(
        rate, warmupNanos, plan.nanos(), Long.MAX_VALUE, plan.connections(), TIMEOUT_NANOS);
  }

  private Figures figures(Turn full, Turn onSchedule, double perSecond, double rate) {
    boolean answers = contestant.target().acknowledges();
    Histogram response = onSchedule.result().response();
    double storedEvents = full.result().events() * full.storedShare();
    return new Figures(
        perSecond,
        full.costs().targetCpuNanos() / (double) Quantity.MICRO / Math.max(1, storedEvents),
        answers ? micros(response.getValueAtPercentile(50)) : Double.NaN,
        answers ? micros(response.getValueAtPercentile(99)) : Double.NaN,
        rate,
        full.result().bytes() / (double) Math.max(1, full.result().events()),
        1 - full.storedShare(),
        full.clientBound() || onSchedule.clientBound());
  }

  private static double micros(long nanos) {
    return nanos / (double) Quantity.MICRO;
  }

  private void awaitReady(ServerProcess server, InetSocketAddress address)
      throws IOException, InterruptedException {
    try {
      server.await(() -> contestant.isReady(address));
    } catch (IOException failure) {
      String key = contestant.target().portKey();
      String said = String.valueOf(failure.getMessage());
      if (key != null && said.contains("unknown key " + key)) {
        throw new Unserved(said);
      }
      throw failure;
    }
  }

  /// Times begin now, whatever the number of the first event is.
  private Workload workload(int batchEvents, long stepNanos, long sequenceBase) {
    Target target = contestant.target();
    Instant now = Instant.now();
    long nowNanos = now.getEpochSecond() * Quantity.SECOND + now.getNano();
    boolean alone = target.batchEventsMax() == 1;
    return Workload.plain(
        target.isSamples() ? Scenario.COUNTER : plan.logs(),
        SEED,
        Math.min(batchEvents, target.batchEventsMax()),
        alone ? DISTINCT_ALONE : DISTINCT,
        SERIES,
        nowNanos - sequenceBase * stepNanos,
        stepNanos);
  }

  /// One small request, before the run.
  private void probe(Endpoint endpoint, Workload workload) throws IOException {
    long fromNanos = workload.fromNanos() - Quantity.SECOND;
    Workload small = Workload.plain(workload.scenario(), SEED + 1, 1, 1, SERIES, fromNanos, 1);
    PreparedBatch batch = BatchPool.prepare(small, endpoint.target(), 1).batches().get(0);
    batch.stamp(new Stamper(), small, 0);
    try (Connection connection = endpoint.connect()) {
      Reply reply = connection.exchange(endpoint.head(batch, small.scenario()), batch.bytes(), 1);
      if (reply.failure() == Failure.UNSERVED) {
        throw new Unserved(reply.body());
      }
      if (reply.failure() != null) {
        throw new IOException(reply.failure() + ": " + reply.body().strip());
      }
    }
  }

  /// One of the two measurements.
  ///
  /// @param costs with a share of the work that the daemon did after it
  /// @param stored events in all, those of earlier turns included
  /// @param storedShare of the events that were sent in this turn
  /// @param taken by the senders, sent or not
  private record Turn(
      RunResult result,
      Costs costs,
      boolean clientBound,
      long stored,
      double storedShare,
      long taken) {}

  private Turn turn(
      ServerProcess server,
      InetSocketAddress address,
      Workload workload,
      Pace pace,
      long sequenceBase,
      long storedBefore)
      throws IOException, InterruptedException {
    BatchPool pool = BatchPool.prepare(workload, contestant.target(), pace.connections());
    CostWatcher costs = new CostWatcher(server.pids(), null);
    LoadRun run =
        new LoadRun(
            contestant.endpoint(address),
            workload,
            pace,
            pool,
            sequenceBase,
            new LiveLine(live),
            costs);
    RunResult result = run.execute();
    result.requireEvents(contestant);
    result.requireNoFailure();
    ProcessReading ended = ProcessReading.of(server.pid());
    if (pace.rates().isClosed() || !contestant.target().acknowledges()) { // else only counted
      ContestRun.rest(server, REST_NANOS_MAX);
    }
    ProcessReading settled = ProcessReading.of(server.pid());
    long sent = run.eventsAccepted();
    long stored = new StoredCount(contestant, address, workload).full();
    boolean mayLose = contestant.target().way == Target.Way.DATAGRAMS;
    if (stored > storedBefore + sent || (stored < storedBefore + sent && !mayLose)) {
      throw new WrongAnswer(
          "acknowledged %d events and has %d".formatted(storedBefore + sent, stored));
    }
    double measuredShare = result.events() / (double) Math.max(1, sent);
    return new Turn(
        result,
        costs.costs().with(ended, settled, measuredShare, -1),
        result.isClientBound(pace.connections(), LoadSession.cores()),
        stored,
        (stored - storedBefore) / (double) Math.max(1, sent),
        sequenceBase + run.eventsTaken());
  }
}
