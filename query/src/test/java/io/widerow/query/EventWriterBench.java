package io.widerow.query;

import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.RecordView;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
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

/// How many access-log events a second does one core write, as JSON lines and as CSV?
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class EventWriterBench {
  private static final int EVENTS = 1_000;
  private static final long START = 1_763_666_100_000_000_000L;

  private final EventBatch batch = new EventBatch(1 << 20, 1 << 24);
  private final long[] offsets = new long[EVENTS];
  private final RecordView event = new RecordView();
  private final EventWriter json = new JsonLinesWriter(ZoneOffset.UTC);
  private final EventWriter csv = new CsvWriter(ZoneOffset.UTC, null);
  private final ByteSink sink = new ByteSink(1 << 20);

  @Setup
  public void fill() {
    byte[] type = bytes("nginx.access");
    byte[] status = bytes("status");
    byte[] size = bytes("bytes");
    for (int i = 0; i < EVENTS; i++) {
      offsets[i] = batch.bytes();
      batch.begin(type, 0, type.length, START + i * 1_234_567L);
      byte[] body = bytes(line(i));
      batch.putLong(size, 0, size.length, i * 37L);
      batch.putString(bytes("body"), 0, 4, body);
      batch.putLong(status, 0, status.length, 200);
      batch.end();
    }
  }

  private static String line(int i) {
    return "10.0.%d.%d - - [20/Nov/2026:19:15:00 +0000] \"GET /images/item-%d.png HTTP/1.1\" "
            .formatted(i % 256, i % 199, i)
        + "200 %d \"https://example.org/shop/list?page=3\" ".formatted(i * 37)
        + "\"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
        + "Chrome/120.0.0.0 Safari/537.36\"";
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
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
