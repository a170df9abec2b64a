package io.widerow.ingest;

import io.widerow.event.EventBatch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
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

/// What does it cost to turn a line of a real access log, with its own time, into a record?
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class TextDecoderBench {
  private static final int LINES = 1_000;

  private final EventBatch events = new EventBatch(4 << 20, 64 << 20);
  private final TextLinesDecoder decoder =
      new TextLinesDecoder(
          "web.access", new TimePattern.Clf(), new TextLinesDecoder.Start.EveryLine());
  private byte[] body = {};
  private int limit;

  /// Bytes of the lines, so that MB/s can be told from ns per line.
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Size {
    public double bytesPerLine;
  }

  @Setup
  public void read() throws IOException {
    List<String> lines = Files.readAllLines(Path.of("../loadgen/logs/apache_access.log"));
    StringBuilder text = new StringBuilder();
    lines.subList(0, LINES).forEach(line -> text.append(line).append('\n'));
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
