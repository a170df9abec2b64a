package io.widerow.loadgen.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.loadgen.format.Quantity;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/// Goal: measurements around a full hour are separated from the rest. Method: a clock that is set.
class HourEndTest {
  private final AtomicLong clockMillis = new AtomicLong();
  private final HourEnd hourEnd = new HourEnd(clockMillis::get);

  private void answered(long atMillis, long nanos) {
    clockMillis.set(atMillis);
    Histogram interval = RunCounters.histogram();
    interval.recordValue(nanos);
    hourEnd.interval(interval);
  }

  @Test
  void secondsAroundTheHourAreCountedApart() {
    answered(7_200_000, 9 * Quantity.SECOND); // warm-up
    hourEnd.measuringBegins();
    answered(7_000_000, 1_000_000);
    assertEquals("", hourEnd.render());
    answered(7_195_000, 4_000_000);
    answered(7_229_000, 4_000_000);
    answered(7_231_000, 1_000_000);
    assertTrue(hourEnd.render().contains("p99 x 4.00"), hourEnd.render());
  }
}
