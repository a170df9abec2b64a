package io.widerow.storage.codec;

import io.widerow.faults.TestEvent;
import io.widerow.storage.disk.Throttle;
import io.widerow.storage.segment.SegmentProfile;
import io.widerow.storage.segment.SegmentSizes;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// Question: what do the ids of a block of the final form cost, in order of time and in order of
/// arrival? One block of a whole log: 10,000 lines of the access log, 4,681 of the broker log.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class IdBench {
  private static final Path FILE = Path.of("ids");

  /// Which lines.
  @Param({"access", "broker"})
  public String log = "";

  /// Whether the encoder may put them in order of arrival.
  @Param({"false", "true"})
  public boolean arrival;

  private final BlockCompressor compressor =
      new BlockCompressor(SegmentProfile.FINAL.zstdLevel(), Throttle.NONE);
  private final BlockDecompressor decompressor = new BlockDecompressor();
  private final IdDecoder decoder = new IdDecoder(new LongDecoder(decompressor));
  private final ByteSource source = new ByteSource(FILE);
  private final ByteSink out = new ByteSink();
  private List<TestEvent> events = List.of();
  private byte[] written = new byte[0];
  private int bytes;

  /// Encodes the block to decode, and prints its size.
  @Setup(Level.Trial)
  public void write() {
    events = log.equals("access") ? SegmentSizes.access() : SegmentSizes.broker();
    bytes = encode();
    written = Arrays.copyOf(out.bytes(), bytes + ByteSource.SLACK);
    System.out.printf("%n%d bytes, %d ids%n", bytes, events.size());
  }

  @TearDown(Level.Trial)
  public void close() {
    compressor.close();
    decompressor.close();
  }

  @Benchmark
  public int encode() {
    var encoder = new IdEncoder(new LongEncoder(compressor), arrival);
    events.forEach(encoder::add);
    out.clear();
    encoder.put(events.size(), out);
    return out.length();
  }

  @Benchmark
  public long decode() {
    decoder.decode(source.over(written, 0, bytes, 0), events.size());
    return decoder.times[0];
  }
}
