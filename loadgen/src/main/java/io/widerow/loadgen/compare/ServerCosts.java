package io.widerow.loadgen.compare;

import io.widerow.loadgen.run.CostWatcher;
import io.widerow.loadgen.run.Costs;
import io.widerow.loadgen.run.ProcessReading;
import io.widerow.loadgen.run.RunWatcher;
import io.widerow.loadgen.run.Watchers;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Resources that the processes of a contestant use during a run and until they are idle: of all of
/// them together, and of the nodes of Cassandra apart.
///
/// - Threads: the run's watching thread while the run lasts, then one.
final class ServerCosts {
  private final Share all;
  private final @Nullable Share nodes; // null where there are none; may be all of them

  ServerCosts(List<Long> pids, List<Long> nodePids) {
    this.all = new Share(pids);
    this.nodes = nodePids.isEmpty() ? null : nodePids.equals(pids) ? this.all : new Share(nodePids);
  }

  /// Some of the processes.
  private static final class Share {
    final List<Long> pids;
    final CostWatcher watcher;
    @Nullable ProcessReading ended;

    Share(List<Long> pids) {
      this.pids = pids;
      this.watcher = new CostWatcher(pids, null);
    }

    void ended() throws IOException {
      ended = pids.isEmpty() ? ProcessReading.NONE : ProcessReading.of(pids);
    }

    Costs settled(double measuredShare) throws IOException {
      ProcessReading before = ended;
      if (before == null) {
        throw new IllegalStateException("settled before the run has ended");
      }
      return pids.isEmpty()
          ? watcher.costs()
          : watcher.costs().with(before, ProcessReading.of(pids), measuredShare, -1);
    }
  }

  /// Watches a run.
  RunWatcher watcher() {
    return nodes == null || nodes == all
        ? all.watcher
        : new Watchers(List.of(all.watcher, nodes.watcher));
  }

  /// Readings of all processes, one a second of the run.
  List<ProcessReading> readings() {
    return all.watcher.readings();
  }

  /// Notes the end of the run.
  void ended() throws IOException {
    all.ended();
    if (nodes != null && nodes != all) {
      nodes.ended();
    }
  }

  /// Costs with a share of the work since [#ended], once the processes are idle.
  ///
  /// @param all of all processes; bytes at rest are not known yet
  /// @param nodeCpuNanos of the nodes among them, 0 where there are none
  record Settled(Costs all, long nodeCpuNanos) {}

  /// @param measuredShare measured events as a share of all that were sent
  Settled settled(double measuredShare) throws IOException {
    Costs whole = all.settled(measuredShare);
    if (nodes == null) {
      return new Settled(whole, 0);
    }
    Costs part = nodes == all ? whole : nodes.settled(measuredShare);
    return new Settled(whole, part.targetCpuNanos());
  }
}
