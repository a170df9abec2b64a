package io.widerow.loadgen;

import java.util.concurrent.atomic.AtomicLong;

/// Which batch is next and when it is to leave. An open schedule has a time for each batch that no
/// answer can move; a closed one hands out the next batch whenever a connection is free.
///
/// ```
///  start          measureFrom                         until        + grace
///  |--- warm-up ---|--------------- measured -----------|  backlog  |
///  0  1  2  3  4 ...  batch k leaves at start + k * interval
/// ```
///
/// - Threads: any.
final class Schedule {
  /// [#take] when there is no more.
  static final long OVER = -1;

  final long startNanos;
  final long measureFromNanos;
  final long untilNanos;

  private final AtomicLong next = new AtomicLong();
  private final double intervalNanos;
  private final long batchLimit;

  private Schedule(
      long startNanos, long warmupNanos, long durationNanos, double interval, long batchLimit) {
    this.startNanos = startNanos;
    this.measureFromNanos = startNanos + warmupNanos;
    this.untilNanos = measureFromNanos + durationNanos;
    this.intervalNanos = interval;
    this.batchLimit = batchLimit;
  }

  /// @param eventsPerSecond the rate, from the start of the warm-up on
  static Schedule open(
      long startNanos,
      long warmupNanos,
      long durationNanos,
      double eventsPerSecond,
      int batchEvents,
      long batchLimit) {
    double interval = batchEvents / eventsPerSecond * Quantity.SECOND;
    long batches = (long) Math.ceil((warmupNanos + durationNanos) / interval);
    return new Schedule(
        startNanos, warmupNanos, durationNanos, interval, Math.min(batchLimit, batches));
  }

  static Schedule closed(long startNanos, long warmupNanos, long durationNanos, long batchLimit) {
    return new Schedule(startNanos, warmupNanos, durationNanos, 0, batchLimit);
  }

  boolean isOpen() {
    return intervalNanos > 0;
  }

  /// The number of the next batch, or [#OVER].
  long take() {
    long batch = next.getAndIncrement();
    return batch < batchLimit ? batch : OVER;
  }

  /// How many batches were handed out.
  long batchesTaken() {
    return Math.min(next.get(), batchLimit);
  }

  /// When the batch is to leave; for a closed schedule now, whenever that is.
  long intendedNanos(long batch, long nowNanos) {
    return isOpen() ? startNanos + (long) (batch * intervalNanos) : nowNanos;
  }

  /// When the first measured batch is to leave; for a closed schedule when measuring begins.
  long measuredFirstNanos() {
    if (!isOpen()) {
      return measureFromNanos;
    }
    long batch = (long) Math.ceil((measureFromNanos - startNanos) / intervalNanos);
    while (!isMeasured(intendedNanos(batch, 0))) {
      batch++; // rounding
    }
    return intendedNanos(batch, 0);
  }

  /// When the batch behind the last one would leave.
  long plannedEndNanos() {
    return startNanos + (long) (batchLimit * intervalNanos);
  }

  boolean isMeasured(long intendedNanos) {
    return intendedNanos - measureFromNanos >= 0;
  }

  /// True when a batch must not be sent any more: the time is over, and for an open schedule the
  /// time to work off a backlog as well.
  boolean isOver(long nowNanos, long graceNanos) {
    return nowNanos - untilNanos > (isOpen() ? graceNanos : 0);
  }
}
