package io.widerow.loadgen.run;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.wire.TimedQuery;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/// Repeats one query on a fixed schedule during a run. A slow answer delays the next queries, and
/// their latency counts from the time at which they were due.
///
/// - Threads: `read-<what>`, its own, from [#measuringBegins] to [#measuringEnds]; the run's
///   watching thread calls these two.
public final class Reader implements RunWatcher {
  private final InetSocketAddress address;
  private final ReadOptions.Read read;
  private final String path;
  private final GroupCounts counts;
  private final Histogram response = RunCounters.histogram(); // its thread's until it has ended
  private long failures;
  private long rows;
  private String failureExample = "";
  private volatile boolean ending;
  private @Nullable Thread thread;

  /// @param types as the query's parameter has them
  /// @param counts runs the count queries
  public Reader(
      InetSocketAddress address, String types, ReadOptions.Read read, GroupCounts counts) {
    this.address = address;
    this.read = read;
    this.path = read.what().path(types);
    this.counts = counts;
  }

  private String label() {
    return read.what().name().toLowerCase(Locale.ROOT);
  }

  @Override
  public void measuringBegins() {
    thread = Thread.ofPlatform().name("read-" + label()).daemon().start(this::run);
  }

  private void run() {
    double intervalNanos = Quantity.SECOND / read.perSecond();
    long startNanos = System.nanoTime();
    TimedQuery query = null;
    try {
      for (long number = 0; !ending; number++) {
        long intendedNanos = startNanos + (long) (number * intervalNanos);
        await(intendedNanos);
        if (ending) {
          return;
        }
        try {
          query = query == null ? TimedQuery.open(address) : query;
          rows += ask(query);
          response.recordValue(
              Math.clamp(
                  System.nanoTime() - intendedNanos, 1, response.getHighestTrackableValue()));
        } catch (IOException failure) {
          failures++;
          failureExample = failure.toString();
          close(query);
          query = null;
        }
      }
    } finally {
      close(query);
    }
  }

  private long ask(TimedQuery query) throws IOException {
    return switch (read.what()) {
      case LATEST, RANGE, FILTER -> query.get(path, false).lines() - 1;
      case COUNT -> counts.ask(query);
    };
  }

  private void close(@Nullable TimedQuery query) {
    if (query != null) {
      try {
        query.close();
      } catch (IOException failure) {
        failures++;
        failureExample = failure.toString();
      }
    }
  }

  private void await(long intendedNanos) {
    for (long left = intendedNanos - System.nanoTime();
        left > 0 && !ending;
        left = intendedNanos - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  @Override
  public void measuringEnds() {
    Thread running = thread;
    if (running == null) {
      return;
    }
    ending = true;
    LockSupport.unpark(running);
    try {
      running.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// A line of the report.
  public String render() {
    return String.format(
        Locale.ROOT,
        "%-14s %d answers, %.1f rows each, p50 %s, p99 %s, max %s, failed %d %s%n",
        "read " + label(),
        response.getTotalCount(),
        rows / (double) Math.max(1, response.getTotalCount()),
        Quantity.time(response.getValueAtPercentile(50)),
        Quantity.time(response.getValueAtPercentile(99)),
        Quantity.time(response.getMaxValue()),
        failures,
        failureExample);
  }

  /// Members of the run's line.
  public Map<String, Object> members() {
    Map<String, Object> members = new LinkedHashMap<>();
    String name = "read_" + label();
    members.put(name + "_per_second", read.perSecond());
    members.put(name + "_answers", response.getTotalCount());
    members.put(name + "_rows", rows);
    members.put(name + "_p50_us", response.getValueAtPercentile(50) / Quantity.MICRO);
    members.put(name + "_p99_us", response.getValueAtPercentile(99) / Quantity.MICRO);
    members.put(name + "_max_us", response.getMaxValue() / Quantity.MICRO);
    members.put(name + "_failed", failures);
    return members;
  }
}
