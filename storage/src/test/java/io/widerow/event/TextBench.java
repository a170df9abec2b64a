package io.widerow.event;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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

/// Question: what does it cost to search a log line of an open row for a rare word, compared with a
/// copy that `String` searches, and with one byte at a time? And what in any case?
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class TextBench {
  private static final int LINES = 1_000;
  private static final String WORD = "Liferea";

  private final Arena arena = Arena.ofShared();
  private final Text text = Text.of(WORD);
  private final FoldedText folded = FoldedText.of("lIFEREA");
  private final long[] offsets = new long[LINES + 1];
  private MemorySegment memory = MemorySegment.NULL;

  @Setup
  public void read() throws IOException {
    List<String> lines = Files.readAllLines(Path.of("../loadgen/logs/apache_access.log"));
    memory = arena.allocate(4 << 20);
    for (int i = 0; i < LINES; i++) {
      byte[] line = lines.get(i).getBytes(StandardCharsets.UTF_8);
      MemorySegment.copy(line, 0, memory, JAVA_BYTE, offsets[i], line.length);
      offsets[i + 1] = offsets[i] + line.length;
    }
    if (widerow() != string() || widerow() != inAnyCase() || widerow() != byteByByte()) {
      throw new IllegalStateException("they find different lines");
    }
  }

  @TearDown
  public void close() {
    arena.close();
  }

  @Benchmark
  @OperationsPerInvocation(LINES)
  public int widerow() {
    int found = 0;
    for (int i = 0; i < LINES; i++) {
      found += text.isIn(memory, offsets[i], offsets[i + 1] - offsets[i]) ? 1 : 0;
    }
    return found;
  }

  @Benchmark
  @OperationsPerInvocation(LINES)
  public int inAnyCase() {
    int found = 0;
    for (int i = 0; i < LINES; i++) {
      found += folded.isIn(memory, offsets[i], offsets[i + 1] - offsets[i]) ? 1 : 0;
    }
    return found;
  }

  @Benchmark
  @OperationsPerInvocation(LINES)
  public int string() {
    int found = 0;
    for (int i = 0; i < LINES; i++) {
      byte[] line = new byte[(int) (offsets[i + 1] - offsets[i])];
      MemorySegment.copy(memory, JAVA_BYTE, offsets[i], line, 0, line.length);
      found += new String(line, StandardCharsets.ISO_8859_1).contains(WORD) ? 1 : 0;
    }
    return found;
  }

  @Benchmark
  @OperationsPerInvocation(LINES)
  public int byteByByte() {
    int found = 0;
    for (int i = 0; i < LINES; i++) {
      found += isIn(offsets[i], offsets[i + 1]) ? 1 : 0;
    }
    return found;
  }

  private boolean isIn(long from, long until) {
    for (long at = from; at <= until - WORD.length(); at++) {
      int same = 0;
      while (same < WORD.length() && memory.get(JAVA_BYTE, at + same) == WORD.charAt(same)) {
        same++;
      }
      if (same == WORD.length()) {
        return true;
      }
    }
    return false;
  }
}
