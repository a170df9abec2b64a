package io.widerow.ingest.serve.reply;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/// Makes the kernel choose each half of a millisecond which thread a processor runs, while long
/// queries keep the processors busy. By itself it looks at its ticks, up to 4 ms apart
/// (`CONFIG_HZ`), and a writer that has had more than its share at the moment when it wakes up
/// waits for the next tick, although it would have its turn much earlier. On each processor a
/// thread with the shortest slices wakes up and sleeps again; the kernel then runs whose turn it
/// is.
///
/// ```
///   answer   ..............................|            goes on
///   writer        wakes up | waits for a tick, 4 ms     | runs
///
///   answer   ........|.|.................
///   ticks            |
///   writer    wakes up | runs |
/// ```
///
/// While this lasts, it takes 5 to 8 % of the processors' time on a virtual machine
/// (`bench-results/reading.md`), so there are ticks only while events are written. Where fewer than
/// half of the processors compute answers, a writer finds another one that is free, and there are
/// none. Nor are there any where the process has a smaller share of the machine than the processors
/// that it may run on, since its threads cannot fill those.
///
/// - Threads: any.
public final class SchedulerTicker {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final long PERIOD_NANOS = 500_000;

  /// Those of all responses of this process.
  public static final SchedulerTicker OF_ANSWERS = ofThisProcess();

  private final int[] processors;
  private final Thread[] tickers;
  private final List<BooleanSupplier> writers = new CopyOnWriteArrayList<>();
  private final AtomicInteger computing = new AtomicInteger();
  private final AtomicInteger ticking = new AtomicInteger(); // tickers that do not rest
  private final LongAdder count = new LongAdder();

  /// @param processors numbers of the processors that get ticks
  SchedulerTicker(int... processors) {
    this.processors = processors.clone();
    this.tickers = new Thread[processors.length];
  }

  private static SchedulerTicker ofThisProcess() {
    int[] processors = Processors.ofCaller();
    boolean all = processors.length == Runtime.getRuntime().availableProcessors();
    return new SchedulerTicker(all ? processors : new int[0]);
  }

  /// Takes writers into account until the result is closed.
  ///
  /// @param writing whether they write at present; any thread asks
  public Watched watch(BooleanSupplier writing) {
    writers.add(writing);
    return () -> writers.remove(writing);
  }

  /// Writers that are taken into account.
  @FunctionalInterface
  public interface Watched extends AutoCloseable {
    @Override
    void close();
  }

  /// Whether events are being written.
  boolean isWritten() {
    for (BooleanSupplier writing : writers) {
      if (writing.getAsBoolean()) {
        return true;
      }
    }
    return false;
  }

  /// Registers one more thread that computes while writers run.
  void begin() {
    if (computing.incrementAndGet() == least()) {
      wake();
    }
  }

  /// Records that one thread less computes.
  void end() {
    computing.decrementAndGet();
  }

  private int least() {
    return (processors.length + 1) / 2;
  }

  private boolean wanted() {
    return computing.get() >= least();
  }

  private synchronized void wake() {
    for (int i = 0; i < tickers.length; i++) {
      if (tickers[i] == null) {
        int processor = processors[i];
        tickers[i] =
            Thread.ofPlatform()
                .name("widerow-tick-" + processor)
                .daemon()
                .start(() -> tick(processor));
      }
      LockSupport.unpark(tickers[i]);
    }
  }

  private void tick(int processor) {
    if (!ReplyTimeSlices.shorten() || !Processors.stayOn(processor)) {
      LOG.log(Level.FINE, "there are no ticks on processor {0}", processor);
      return;
    }
    ticking.incrementAndGet();
    while (true) {
      if (wanted()) {
        LockSupport.parkNanos(this, PERIOD_NANOS);
        count.increment();
      } else {
        ticking.decrementAndGet();
        LockSupport.park(this);
        ticking.incrementAndGet();
      }
    }
  }

  /// The number of ticks so far.
  long count() {
    return count.sum();
  }

  /// True while there are no ticks.
  boolean rests() {
    return ticking.get() == 0;
  }
}
