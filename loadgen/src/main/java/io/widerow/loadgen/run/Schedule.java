package io.widerow.loadgen.run;

import io.widerow.loadgen.format.Quantity;
import java.util.concurrent.atomic.AtomicLong;

/// Decides which batch is next and when it is due. An open-loop schedule fixes the time of each
/// batch in advance; no response can move it. A closed-loop schedule hands out a batch whenever a
/// connection is free.
///
/// ```
///  start          measureFrom                         until        + grace
///  |--- warm-up ---|--------------- measured -----------|  backlog  |
///  0  1  2  3  4 ...  batch k leaves when k batches are due
/// ```
///
/// The number of due batches is the integral of the rate. Each time is computed from the batch's
/// number alone, so that errors do not accumulate. At an even rate the send time of batch k is
/// `start + k * interval`. On a ramp from `r` to `u` within `D`, the send time of event `m` after
/// the warm-up is `s` after measuring began:
///
/// ```
///  rate  u |        .-'|        m = r s + a s^2 / 2,  a = (u - r) / D
///          |    .-'    |        s = 2 m / (r + sqrt(r^2 + 2 a m))
///        r |-'_________|__      which holds for rising, falling and even rates
///          0           D
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
  private final Rate rate;
  private final int batchEvents;
  private final long batchLimit;

  private Schedule(
      long startNanos,
      long warmupNanos,
      long durationNanos,
      Rate rate,
      int batchEvents,
      long batchLimit) {
    this.startNanos = startNanos;
    this.measureFromNanos = startNanos + warmupNanos;
    this.untilNanos = measureFromNanos + durationNanos;
    this.rate = rate;
    this.batchEvents = batchEvents;
    this.batchLimit = rate.isClosed() ? batchLimit : Math.min(batchLimit, planned());
  }

  /// @param rate its first value holds from the start of the warm-up on
  static Schedule open(
      long startNanos,
      long warmupNanos,
      long durationNanos,
      Rate rate,
      int batchEvents,
      long batchLimit) {
    return new Schedule(startNanos, warmupNanos, durationNanos, rate, batchEvents, batchLimit);
  }

  static Schedule closed(long startNanos, long warmupNanos, long durationNanos, long batchLimit) {
    return new Schedule(startNanos, warmupNanos, durationNanos, Rate.CLOSED, 1, batchLimit);
  }

  boolean isOpen() {
    return !rate.isClosed();
  }

  /// Batches that are due before the end.
  private long planned() {
    if (!rate.isRamp()) {
      return (long) Math.ceil((untilNanos - startNanos) / intervalNanos());
    }
    double seconds = (untilNanos - measureFromNanos) / (double) Quantity.SECOND;
    return (long) Math.ceil((warmupEvents() + rate.meanPerSecond() * seconds) / batchEvents);
  }

  private double intervalNanos() {
    return batchEvents / rate.fromPerSecond() * Quantity.SECOND;
  }

  private double warmupEvents() {
    return rate.fromPerSecond() * (measureFromNanos - startNanos) / Quantity.SECOND;
  }

  /// The number of the next batch, or [#OVER].
  long take() {
    long batch = next.getAndIncrement();
    return batch < batchLimit ? batch : OVER;
  }

  /// Number of batches handed out.
  long batchesTaken() {
    return Math.min(next.get(), batchLimit);
  }

  /// When the batch is to leave; for a closed schedule now, whenever that is.
  long intendedNanos(long batch, long nowNanos) {
    if (!isOpen()) {
      return nowNanos;
    }
    if (!rate.isRamp()) {
      return startNanos + (long) (batch * intervalNanos());
    }
    double events = (double) batch * batchEvents - warmupEvents();
    if (events <= 0) {
      return startNanos + (long) (batch * intervalNanos());
    }
    double from = rate.fromPerSecond();
    double seconds = (untilNanos - measureFromNanos) / (double) Quantity.SECOND;
    double steepness = (rate.untilPerSecond() - from) / seconds;
    double square = Math.max(0, from * from + 2 * steepness * events);
    return measureFromNanos + (long) (2 * events / (from + Math.sqrt(square)) * Quantity.SECOND);
  }

  /// When the first measured batch is to leave; for a closed schedule when measuring begins.
  long measuredFirstNanos() {
    return isOpen() ? intendedNanos(measuredFirst(), 0) : measureFromNanos;
  }

  private long measuredFirst() {
    long batch = Math.max(0, (long) Math.ceil(warmupEvents() / batchEvents) - 1);
    while (!isMeasured(intendedNanos(batch, 0))) {
      batch++; // rounding
    }
    return batch;
  }

  /// When the batch after the last one would leave; a ramp ends with its duration.
  long plannedEndNanos() {
    long endNanos = intendedNanos(batchLimit, untilNanos);
    return rate.isRamp() ? Math.min(untilNanos, endNanos) : endNanos;
  }

  /// Events per second that the measured part plans; 0 for a closed schedule.
  double plannedPerSecond() {
    if (!rate.isRamp()) {
      return rate.fromPerSecond();
    }
    double events = (double) (batchLimit - measuredFirst()) * batchEvents;
    return events * Quantity.SECOND / Math.max(1, plannedEndNanos() - measuredFirstNanos());
  }

  boolean isMeasured(long intendedNanos) {
    return intendedNanos - measureFromNanos >= 0;
  }

  /// True when no batch may be sent any more: the run is over, and with an open schedule so is the
  /// time for the backlog.
  boolean isOver(long nowNanos, long graceNanos) {
    return nowNanos - untilNanos > (isOpen() ? graceNanos : 0);
  }
}
