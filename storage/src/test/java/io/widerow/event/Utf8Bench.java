package io.widerow.event;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// Question: what does it cost to validate a log line as UTF-8, compared with the JDK's two ways?
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class Utf8Bench {
  private static final int LINES = 1_000;

  /// Plain lines, or lines with a word of another script in the middle.
  @Param({"ascii", "mixed"})
  String text = "ascii";

  private byte[][] lines = {};
  private CharBuffer chars = CharBuffer.allocate(0);
  private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();

  @Setup
  public void read() throws IOException {
    lines =
        Files.readAllLines(Path.of("../loadgen/logs/apache_access.log")).stream()
            .limit(LINES)
            .map(line -> text.equals("ascii") ? line : line.replaceFirst("GET ", "GET /größe/日本"))
            .map(line -> line.getBytes(StandardCharsets.UTF_8))
            .toArray(byte[][]::new);
    chars = CharBuffer.allocate(64 << 10);
  }

  @Benchmark
  @OperationsPerInvocation(LINES)
  public boolean widerow() {
    boolean valid = true;
    for (byte[] line : lines) {
      valid &= Utf8.isValid(line, 0, line.length);
    }
    return valid;
  }

  @Benchmark
  @OperationsPerInvocation(LINES)
  public boolean stringAndBack() {
    boolean valid = true;
    for (byte[] line : lines) {
      byte[] back = new String(line, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
      valid &= Arrays.equals(line, back);
    }
    return valid;
  }

  @Benchmark
  @OperationsPerInvocation(LINES)
  public boolean charsetDecoder() throws CharacterCodingException {
    boolean valid = true;
    for (byte[] line : lines) {
      decoder.reset();
      valid &= !decoder.decode(ByteBuffer.wrap(line), chars.clear(), true).isError();
    }
    return valid;
  }
}
