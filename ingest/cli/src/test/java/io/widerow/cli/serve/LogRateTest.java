package io.widerow.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

/// Goal: no client writes lines into the log at a rate of its choice, and none of another kind is
/// lost for it. Method: records at times that the test sets.
class LogRateTest {
  private final long[] now = {Long.MAX_VALUE - 5};
  private final LogRate rate = new LogRate(() -> now[0]);

  private LogRecord record(String logger, String message) {
    LogRecord record = new LogRecord(Level.WARNING, message);
    record.setLoggerName(logger);
    return record;
  }

  private int passed(int records, String logger) {
    int passed = 0;
    for (int i = 0; i < records; i++) {
      passed += rate.isLoggable(record(logger, "client " + i)) ? 1 : 0;
    }
    return passed;
  }

  @Test
  void aLibraryWritesAFewLinesWhateverTheySay() {
    assertEquals(LogRate.LINES_MAX, passed(1_000, "io.netty.x"));
    assertEquals(LogRate.LINES_MAX, passed(1_000, "io.netty.y"));
    now[0] += TimeUnit.SECONDS.toNanos(LogRate.WINDOW_SECONDS);
    LogRecord next = record("io.netty.x", "again");
    assertTrue(rate.isLoggable(next));
    assertEquals("again (990 more like it were left out)", next.getMessage());
    LogRecord second = record("io.netty.x", "again");
    assertTrue(rate.isLoggable(second));
    assertEquals("again", second.getMessage());
  }

  @Test
  void oursAreTakenApartByTheirMessages() {
    int passed = 0;
    for (int i = 0; i < 1_000; i++) {
      passed += rate.isLoggable(record("widerow", "snapshot {0}")) ? 1 : 0;
    }
    assertEquals(LogRate.OWN_LINES_MAX, passed);
    assertTrue(rate.isLoggable(record("widerow", "the disk is full")));
  }

  @Test
  void messagesWithoutEndTakeNoMemoryWithoutEnd() {
    int passed = passed(100_000, "widerow");
    assertTrue(passed < 2_000, passed + " lines");
    assertFalse(rate.isLoggable(record("widerow", "client 100001")));
  }
}
