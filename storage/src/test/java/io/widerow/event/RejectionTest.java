package io.widerow.event;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The sentence that a sender of old events gets.
class RejectionTest {
  @ParameterizedTest
  @CsvSource({
    "P30D, 30d",
    "PT24H, 1d",
    "PT25H, 25h",
    "PT1H, 1h",
    "PT90M, 90m",
    "PT61S, 61s",
    "PT1.5S, 1.5s"
  })
  void theRetentionIsInTheLargestWholeUnit(Duration kept, String text) {
    assertEquals("older than the retention of " + text, Rejection.pastRetention(kept));
  }
}
