package io.widerow.loadgen.run;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.wire.Failure;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/// Counters and latency recorders that all senders share.
///
/// - Threads: any; updated once a batch, not once an event, so contention does not matter.
public final class RunCounters {
  private static final long LATENCY_NANOS_MAX = 3_600 * Quantity.SECOND;

  /// From the intended time to the response: the latency that a user sees.
  final Recorder response = recorder();

  /// From the first byte out to the response.
  final Recorder service = recorder();

  /// Delay of the load generator itself: from the intended time to the first byte out, for batches
  /// whose connection was free in time.
  final Recorder slip = recorder();

  final LongAdder acceptedEvents = new LongAdder();
  final LongAdder acceptedBytes = new LongAdder();

  /// Batches that found no connection free at their time.
  final LongAdder queuedBatches = new LongAdder();

  /// Batches that count in the figures.
  final LongAdder measuredBatches = new LongAdder();

  final LongAdder measuredEvents = new LongAdder();
  final LongAdder measuredBytes = new LongAdder();
  final AtomicLong lastDoneNanos = new AtomicLong(Long.MIN_VALUE);

  private final Map<Failure, LongAdder> failures = new ConcurrentHashMap<>();
  private volatile String failureExample = "";

  private static Recorder recorder() {
    return new Recorder(1, LATENCY_NANOS_MAX, 3);
  }

  static void record(Recorder recorder, long nanos) {
    recorder.recordValue(Math.clamp(nanos, 1, LATENCY_NANOS_MAX));
  }

  public static Histogram histogram() {
    return new Histogram(1, LATENCY_NANOS_MAX, 3);
  }

  void failed(Failure failure, String example) {
    failures.computeIfAbsent(failure, _ -> new LongAdder()).increment();
    if (failureExample.isEmpty() && !example.isEmpty()) {
      failureExample = example;
    }
  }

  /// Batches by kind of failure, only the kinds that occurred.
  Map<Failure, Long> failures() {
    Map<Failure, Long> counts = new EnumMap<>(Failure.class);
    failures.forEach((failure, count) -> counts.put(failure, count.sum()));
    return counts;
  }

  long failureCount() {
    return failures().values().stream().mapToLong(Long::longValue).sum();
  }

  /// The message of the target or the socket at the first failure.
  String failureExample() {
    return failureExample;
  }
}
