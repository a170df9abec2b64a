package io.widerow.ingest.lane;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.widerow.storage.Durability;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The batches that are durable on this machine and wait until the cluster has them. Each completes
/// once: at [Durability#QUORUM] when its group is applied, or, when that takes too long, with the
/// level that it has here. Each lane has one queue, in the order of groups. One thread completes
/// the batches of all queues.
///
/// ```
///   lane: commit --add--> [ batch | batch | ... ] --applied, or too late--> answered
///                              ^ the store: all groups up to n are applied
/// ```
///
/// - Threads: any; owns the thread `widerow-quorum`.
/// - Memory: of a batch its outcome and listener, for [#WAITING_MAX] batches a lane. Further
///   batches complete at once with the level that they have.
final class QuorumWaits implements AutoCloseable {
  /// Batches that wait in a lane.
  static final int WAITING_MAX = 1 << 14;

  private static final Logger LOG = Logger.getLogger("widerow");
  private static final long LOOK_MILLIS = 50; // maximum delay of the end of a wait
  private static final long ANSWERING_SECONDS_MAX = 5;

  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1,
          Thread.ofPlatform().name("widerow-quorum").daemon().factory(),
          new ThreadPoolExecutor.DiscardPolicy()); // notifications of the store after the end
  private final List<Queue> queues = new CopyOnWriteArrayList<>();
  private final long waitNanos;
  private final MeterRegistry registry;
  private volatile boolean ended;

  /// @param waitNanos how long a batch waits at most
  QuorumWaits(long waitNanos, MeterRegistry registry) {
    this.waitNanos = waitNanos;
    this.registry = registry;
  }

  /// The queue of a lane. Each lane asks for its own once.
  Queue queue(String lane) {
    Queue queue = new Queue(lane);
    queues.add(queue);
    return queue;
  }

  /// A batch that waits.
  ///
  /// @param kept its outcome at the level that it has on this machine
  /// @param group with which it is applied
  private record Waiting(BatchPart part, BatchOutcome.Stored kept, long group, long addedNanos) {}

  /// The batches of one lane.
  ///
  /// - Threads: the lane's adds, any other calls [#reached].
  final class Queue {
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(); // guarded by itself
    private final AtomicLong applied = new AtomicLong(-1);
    private final AtomicBoolean called = new AtomicBoolean();
    private final Timer reached;
    private final Counter late;

    private Queue(String lane) {
      reached =
          Timer.builder("widerow.quorum.wait")
              .tag("lane", lane)
              .publishPercentiles(0.5, 0.99)
              .register(registry);
      late = Counter.builder("widerow.quorum.late").tag("lane", lane).register(registry);
      Gauge.builder("widerow.quorum.waiting", this, Queue::size)
          .tag("lane", lane)
          .register(registry);
      var _ =
          thread.scheduleWithFixedDelay(
              this::answer, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    int size() {
      synchronized (waiting) {
        return waiting.size();
      }
    }

    /// Records that all groups up to this one are applied. It sends no response itself.
    void reached(long group) {
      if (applied.getAndAccumulate(group, Math::max) < group && called.compareAndSet(false, true)) {
        thread.execute(() -> {
          called.set(false);
          answer();
        });
      }
    }

    boolean isApplied(long group) {
      return group <= applied.get();
    }

    /// Answers a batch when its group is applied, or has it wait for that.
    ///
    /// @param kept its outcome at the level that it has on this machine
    void add(BatchPart part, BatchOutcome.Stored kept, long group) {
      if (isApplied(group)) {
        part.done(kept.at(Durability.QUORUM));
        return;
      }
      if (ended || size() >= WAITING_MAX) {
        late.increment();
        part.done(kept);
        return;
      }
      part.kept(kept);
      synchronized (waiting) {
        waiting.add(new Waiting(part, kept, group, System.nanoTime()));
      }
      if (isApplied(group) || ended) { // meanwhile
        thread.execute(this::answer);
      }
    }

    private void answer() {
      for (Waiting next = next(); next != null; next = next()) {
        long waited = System.nanoTime() - next.addedNanos;
        boolean isApplied = isApplied(next.group);
        if (isApplied) {
          reached.record(waited, TimeUnit.NANOSECONDS);
        } else {
          late.increment();
        }
        try {
          next.part.done(isApplied ? next.kept.at(Durability.QUORUM) : next.kept);
        } catch (RuntimeException bug) { // the others must be answered
          LOG.log(Level.SEVERE, "answering a batch", bug);
        }
      }
    }

    /// The oldest batch, if it is applied or has waited long enough. A repeat may stand after
    /// batches of later groups: it is answered with them.
    private @Nullable Waiting next() {
      synchronized (waiting) {
        Waiting first = waiting.peek();
        boolean due =
            first != null
                && (ended
                    || isApplied(first.group)
                    || System.nanoTime() - first.addedNanos >= waitNanos);
        return due ? waiting.poll() : null;
      }
    }
  }

  /// Ends all waits: present and later batches complete with the level that is reached.
  void end() {
    ended = true;
  }

  /// Responds to all waiting requests. Nothing may be added afterwards.
  @Override
  public void close() {
    ended = true;
    thread.shutdown(); // ends the periodic task
    try {
      boolean _ = thread.awaitTermination(ANSWERING_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    queues.forEach(Queue::answer);
  }
}
