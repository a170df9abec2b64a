package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/// Times and durations that are longer than anybody writes them.
class TimeTextTest {
  @Test
  void aLongDurationDoesNotOverflowTheStack() {
    String text = "1s".repeat(100_000);
    assertEquals(100_000_000_000_000L, TimeText.duration(text));
    assertEquals(900_000_000_000_000L, TimeText.parse("from", text, 1_000_000_000_000_000L));
    assertThrows(QueryException.Refused.class, () -> TimeText.parse("from", text + "x", 0));
  }
}
