package io.widerow.ingest.intake;

import io.widerow.event.EventBatch;
import io.widerow.ingest.decode.IncomingBatch;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// What does it cost a batch that its sender is watched: its sample, and the table of senders,
/// known or new to a full one?
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class BatchSampleBench {
  private static final long NOW_NANOS = 1_763_666_100_000_000_000L;
  private static final int SENDERS = 4 * SenderLags.KEPT_MAX;

  @Param({"1", "1000"})
  private int batchEvents;

  private final EventBatch events = new EventBatch(4 << 20, 64 << 20);
  private final IncomingBatch batch = new IncomingBatch(events, NOW_NANOS);
  private final SenderLags lags = new SenderLags();
  private final String[] names = new String[SENDERS];
  private BatchSample taken = new BatchSample("", 0, "", "", 0, 1, 0, false);
  private int turn;

  @Setup
  public void fill() {
    byte[] text = "nginxbodyhostweb-17.example.net".getBytes(StandardCharsets.UTF_8);
    byte[] line = "x".repeat(160).getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < batchEvents; i++) {
      events.begin(text, 0, 5, NOW_NANOS - i * 1_000_000L);
      events.putString(text, 5, 4, line);
      events.putString(text, 9, 4, text, 13, text.length - 13);
      if (!batch.end()) {
        throw new IllegalStateException("an event was refused");
      }
    }
    taken = BatchSample.of(batch, NOW_NANOS);
    for (int i = 0; i < SENDERS; i++) {
      names[i] = "10.0.0." + i;
      lags.add(names[i], taken, 0);
    }
  }

  /// Walks all events.
  @Benchmark
  public BatchSample sample() {
    return BatchSample.of(batch, NOW_NANOS);
  }

  /// A sender that is in the table.
  @Benchmark
  public void known() {
    lags.add(names[0], taken, NOW_NANOS / 1_000_000_000);
  }

  /// Four times as many senders as the table holds, in turn.
  @Benchmark
  public void crowd() {
    lags.add(names[turn++ % SENDERS], taken, NOW_NANOS / 1_000_000_000);
  }

  @TearDown
  public void close() {
    events.close();
  }
}
