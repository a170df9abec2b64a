package io.widerow.ingest;

import io.widerow.event.EventBatch;
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

/// What does it cost to turn a line of line protocol with four tags and six fields into a record?
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LineProtocolBench {
  private static final int LINES = 1_000;

  private final EventBatch events = new EventBatch(4 << 20, 64 << 20);
  private final LineProtocolDecoder decoder = new LineProtocolDecoder(1);
  private byte[] body = {};
  private int limit;

  /// Bytes of the lines, so that MB/s can be told from ns per line.
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Size {
    public double bytesPerLine;
  }

  @Setup
  public void make() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < LINES; i++) {
      text.append("cpu,cluster=eu-1,host=web-").append(i % 100).append(",rack=r").append(i % 7);
      text.append(",service=shop idle=").append(i % 97).append(".25,iowait=0.5,system=");
      text.append(i % 13).append(".125,threads=").append(i).append("i,up=true,user=12.75 ");
      text.append(1_434_055_562_000_000_000L + i).append('\n');
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
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
    decoder.decode(body, 0, limit, new IncomingBatch(events, 1));
    return events.count();
  }
}
