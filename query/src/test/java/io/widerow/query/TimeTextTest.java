package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/// Times and durations longer than anyone writes.
class TimeTextTest {
  @Test
  void durationMayHaveAFractionForEachUnit() {
    String digits = "000000000000000001.000000000000000000";
    String text = String.join(digits, "", "w", "d", "h", "m", "s", "ms", "us", "ns");
    assertTrue(TimeText.isDuration(text));
    assertEquals(694_861_001_001_001L, TimeText.duration(text));
    assertEquals(0, TimeText.parse("from", text, 694_861_001_001_001L));
  }

  /// Any client can send a parameter of several kilobytes. A sum of thousands of numbers took tens
  /// of megabytes.
  @Test
  void longerTextIsRefusedUnread() {
    for (String text : new String[] {"1s".repeat(3_000), "1s".repeat(3_000) + "x"}) {
      assertFalse(TimeText.isDuration(text));
      var time = assertThrows(QueryException.Refused.class, () -> TimeText.parse("from", text, 0));
      assertTrue(("" + time.getMessage()).length() < 100, time::toString);
      var duration =
          assertThrows(QueryException.Refused.class, () -> TimeText.positive("every", text));
      assertTrue(("" + duration.getMessage()).length() < 100, duration::toString);
    }
  }
}
