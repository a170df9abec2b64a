package io.widerow.query.aggregation;

import io.widerow.query.remote.LineEvent;
import io.widerow.storage.sketch.ExactSum;
import io.widerow.storage.sketch.PercentileHistogram;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.DoubleHistogram;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// What does a figure cost that does not depend on the order of events? An exact sum against one
/// that carries its error along (Neumaier), the fixed grid against HdrHistogram, and counting
/// events.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class AccumulatorBench {
  private static final int NUMBERS = 10_000;

  private final double[] numbers = new double[NUMBERS];
  private final LineEvent[] events = new LineEvent[64];
  private final ExactSum sum = new ExactSum();
  private final PercentileHistogram grid = new PercentileHistogram();
  private final DoubleHistogram histogram = new DoubleHistogram(3);
  private final Aggregation counts =
      new Aggregation(new StatsQuery(Aggregate.parse("count"), List.of(), 0), _ -> {});
  private double plain;
  private double lost;

  @Setup
  public void fill() {
    var random = new SplittableRandom(1);
    for (int i = 0; i < NUMBERS; i++) {
      numbers[i] = Math.exp(random.nextDouble() * 9);
    }
    for (int i = 0; i < events.length; i++) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("id", "5a8c6b80-c64a-11f0-8080-808080808080");
      line.put("ts", "2025-11-20T19:15:00.000000001Z");
      line.put("type", "cpu");
      events[i] = new LineEvent(line);
    }
  }

  @Benchmark
  @OperationsPerInvocation(NUMBERS)
  public ExactSum exactSum() {
    for (double number : numbers) {
      sum.add(number);
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(NUMBERS)
  public double neumaierSum() {
    for (double value : numbers) {
      double next = plain + value;
      if (Double.isFinite(next)) {
        lost +=
            Math.abs(plain) >= Math.abs(value) ? (plain - next) + value : (value - next) + plain;
      }
      plain = next;
    }
    return plain + lost;
  }

  @Benchmark
  @OperationsPerInvocation(NUMBERS)
  public PercentileHistogram grid() {
    for (double number : numbers) {
      grid.add(number);
    }
    return grid;
  }

  @Benchmark
  @OperationsPerInvocation(NUMBERS)
  public DoubleHistogram histogram() {
    for (double number : numbers) {
      histogram.recordValue(number);
    }
    return histogram;
  }

  @Benchmark
  @OperationsPerInvocation(64)
  public Aggregation count() {
    for (LineEvent event : events) {
      counts.add(event);
    }
    return counts;
  }
}
