package io.widerow.loadgen.run;

import io.widerow.loadgen.format.Quantity;
import java.io.PrintWriter;
import java.util.Locale;

/// Prints a line about each second of the run to the terminal.
public record LiveLine(PrintWriter out) implements RunWatcher {
  @Override
  public void second(RunResult.Second second) {
    out.printf(
        Locale.ROOT,
        "%6.1f s %12s events/s   p50 %9s   p99 %9s   failed %d%s%n",
        second.atSeconds(),
        Quantity.count(second.eventsPerSecond()),
        Quantity.time(second.p50Nanos()),
        Quantity.time(second.p99Nanos()),
        second.failures(),
        second.measured() ? "" : "   warm-up");
    out.flush();
  }
}
