package io.widerow.loadgen.run;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.wire.Endpoint;
import io.widerow.loadgen.workload.BatchPool;
import io.widerow.loadgen.workload.PreparedBatch;
import io.widerow.loadgen.workload.Workload;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/// One run against one target. Its events are numbered from a base, so no two runs of a session
/// send the same bytes: a target that recognises repeats would skip the work of the second.
///
/// - Threads: one for each connection, `send-0..`; the caller's thread watches them once a tick.
public final class LoadRun {
  private static final long TICK_MILLIS = 50;

  private final RunCounters counters = new RunCounters();
  private final Schedule schedule;
  private final List<Sender> senders = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Histogram response = RunCounters.histogram();
  private final Histogram service = RunCounters.histogram();
  private final Histogram slip = RunCounters.histogram();
  private final List<RunResult.Second> seconds = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> death = new AtomicReference<>();
  private final RunWatcher watcher;
  private final int batchEvents;

  /// A run whose outcomes nobody needs one by one.
  public LoadRun(
      Endpoint endpoint,
      Workload workload,
      Pace pace,
      BatchPool pool,
      long sequenceBase,
      RunWatcher... watchers) {
    this(
        endpoint,
        workload,
        pace,
        pool,
        sequenceBase,
        AckListener.NONE,
        new Watchers(List.of(watchers)));
  }

  public LoadRun(
      Endpoint endpoint,
      Workload workload,
      Pace pace,
      BatchPool pool,
      long sequenceBase,
      AckListener acks,
      RunWatcher watcher) {
    this.watcher = watcher;
    this.batchEvents = workload.batchEvents();
    TimerSlack.prepare();
    this.schedule = pace.schedule(System.nanoTime() + 20 * Quantity.MILLI, workload.batchEvents());
    for (int i = 0; i < pace.connections(); i++) {
      List<Sender.Outgoing> batches = new ArrayList<>();
      for (int slot = i; slot < pool.batches().size(); slot += pace.connections()) {
        PreparedBatch batch = pool.batches().get(slot);
        batches.add(new Sender.Outgoing(slot, endpoint.head(batch, workload.scenario()), batch));
      }
      Sender sender =
          new Sender(
              endpoint,
              workload,
              schedule,
              counters,
              acks,
              batches,
              sequenceBase,
              pace.timeoutNanos());
      senders.add(sender);
      threads.add(
          Thread.ofPlatform()
              .name("send-" + i)
              .daemon()
              .uncaughtExceptionHandler((_, failure) -> death.compareAndSet(null, failure))
              .unstarted(sender));
    }
  }

  public RunResult execute() throws InterruptedException {
    threads.forEach(Thread::start);
    long lastSecondNanos = schedule.startNanos;
    long lastEvents = 0;
    boolean measuring = false;
    CpuClock cpu = new CpuClock(threads);
    while (isAlive()) {
      long nowNanos = System.nanoTime();
      senders.forEach(sender -> sender.closeIfStuck(nowNanos));
      cpu.sample();
      if (!measuring && schedule.isMeasured(nowNanos)) {
        measuring = true;
        cpu.mark();
        watcher.measuringBegins();
      }
      if (nowNanos - lastSecondNanos >= Quantity.SECOND) {
        long events = counters.acceptedEvents.sum();
        second(lastSecondNanos, nowNanos, events - lastEvents, measuring);
        lastEvents = events;
        lastSecondNanos = nowNanos;
      }
    }
    if (death.get() != null) {
      throw new IllegalStateException("a sending thread ended", death.get());
    }
    long endNanos = System.nanoTime();
    second(lastSecondNanos, endNanos, counters.acceptedEvents.sum() - lastEvents, measuring);
    watcher.measuringEnds();
    return result(cpu.sinceMarkNanos());
  }

  /// Events given to senders, sent or not.
  public long eventsTaken() {
    return schedule.batchesTaken() * (long) batchEvents;
  }

  /// Events that were acknowledged, warm-up included.
  public long eventsAccepted() {
    return counters.acceptedEvents.sum();
  }

  /// Waits at most a tick and returns whether any thread still sends.
  private boolean isAlive() throws InterruptedException {
    long untilNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
    for (Thread thread : threads) {
      long leftMillis = TimeUnit.NANOSECONDS.toMillis(untilNanos - System.nanoTime());
      if (leftMillis > 0) {
        thread.join(leftMillis);
      }
    }
    return threads.stream().anyMatch(Thread::isAlive);
  }

  private void second(long fromNanos, long untilNanos, long events, boolean measured) {
    Histogram interval = drain(counters.response, response);
    watcher.interval(interval);
    drain(counters.service, service);
    drain(counters.slip, slip);
    RunResult.Second second =
        new RunResult.Second(
            (untilNanos - schedule.startNanos) / (double) Quantity.SECOND,
            events * (double) Quantity.SECOND / Math.max(1, untilNanos - fromNanos),
            interval.getValueAtPercentile(50),
            interval.getValueAtPercentile(99),
            counters.failureCount(),
            measured);
    seconds.add(second);
    watcher.second(second);
  }

  private static Histogram drain(Recorder from, Histogram into) {
    Histogram interval = from.getIntervalHistogram();
    into.add(interval);
    return interval;
  }

  private RunResult result(long cpuNanos) {
    long lastNanos = counters.lastDoneNanos.get();
    if (schedule.isOpen()) {
      // The last batch's turn lasts until the next one would have left.
      lastNanos = Math.max(lastNanos, schedule.plannedEndNanos());
    }
    long elapsedNanos = lastNanos == Long.MIN_VALUE ? 0 : lastNanos - schedule.measuredFirstNanos();
    return new RunResult(
        schedule.plannedPerSecond(),
        counters.measuredEvents.sum(),
        counters.measuredBytes.sum(),
        elapsedNanos,
        counters.queuedBatches.sum(),
        counters.failures(),
        counters.failureExample(),
        response,
        service,
        slip,
        cpuNanos,
        List.copyOf(seconds));
  }

  /// CPU of the sending threads, still known after they end.
  private static final class CpuClock {
    private final ThreadMXBean beans = ManagementFactory.getThreadMXBean();
    private final List<Thread> threads;
    private final long[] nanos;
    private long markNanos;

    CpuClock(List<Thread> threads) {
      this.threads = threads;
      this.nanos = new long[threads.size()];
    }

    void sample() {
      for (int i = 0; i < nanos.length; i++) {
        nanos[i] = Math.max(nanos[i], beans.getThreadCpuTime(threads.get(i).threadId()));
      }
    }

    void mark() {
      markNanos = sum();
    }

    long sinceMarkNanos() {
      return sum() - markNanos;
    }

    private long sum() {
      long sum = 0;
      for (long thread : nanos) {
        sum += thread;
      }
      return sum;
    }
  }
}
