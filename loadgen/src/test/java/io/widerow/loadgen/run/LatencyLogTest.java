package io.widerow.loadgen.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LatencyLogTest {
  @Test
  void anyReaderOfSuchLogsFindsTheSecondsAgain(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("00a.hlog");
    try (LatencyLog log = new LatencyLog(file)) {
      log.interval(second(1_000, 700, 900_000));
      log.interval(second(2_000)); // nothing was answered in it
      log.interval(second(3_000, 5_000));
    }
    HistogramLogReader reader = new HistogramLogReader(file.toFile());
    Histogram first = (Histogram) Objects.requireNonNull(reader.nextIntervalHistogram());
    assertEquals(2, first.getTotalCount());
    assertEquals(1_000, first.getStartTimeStamp());
    assertEquals(first.highestEquivalentValue(900_000), first.getMaxValue());
    Histogram last = (Histogram) Objects.requireNonNull(reader.nextIntervalHistogram());
    assertEquals(1, last.getTotalCount());
    assertEquals(3_000, last.getStartTimeStamp());
    assertNull(reader.nextIntervalHistogram());
    reader.close();
  }

  private static Histogram second(long startMillis, long... nanos) {
    Histogram histogram = RunCounters.histogram();
    for (long value : nanos) {
      histogram.recordValue(value);
    }
    histogram.setStartTimeStamp(startMillis);
    histogram.setEndTimeStamp(startMillis + 1_000);
    return histogram;
  }
}
