package io.widerow.loadgen.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/// Goal: the work of a target after the end of a run is added to its cost. Method: readings.
final class CostsTest {
  @Test
  void whatIsLeftIsSharedByAllThatWasSent() {
    Costs measured = new Costs(1_000, 70, 4_000, -1, 0.25);
    ProcessReading ended = new ProcessReading(0, 5_000, 60, 80, 10_000);
    ProcessReading settled = new ProcessReading(9, 9_000, 50, 90, 18_000);

    Costs whole = measured.with(ended, settled, 0.25, 123);

    assertEquals(new Costs(2_000, 90, 6_000, 123, 0.25), whole);
    assertEquals(new Costs(2_000, 90, 6_000, 7, 0.25), whole.withAtRestBytes(7));
  }

  @Test
  void processesAreAddedUp() {
    ProcessReading daemon = new ProcessReading(3, 5_000, 60, 80, 10_000);
    ProcessReading node = new ProcessReading(4, 700, 20, 30, 900);
    assertEquals(new ProcessReading(3, 5_700, 80, 110, 10_900), daemon.plus(node));
  }
}
