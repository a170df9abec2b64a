package io.widerow.loadgen.workload;

import io.widerow.loadgen.format.Quantity;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options that determine the events to send.
public final class WorkloadOptions {
  private static final int FIELDS_TYPES = 4;
  private static final long FIELDS_SECONDS = 25 * 3_600;

  @Option(
      names = "--scenario",
      defaultValue = "access",
      description = "access, broker, devops, iot, counter or fields")
  private Scenario scenario = Scenario.ACCESS;

  @Option(names = "--seed", defaultValue = "1", description = "seed of all events")
  private long seed;

  @Option(names = "--batch", defaultValue = "1000", description = "events a request")
  private String batch = "";

  @Option(
      names = "--distinct",
      defaultValue = "100k",
      description = "events drawn; a longer run sends them again with new numbers and times")
  private String distinct = "";

  @Option(
      names = "--types",
      paramLabel = "N",
      description = "number of event types (default 1; of compare --queries 4)")
  private @Nullable Integer types;

  @Option(
      names = "--skew",
      defaultValue = "1",
      description = "Zipf exponent over types; 0 is uniform")
  private double skew;

  @Option(names = "--series", defaultValue = "100", description = "hosts or machines of metrics")
  private int series;

  @Option(names = "--late", defaultValue = "0", description = "share of late events, 0 to 1")
  private double late;

  @Option(names = "--late-age", defaultValue = "1h", description = "age of the oldest of them")
  private String lateAge = "";

  @Option(
      names = "--equal-times",
      defaultValue = "0",
      description = "share of events with the time of the one before")
  private double equalTimes;

  @Option(names = "--from", description = "time of the first event, RFC 3339 (default now)")
  private @Nullable String from;

  @Option(
      names = "--step",
      description = "event time from one event to the next (default 1/rate, 1us without a rate)")
  private @Nullable String step;

  @Option(
      names = "--lines",
      paramLabel = "FILE",
      description = "of fields: draw lines of this combined log (default: one in this tool)")
  private @Nullable Path lines;

  @Option(
      names = "--prepare",
      paramLabel = "FILE",
      description = "write the encoded events to a file for --replay, and exit")
  public @Nullable Path prepare;

  @Option(
      names = "--replay",
      paramLabel = "FILE",
      description = "send the events of a file that --prepare wrote with the same options")
  @Nullable Path replay;

  /// The encoded events: drawn now, or before.
  public BatchPool pool(Workload workload, Target target, int connections) throws IOException {
    if (replay == null) {
      return BatchPool.prepare(workload, target, connections);
    }
    BatchPool pool = PoolFile.read(replay, BatchPool.key(workload, target));
    if (pool.batches().size() < connections) {
      throw new IllegalArgumentException(
          "--replay %s has %d batches, too few for %d connections"
              .formatted(replay, pool.batches().size(), connections));
    }
    return pool;
  }

  public Workload workload(Instant now, double rate) {
    return workload(scenario, 1, nanos(now), stepNanos(rate));
  }

  /// Events with fields, spread evenly over a time that ended before now.
  public Workload fields(Instant now, long events) {
    if (scenario != Scenario.ACCESS && scenario != Scenario.FIELDS) {
      throw new IllegalArgumentException(
          "--queries fields: its events are those of --scenario fields, got " + scenario);
    }
    Instant hour = now.truncatedTo(ChronoUnit.HOURS);
    return workload(
        Scenario.FIELDS,
        FIELDS_TYPES,
        nanos(hour.minusSeconds(FIELDS_SECONDS)),
        FIELDS_SECONDS * Quantity.SECOND / events);
  }

  private Workload workload(Scenario drawn, int typesElse, long fromElse, long stepElse) {
    return new Workload(
        drawn,
        seed,
        Math.toIntExact(Math.min(Integer.MAX_VALUE, Quantity.count("--batch", batch))),
        Math.toIntExact(Math.min(Integer.MAX_VALUE, Quantity.count("--distinct", distinct))),
        types == null ? typesElse : types,
        skew,
        series,
        late,
        Quantity.nanos("--late-age", lateAge),
        equalTimes,
        from == null ? fromElse : nanos(instant(from)),
        step == null ? stepElse : Quantity.nanos("--step", step),
        lines);
  }

  private static long stepNanos(double rate) {
    return rate > 0 ? Math.max(1, Math.round(Quantity.SECOND / rate)) : Quantity.MICRO;
  }

  private static long nanos(Instant instant) {
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), Quantity.SECOND), instant.getNano());
  }

  private static Instant instant(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException _) {
      throw new IllegalArgumentException("--from must be a time in RFC 3339, got '" + text + "'");
    }
  }
}
