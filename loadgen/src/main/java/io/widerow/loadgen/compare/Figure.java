package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Quantity;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/// The figures of a comparison, each with its unit in the title.
@SuppressWarnings("ImmutableEnumChecker") // the functions keep nothing
public enum Figure {
  RATE("events/s", 0, o -> o.report().result().eventsPerSecond()),
  P50_MICROS("p50 us", 0, o -> percentile(o, 50)),
  P99_MICROS("p99 us", 0, o -> percentile(o, 99)),
  P999_MICROS("p99.9 us", 0, o -> percentile(o, 99.9)),
  SERVER_MICROS("server CPU us/event", 3, o -> o.report().targetMicrosPerEvent()),
  /// Of a node of Cassandra, written to by the tool or by a daemon, without the daemon.
  NODE_MICROS(
      "node CPU us/event",
      3,
      o -> o.nodeCpuNanos() / (double) Quantity.MICRO / Math.max(1, o.report().result().events())),
  CLIENT_MICROS(
      "client CPU us/event",
      3,
      o ->
          o.clientCpuNanos() / (double) Quantity.MICRO / Math.max(1, o.report().result().events())),
  RSS_MB("RSS peak MB", 0, o -> o.report().costs().residentBytesPeak() / 1e6),
  WRITTEN_BYTES("written B/event", 1, o -> o.report().writtenBytesPerEvent()),
  REST_BYTES(
      "at rest B/event",
      1,
      o -> o.report().costs().atRestBytes() / (double) Math.max(1, o.storedEvents())),
  DATA_BYTES("data files B/event", 1, o -> o.dataBytes() / (double) Math.max(1, o.storedEvents())),
  DRAIN_MILLIS("drain ms", 0, o -> o.drainNanos() / (double) Quantity.MILLI),
  SLIP_MICROS("slip p99 us", 0, o -> micros(o.report().result().slip().getValueAtPercentile(99)));

  public final String title;
  public final int decimals;
  private final ToDoubleFunction<ContestRun.Outcome> value;

  Figure(String title, int decimals, ToDoubleFunction<ContestRun.Outcome> value) {
    this.title = title;
    this.decimals = decimals;
    this.value = value;
  }

  private static double percentile(ContestRun.Outcome outcome, double percentile) {
    return micros(outcome.report().result().response().getValueAtPercentile(percentile));
  }

  private static double micros(long nanos) {
    return nanos / (double) Quantity.MICRO;
  }

  public double of(ContestRun.Outcome outcome) {
    return value.applyAsDouble(outcome);
  }

  String text(ContestRun.Outcome outcome) {
    return text(of(outcome), decimals);
  }

  static String text(double value, int decimals) {
    return String.format(Locale.ROOT, "%,." + decimals + "f", value);
  }
}
