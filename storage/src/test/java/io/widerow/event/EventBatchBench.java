package io.widerow.event;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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

/// Question: what does it cost to put an access-log event into a batch, and to search one there?
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class EventBatchBench {
  private static final int EVENTS = 1_000;
  private static final byte[] TYPE = utf8("apache.access");
  private static final byte[] BODY = utf8("body");
  private static final byte[] BYTES = utf8("bytes");
  private static final byte[] CLIENT = utf8("client");
  private static final byte[] STATUS = utf8("status");
  private static final byte[] ADDRESS = utf8("83.149.9.216");

  private byte[][] lines = {};
  private final EventBatch batch = new EventBatch(1 << 20, 16 << 20);
  private final EventBatch full = new EventBatch(1 << 20, 16 << 20);
  private final RecordView view = new RecordView();
  private final AttributeValue value = new AttributeValue();

  @Setup
  public void read() throws IOException {
    lines =
        Files.readAllLines(Path.of("../loadgen/logs/apache_access.log")).stream()
            .limit(EVENTS)
            .map(EventBatchBench::utf8)
            .toArray(byte[][]::new);
    addAll(full, true);
  }

  @TearDown
  public void close() {
    batch.close();
    full.close();
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public int bodyOnly() {
    batch.clear();
    for (int i = 0; i < EVENTS; i++) {
      batch.begin(TYPE, 0, TYPE.length, i);
      batch.putString(BODY, 0, BODY.length, lines[i]);
      batch.end();
    }
    return batch.count();
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public int fourAttributesInOrder() {
    batch.clear();
    addAll(batch, true);
    return batch.count();
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public int fourAttributesToSort() {
    batch.clear();
    addAll(batch, false);
    return batch.count();
  }

  @Benchmark
  @OperationsPerInvocation(EVENTS)
  public long readBack() {
    long sum = 0;
    for (long at = 0; at < full.bytes(); at += EventLayout.alignedLength(view.length())) {
      view.show(full.memory(), at);
      sum += view.find(AttributeName.BODY, value) ? value.length() : 0;
      sum += view.idTail();
    }
    return sum;
  }

  private void addAll(EventBatch to, boolean inOrder) {
    for (int i = 0; i < EVENTS; i++) {
      to.begin(TYPE, 0, TYPE.length, i);
      if (!inOrder) {
        to.putLong(STATUS, 0, STATUS.length, 200);
      }
      to.putString(BODY, 0, BODY.length, lines[i]);
      to.putLong(BYTES, 0, BYTES.length, i);
      to.putString(CLIENT, 0, CLIENT.length, ADDRESS);
      if (inOrder) {
        to.putLong(STATUS, 0, STATUS.length, 200);
      }
      to.end();
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
