package io.widerow.ingest;

import io.widerow.event.EventBatch;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Swar;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// What does it cost to decode a line into a record? Each format of lines has a subclass.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public abstract class DecoderBench {
  public static final int LINES = 1_000;

  private final EventBatch events = new EventBatch(4 << 20, 64 << 20);
  private byte[] body = {};
  private int limit;

  /// Bytes of the lines, to compute MB/s from ns per line.
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Size {
    public double bytesPerLine;
  }

  /// So many lines, each with its newline, or as many events in another form.
  public byte[] body() throws IOException {
    return lines().getBytes(StandardCharsets.UTF_8);
  }

  /// So many lines, each with its newline.
  public String lines() throws IOException {
    throw new UnsupportedOperationException("the body is no text");
  }

  /// Name and labels of a series of metrics, as an exporter of machines has them.
  public static String[] labels(int number) {
    return new String[] {
      "__name__",
      "node_cpu_seconds_total",
      "cpu",
      Integer.toString(number % 16),
      "env",
      "production",
      "instance",
      "web-" + number / 64 + ".example.net:9100",
      "job",
      "node",
      "mode",
      "mode" + number % 64 / 16
    };
  }

  public abstract void decode(byte[] body, int limit, IncomingBatch batch);

  @Setup
  public void read() throws IOException {
    byte[] bytes = body();
    body = Arrays.copyOf(bytes, bytes.length + Swar.SLACK_BYTES);
    limit = bytes.length;
    if (widerow(new Size()) < LINES * 9 / 10) {
      throw new IllegalStateException("most lines are refused");
    }
  }

  @TearDown
  public void close() {
    events.close();
  }

  @Benchmark
  @OperationsPerInvocation(LINES)
  public int widerow(Size size) {
    size.bytesPerLine = (double) limit / LINES;
    events.clear();
    decode(body, limit, new IncomingBatch(events, 1));
    return events.count();
  }
}
