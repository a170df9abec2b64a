package io.widerow.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/// Time patterns from senders.
class TimePatternTest {
  @Test
  void aPatternOfTheJdkIsUsed() {
    TimePattern pattern = TimePattern.of("yyyy-MM-dd HH:mm", 2, ZoneOffset.UTC);
    byte[] line = "x 1970-01-01 00:02 y".getBytes(StandardCharsets.US_ASCII);
    assertEquals(120_000_000_000L, pattern.nanos(line, 0, line.length, 0));
    assertEquals(TimeParser.NONE, pattern.nanos(line, 1, line.length, 0));
  }

  @Test
  void aBadPatternIsRefused() {
    for (String none : new String[] {"nonsense", "yyyy'", "pppp", "ppppHHs G Q", "]"}) {
      assertThrows(
          IllegalArgumentException.class, () -> TimePattern.of(none, 0, ZoneOffset.UTC), none);
    }
  }
}
