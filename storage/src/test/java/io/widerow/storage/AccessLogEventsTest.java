package io.widerow.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.RecordView;
import io.widerow.faults.AccessLogEvents;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: the benchmark data is as hard to compress as the real log, and reproducible.
class AccessLogEventsTest {
  private static final int EVENTS = 10_000;

  @Test
  void aSeedGivesTheSameEventsAndAnotherGivesOthers() {
    assertEquals(lines(1), lines(1));
    assertNotEquals(lines(1), lines(2));
  }

  @Test
  void noLineComesTwiceAndLinesAreAsLongAsRealOnes() throws Exception {
    List<String> lines = lines(3);
    int realBytes = Files.readString(AccessLogEvents.REAL_LOG).length() / EVENTS;
    int bytes = String.join("\n", lines).length() / EVENTS;

    assertEquals(EVENTS, new HashSet<>(lines).size());
    assertTrue(Math.abs(bytes - realBytes) < 25, bytes + " bytes, real " + realBytes);
  }

  @Test
  void compressesWorseThanTheRealLog() throws Exception {
    byte[] real = Files.readAllBytes(AccessLogEvents.REAL_LOG);
    byte[] made = String.join("\n", lines(4)).getBytes(StandardCharsets.UTF_8);

    int realBytes = Zstd.compress(real, 9).length;
    int madeBytes = Zstd.compress(made, 9).length;
    assertTrue(madeBytes > realBytes, madeBytes + " bytes, real " + realBytes);
  }

  @Test
  void timesRiseButForTheLateOnes() {
    try (var batch = new EventBatch(1 << 20, 64 << 20)) {
      assertEquals(EVENTS, AccessLogEvents.of(5).fill(batch, EVENTS));
      var view = new RecordView();
      long last = 0;
      int late = 0;
      for (long at = 0; at < batch.bytes(); at += EventLayout.alignedLength(view.length())) {
        long nanos = view.show(batch.memory(), at).timeNanos();
        late += nanos < last ? 1 : 0;
        last = Math.max(last, nanos);
      }
      assertTrue(late > EVENTS / 100 && late < EVENTS / 30, late + " late");
    }
  }

  @Test
  void aFullBatchLosesNoEvent() {
    var events = AccessLogEvents.of(6);
    try (var batch = new EventBatch(1 << 10, 10_000)) {
      int added = events.fill(batch, EVENTS);
      assertEquals(batch.count(), added);
      assertEquals(added, events.made());
      assertTrue(added > 10 && added < 100, added + " added");
    }
  }

  private static List<String> lines(long seed) {
    List<String> lines = new ArrayList<>();
    var view = new RecordView();
    var value = new AttributeValue();
    try (var batch = new EventBatch(1 << 20, 64 << 20)) {
      AccessLogEvents.of(seed).fill(batch, EVENTS);
      for (long at = 0; at < batch.bytes(); at += EventLayout.alignedLength(view.length())) {
        view.show(batch.memory(), at).find(AttributeName.BODY, value);
        lines.add(value.toString());
      }
    }
    return lines;
  }
}
