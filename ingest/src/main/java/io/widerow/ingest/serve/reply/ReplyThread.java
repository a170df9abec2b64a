package io.widerow.ingest.serve.reply;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/// Threads that run queries: platform threads, among which the kernel shares the processors. A
/// virtual thread that computes would keep one of few carriers until it ends, and others would not
/// begin.
///
/// They have long slices and a low priority, so that writers go first. A thread that has computed
/// for [#SHORT_MILLIS] has the lowest priority from then on, and the kernel switches threads more
/// often: it gives a thread its share in pieces that last from one tick to the next, and a writer
/// that wakes up in one waits for its end. A short query keeps its priority and begins at once.
/// While two heavy queries ran on two processors, nine of ten writes took three times as long
/// without low priorities, and one of a hundred half as long again without the rest
/// (`bench-results/reading.md`). While there are no writes, queries have all of the time.
///
/// See [ReplyTimeSlices], [SchedulerTicker].
public final class ReplyThread {
  /// The most processor time of a short answer, in milliseconds.
  static final int SHORT_MILLIS = 20;

  private static final int LOOK_MILLIS = 10;

  static final int NICE = 10;
  static final int NICE_LONG = 19;

  private static final long NANOS_A_MILLI = 1_000_000;
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final ThreadMXBean TIMES = ManagementFactory.getThreadMXBean();
  private static final ScheduledThreadPoolExecutor CLOCK = clock();

  private final Runnable work;
  private int thread = Niceness.CALLER; // the kernel's number, while the work runs
  private long javaThread;
  private long computedNanos; // when the clock looked last
  private boolean isLong;
  private boolean ticks; // has asked for fine ticks

  private ReplyThread(Runnable work) {
    this.work = work;
  }

  private static ScheduledThreadPoolExecutor clock() {
    var clock =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("widerow-answers").factory());
    clock.setRemoveOnCancelPolicy(true);
    return clock;
  }

  /// Starts a thread.
  public static void start(String name, Runnable work) {
    Thread _ = Thread.ofPlatform().name(name).daemon().start(new ReplyThread(work)::run);
  }

  private void run() {
    if (!ReplyTimeSlices.lengthen(NICE)) {
      LOG.log(Level.FINE, "{0}: slices cannot be lengthened here", Thread.currentThread());
    }
    synchronized (this) {
      thread = Niceness.thread();
      javaThread = Thread.currentThread().threadId();
    }
    var watch =
        CLOCK.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    try {
      work.run();
    } finally {
      watch.cancel(false);
      end();
    }
  }

  private synchronized void end() {
    thread = Niceness.CALLER; // the kernel may give the number to another thread
    setTicks(false);
  }

  /// Looks how much the thread has computed. One that waits for its client needs no ticks.
  private synchronized void look() {
    if (thread == Niceness.CALLER) {
      return;
    }
    long before = computedNanos;
    computedNanos = TIMES.getThreadCpuTime(javaThread);
    if (!isLong && computedNanos >= SHORT_MILLIS * NANOS_A_MILLI) {
      isLong = true;
      if (!Niceness.set(thread, NICE_LONG)) {
        LOG.log(Level.FINE, "the priority of thread {0} cannot be lowered here", thread);
      }
    }
    setTicks(computedNanos - before >= NANOS_A_MILLI && SchedulerTicker.OF_ANSWERS.isWritten());
  }

  private void setTicks(boolean wanted) {
    if (wanted && !ticks) {
      SchedulerTicker.OF_ANSWERS.begin();
    } else if (!wanted && ticks) {
      SchedulerTicker.OF_ANSWERS.end();
    }
    ticks = wanted;
  }
}
