package io.widerow.loadgen.workload;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Everything that determines the bytes sent. The same workload gives every target the same events.
///
/// @param distinct events that are drawn; a longer run sends them again with new numbers and times
/// @param types number of types among which the events are spread
/// @param skew exponent of the Zipf distribution over types; 0 is uniform
/// @param series hosts or machines of a metric scenario
/// @param lateShare share of events, 0 to 1, that are late
/// @param lateNanosMax age of the oldest late event
/// @param equalShare share of events, 0 to 1, with the time of the one before
/// @param fromNanos time of the first event, nanoseconds since the epoch
/// @param stepNanos time from one event to the next
/// @param lines log of [Scenario#FIELDS]; null for the one that comes with the tool
public record Workload(
    Scenario scenario,
    long seed,
    int batchEvents,
    int distinct,
    int types,
    double skew,
    int series,
    double lateShare,
    long lateNanosMax,
    double equalShare,
    long fromNanos,
    long stepNanos,
    @Nullable Path lines) {
  public static final int BATCH_EVENTS_MAX = 100_000;

  public Workload {
    require(batchEvents >= 1 && batchEvents <= BATCH_EVENTS_MAX, "--batch", batchEvents);
    require(distinct >= 1 && distinct <= 20_000_000, "--distinct", distinct);
    require(types >= 1 && types <= 100_000, "--types", types);
    require(skew >= 0 && skew <= 10, "--skew", skew);
    require(series >= 1 && series <= 10_000_000, "--series", series);
    require(lateShare >= 0 && lateShare <= 1, "--late", lateShare);
    require(lateNanosMax >= 0, "--late-age", lateNanosMax);
    require(equalShare >= 0 && equalShare < 1, "--equal-times", equalShare);
    require(stepNanos >= 0, "--step", stepNanos);
    if (lines != null && scenario != Scenario.FIELDS) {
      throw new IllegalArgumentException(
          "--lines: only --scenario fields reads a log, got " + lines);
    }
  }

  /// Events that need no file.
  public Workload(
      Scenario scenario,
      long seed,
      int batchEvents,
      int distinct,
      int types,
      double skew,
      int series,
      double lateShare,
      long lateNanosMax,
      double equalShare,
      long fromNanos,
      long stepNanos) {
    this(
        scenario,
        seed,
        batchEvents,
        distinct,
        types,
        skew,
        series,
        lateShare,
        lateNanosMax,
        equalShare,
        fromNanos,
        stepNanos,
        null);
  }

  /// Events of one type, none late, each at a time of its own.
  public static Workload plain(
      Scenario scenario,
      long seed,
      int batchEvents,
      int distinct,
      int series,
      long fromNanos,
      long stepNanos) {
    return new Workload(
        scenario, seed, batchEvents, distinct, 1, 1, series, 0, 0, 0, fromNanos, stepNanos);
  }

  private static void require(boolean holds, String option, Object value) {
    if (!holds) {
      throw new IllegalArgumentException(option + " cannot be " + value);
    }
  }

  /// The time of an event of the run.
  public long timeNanos(long sequence, long shiftNanos) {
    return fromNanos + sequence * stepNanos + shiftNanos;
  }

  /// All types of the run as a query parameter.
  public String typeGlob() {
    return types == 1 ? scenario.type : scenario.type + ".*";
  }

  /// Whether a run of this workload can have events of the type.
  public boolean isType(String name) {
    return types == 1
        ? name.equals(scenario.type)
        : name.startsWith(scenario.type + ".")
            && name.substring(scenario.type.length() + 1).matches("[0-9]{1,9}");
  }

  /// Prepared batches; never fewer than `least`, so that each connection has its own.
  public int slots(int least) {
    return Math.max(least, Math.ceilDiv(distinct, batchEvents));
  }
}
