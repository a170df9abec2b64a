package io.widerow.loadgen.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.loadgen.format.Quantity;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: the filter keeps one line in a thousand. Method: count the word in the encoded bytes.
class LineWordTest {
  @Test
  void wordIsInOneLineOfAThousand() {
    long fromNanos = 1_795_000_020L * Quantity.SECOND;
    Workload workload =
        new Workload(Scenario.ACCESS, 7, 100, 20_000, 1, 1, 50, 0, 0, 0, fromNanos, 1);
    List<List<Sample>> batches = SamplePool.all(workload, 200);
    String word = LineWord.in(batches);
    long found = 0;
    for (PreparedBatch batch : BatchPool.prepare(workload, Target.WIDEROW_TEXT, 1).batches()) {
      byte[] bytes = new byte[batch.bytes().capacity()];
      batch.bytes().get(0, bytes);
      found +=
          new String(bytes, StandardCharsets.UTF_8)
              .lines()
              .filter(line -> line.contains(word))
              .count();
    }
    assertTrue(found > 10 && found < 30, word + " in " + found + " of 20000");
    List<String> lines = batches.stream().flatMap(List::stream).map(Encoder::message).toList();
    assertEquals(found, LineWord.holding(lines, word));
  }
}
