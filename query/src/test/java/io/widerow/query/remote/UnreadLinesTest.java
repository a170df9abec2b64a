package io.widerow.query.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.widerow.event.PartitionKey;
import io.widerow.query.QueryException;
import io.widerow.query.aggregation.UnreadText;
import io.widerow.query.output.OutputBuffer;
import io.widerow.storage.Damage;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.ScanWatch.Unread;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: damaged parts in a daemon's lines are read as they were written. Method: parts with all
/// that a line may have, written and parsed.
class UnreadLinesTest {
  private static final long TIME = 1_763_640_000_000_000_001L;

  @Test
  void linesAreReadAsTheyAreWritten() {
    PartitionKey key = PartitionKey.parse("2025-11-20T12|a|\"b\"|3");
    List<Unread> parts =
        List.of(
            new Unread(Damage.Kind.BLOCK, "a\u001b.seg", 64, "\"x\"", key, 12, TIME, TIME + 7),
            new Unread(
                Damage.Kind.SEGMENT, "b", 0, "gone", null, PartitionInfo.EVENTS_UNKNOWN, 0, TIME));
    OutputBuffer out = new OutputBuffer(64);
    UnreadText.lines(parts, out);
    List<Unread> read = new ArrayList<>();
    for (String line : out.toString().lines().toList()) {
      Unread part = UnreadText.parse(JsonLine.cells(line));
      assertNotNull(part, line);
      read.add(part);
    }
    assertEquals(parts, read);
  }

  @Test
  void otherLinesAreNone() {
    assertNull(UnreadText.parse(JsonLine.cells("{\"damage\":\"x\",\"count\":7}")));
    assertNull(UnreadText.parse(JsonLine.cells("{\"error\":\"x\"}")));
  }

  @Test
  void aLineThatMakesNoSenseIsTold() {
    String line =
        "{\"damage\":\"a\",\"what\":\"%s\",\"offset\":1,\"found\":\"c\",\"events\":2,"
            + "\"partition\":null,\"first\":\"%s\",\"last\":\"2025-11-20T12:00:00Z\"}";
    for (String wrong :
        List.of(
            line.formatted("cheese", "2025-11-20T12:00:00Z"), line.formatted("block", "noon"))) {
      assertThrows(
          QueryException.Remote.class, () -> UnreadText.parse(JsonLine.cells(wrong)), wrong);
    }
  }
}
