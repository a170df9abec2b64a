package io.widerow.storage.cassandra.maintenance;

import io.widerow.event.PartitionKey;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.KeyspaceException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Runs retention and merging of one daemon. Its owner calls [#maintain] about once a second; the
/// work itself is done by the owner's executor, a little at a time.
///
/// - Threads: any. One task runs at a time.
public final class Upkeep implements AutoCloseable {
  /// One run takes about so long, unless a single partition takes longer.
  private static final Duration RUN = Duration.ofSeconds(1);

  /// So long after a failure nothing is tried.
  private static final long FAILED_MILLIS = 5_000;

  /// Daemons are read again after so long.
  private static final long WRITERS_MILLIS = 10_000;

  private final Keyspace keyspace;
  private final ClusterPolicies policies;
  private final LongSupplier nowMillis;
  private final UpkeepCounters counters = new UpkeepCounters();
  private final ClockCheck clock;
  private final ClusterMerger merger;
  private final MergeSchedule merging;
  private final RetentionSweeper sweeping;
  private @Nullable Writers writers; // only the running task uses it
  private boolean running; // guarded by this, as are the next two
  private boolean closed;
  private long notBeforeMillis = Long.MIN_VALUE;
  private volatile @Nullable String clockTrouble;
  private volatile List<String> failures = List.of();

  /// @param daemon number of the daemon
  /// @param policies refreshed here too, when the owner does not
  /// @param mergeAfter so long after its end a bucket is merged; zero or more
  /// @param nowMillis the wall clock, milliseconds since the Unix epoch
  public Upkeep(
      Keyspace keyspace,
      int daemon,
      ClusterPolicies policies,
      Duration mergeAfter,
      LongSupplier nowMillis) {
    this.keyspace = keyspace;
    this.policies = policies;
    this.nowMillis = nowMillis;
    Leases leases = new Leases(keyspace, daemon, nowMillis);
    this.clock = new ClockCheck(keyspace, nowMillis);
    this.merger = new ClusterMerger(keyspace, daemon, new SecureRandom(), counters);
    this.merging =
        new MergeSchedule(
            keyspace, policies, merger, leases, clock, mergeAfter, nowMillis, counters);
    this.sweeping = new RetentionSweeper(keyspace, policies, leases, clock, nowMillis, counters);
  }

  /// Records that this daemon has applied a segment to a partition, so that late events are merged
  /// soon. Cheap.
  public void touched(PartitionKey partition) {
    merging.touched(partition);
  }

  /// Starts a run, unless one is in progress. Does not wait.
  ///
  /// @param threads where it runs; it waits there for the cluster, so a thread of low priority of
  ///   its own is best
  public void maintain(Executor threads) {
    policies.refreshIfDue();
    synchronized (this) {
      if (running || closed || nowMillis.getAsLong() < notBeforeMillis) {
        return;
      }
      running = true;
    }
    boolean handedOver = false;
    try {
      threads.execute(() -> {
        try {
          run(RUN);
        } finally {
          stop();
        }
      });
      handedOver = true;
    } finally {
      if (!handedOver) {
        stop();
      }
    }
  }

  private synchronized void stop() {
    running = false;
    notifyAll();
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /// A step of sweeping or merging; true when there is more to do now.
  @FunctionalInterface
  private interface Step {
    boolean make(Writers known);
  }

  /// Works for at most about `atMost`, then returns. Failures are for [#status]: the next run tries
  /// again. Sweeping and merging take turns, and one that fails does not stop the other.
  ///
  /// @return true when there is more to do now
  boolean run(Duration atMost) {
    List<String> failed = new ArrayList<>();
    boolean sweep = true;
    boolean merge = true;
    long start = System.nanoTime();
    while ((sweep || merge)
        && !isClosed()
        && System.nanoTime() - start < atMost.toNanos()
        && tried(failed, "the nodes' clock", _ -> areClocksGood())) {
      sweep = sweep && tried(failed, "sweeping", sweeping::step);
      merge = merge && tried(failed, "merging", merging::step);
    }
    failures = List.copyOf(failed);
    if (!failed.isEmpty()) {
      synchronized (this) {
        notBeforeMillis = nowMillis.getAsLong() + FAILED_MILLIS;
      }
    }
    return (sweep || merge) && failed.isEmpty() && clockTrouble == null;
  }

  private boolean areClocksGood() {
    clockTrouble = clock.trouble();
    return clockTrouble == null;
  }

  private boolean tried(List<String> failed, String what, Step step) {
    try {
      return step.make(writers());
    } catch (KeyspaceException | PolicyException failure) {
      failed.add(what + ": " + failure.getMessage());
      return false;
    }
  }

  /// Read before each directory that is looked at by it.
  private Writers writers() {
    Writers known = writers;
    long now = nowMillis.getAsLong();
    if (known == null || now < known.nowMillis() || now - known.nowMillis() >= WRITERS_MILLIS) {
      known = new Writers(Waits.of(keyspace.daemons()), now);
      writers = known;
    }
    return known;
  }

  public UpkeepStatus status() {
    List<String> paused = new ArrayList<>();
    add(paused, clockTrouble == null ? null : "merging and sweeping wait: " + clockTrouble);
    add(paused, sweeping.paused());
    add(paused, merging.paused());
    List<String> trouble = new ArrayList<>(failures);
    add(trouble, policies.trouble());
    add(trouble, merging.trouble());
    return new UpkeepStatus(
        counters.lastMergeMillis.get(),
        counters.lastSweepMillis.get(),
        counters.merges.sum(),
        counters.eventsMerged.sum(),
        counters.bytesMerged.sum(),
        counters.swapsLost.sum(),
        counters.eventsRemoved.sum(),
        counters.segmentsDeleted.sum(),
        counters.partitionsDropped.sum(),
        merging.waiting(),
        clock.skewMillis(),
        paused,
        trouble);
  }

  private static void add(List<String> sentences, @Nullable String sentence) {
    if (sentence != null) {
      sentences.add(sentence);
    }
  }

  /// Ends after the current partition, and waits for it.
  @Override
  public void close() {
    boolean interrupted = false;
    synchronized (this) {
      closed = true;
      while (running) {
        try {
          wait(TimeUnit.SECONDS.toMillis(1));
        } catch (InterruptedException _) {
          interrupted = true;
        }
      }
    }
    merger.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
