package io.widerow.query.output;

import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.RecordView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.TimeUnit;
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

/// How many access-log events per second does one core write, as JSON lines and as CSV? The lines
/// are real ones, because branch prediction learns a few made-up lines by heart.
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class EventWriterBench {
  private static final Path LOG = Path.of("../loadgen/logs/apache_access.log");
  private static final int EVENTS = 10_000; // all lines of the log
  private static final long START = 1_763_666_100_000_000_000L;

  private final EventBatch batch = new EventBatch(1 << 20, 1 << 24);
  private final long[] offsets = new long[EVENTS];
  private final RecordView event = new RecordView();
  private final EventWriter json = new JsonLinesWriter(ZoneOffset.UTC);
  private final EventWriter csv = new CsvWriter(ZoneOffset.UTC, null);
  private final OutputBuffer sink = new OutputBuffer(1 << 20);

  @Setup
  public void fill() throws IOException {
    byte[] type = "apache.access".getBytes(StandardCharsets.UTF_8);
    byte[] body = "body".getBytes(StandardCharsets.UTF_8);
    List<String> lines = Files.readAllLines(LOG, StandardCharsets.ISO_8859_1);
    for (int i = 0; i < EVENTS; i++) {
      byte[] line = lines.get(i).getBytes(StandardCharsets.UTF_8);
      offsets[i] = batch.bytes();
      batch.begin(type, 0, type.length, START + i * 1_234_567L);
      batch.putString(body, 0, body.length, line);
      batch.end();
    }
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public int jsonLines() {
    return write(json);
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public int csv() {
    return write(csv);
  }

  private int write(EventWriter writer) {
    sink.clear();
    for (long offset : offsets) {
      writer.event(event.show(batch.memory(), offset), sink);
    }
    return sink.length() + EventLayout.HEADER_BYTES;
  }

  @TearDown
  public void close() {
    batch.close();
  }
}
