package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Times and durations as people write them, and longer than anyone writes.
class TimeTextTest {
  /// 2026-11-25T00:30:00Z: in New York it is still the day before.
  private static final long NOW = 1_795_566_600_000_000_000L;

  @ParameterizedTest(name = "{0} in {1}")
  @CsvSource({
    "now,UTC,2026-11-25T00:30:00Z",
    "15m,UTC,2026-11-25T00:15:00Z",
    "1y,UTC,2025-11-25T00:30:00Z",
    "1y1d12h,UTC,2025-11-23T12:30:00Z",
    "2w,UTC,2026-11-11T00:30:00Z",
    "2026-11-24,UTC,2026-11-24T00:00:00Z",
    "2026-11-24 20:00,UTC,2026-11-24T20:00:00Z",
    "2026-11-24 20:00:05,UTC,2026-11-24T20:00:05Z",
    "2026-11-24T20:00:05.000000001,UTC,2026-11-24T20:00:05.000000001Z",
    "2026-11-24 9:05,UTC,2026-11-24T09:05:00Z",
    "20:00,UTC,2026-11-25T20:00:00Z",
    "today,UTC,2026-11-25T00:00:00Z",
    "yesterday,UTC,2026-11-24T00:00:00Z",
    "yesterday 20:00,UTC,2026-11-24T20:00:00Z",
    "today,America/New_York,2026-11-24T05:00:00Z",
    "yesterday 20:00:01,America/New_York,2026-11-24T01:00:01Z",
    "20:00,America/New_York,2026-11-25T01:00:00Z",
    "2026-11-24 20:00,Europe/Berlin,2026-11-24T19:00:00Z",
    "2026-07-01 20:00,Europe/Berlin,2026-07-01T18:00:00Z",
    "2026-03-29 02:30,Europe/Berlin,2026-03-29T01:30:00Z", // set forward: does not exist
    "2026-10-25 02:30,Europe/Berlin,2026-10-25T00:30:00Z", // set back: the first of two
    "2026-11-24T20:00Z,Europe/Berlin,2026-11-24T20:00:00Z",
    "2026-11-24 20:00 +05:30,Europe/Berlin,2026-11-24T14:30:00Z",
    "2026-11-24 20:00:00.5-01:00,UTC,2026-11-24T21:00:00.5Z",
    "1764103800,Europe/Berlin,2025-11-25T20:50:00Z",
  })
  void timesAsPeopleWriteThem(String text, String zone, Instant expected) {
    long nanos = TimeText.parse("from", text, NOW, ZoneId.of(zone));
    assertEquals(expected, Instant.EPOCH.plusNanos(nanos));
    boolean local = !expected.equals(at(text, "UTC")) || !expected.equals(at(text, "Asia/Tokyo"));
    assertTrue(!local || TimeText.isLocal(text), "what depends on the zone is known to");
  }

  private static Instant at(String text, String zone) {
    return Instant.EPOCH.plusNanos(TimeText.parse("from", text, NOW, ZoneId.of(zone)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "T",
        ":00",
        "24:01",
        "12:60",
        "2026-02-30",
        "2026-13-01",
        "2026-11-24 ",
        "2026-11-2420:00",
        "2026-11-24 20",
        "2026-11 -24T20:00Z",
        "2026 -11-24 20:00Z",
        " 20:00",
        "yesterday20:00",
        "tomorrow",
        "1year",
        "Y"
      })
  void otherTextsAreRefusedWithTheForms(String text) {
    var refused =
        assertThrows(QueryException.Refused.class, () -> TimeText.parse("from", text, NOW));
    assertEquals(
        "from: not a time: %s (write 15m, 1y, 2026-11-20, 2026-11-20 19:15, 19:15, yesterday,"
                .formatted(text)
            + " 2026-11-20T19:15:00Z or an epoch)",
        refused.getMessage());
  }

  @Test
  void durationMayHaveAFractionForEachUnit() {
    String digits = "000000000000000001.000000000000000000";
    String text = String.join(digits, "", "y", "w", "d", "h", "m", "s", "ms", "us", "ns");
    assertTrue(TimeText.isDuration(text));
    assertEquals(32_230_861_001_001_001L, TimeText.duration(text));
    assertEquals(0, TimeText.parse("from", text, 32_230_861_001_001_001L));
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
