package io.widerow.query.output;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: numbers and bytes that are written word by word are right at every length, and leave the
/// bytes before them unchanged. Method: write numbers and byte runs of all lengths between others
/// and compare with the text that the JDK makes.
class OutputBufferTest {
  private static void assertPut(long number) {
    OutputBuffer sink = new OutputBuffer(1);
    sink.put('<');
    sink.putLong(number);
    sink.put('>');
    sink.putLong(number);
    assertEquals("<" + number + ">" + number, sink.toString());
  }

  @Test
  void numberIsWrittenAsTheJdkDoes() {
    for (long small = -1_001; small <= 10_001; small++) {
      assertPut(small);
    }
    for (long power = 1, digits = 1; digits <= 18; power *= 10, digits++) {
      for (long near = -1; near <= 1; near++) {
        assertPut(power + near);
        assertPut(-power + near);
        assertPut(9 * power + near);
      }
    }
    assertPut(Long.MAX_VALUE);
    assertPut(Long.MIN_VALUE);
    assertPut(Long.MIN_VALUE + 1);
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 100_000; i++) {
      assertPut(random.nextLong() >> random.nextInt(Long.SIZE));
    }
  }

  @Test
  void bytesOfAnyLengthAreCopied() {
    byte[] source = new byte[200];
    for (int i = 0; i < source.length; i++) {
      source[i] = (byte) ('!' + i % 90);
    }
    for (int length = 0; length <= 100; length++) {
      for (int from = 0; from <= source.length - length; from += 33) {
        OutputBuffer sink = new OutputBuffer(1);
        sink.put('<');
        sink.put(source, from, length);
        sink.put('>', '\n');
        String run = new String(source, from, length, StandardCharsets.US_ASCII);
        assertEquals("<" + run + ">\n", sink.toString());
      }
    }
  }
}
