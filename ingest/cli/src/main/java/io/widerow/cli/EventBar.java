package io.widerow.cli;

import java.io.PrintStream;
import java.util.Locale;
import java.util.function.LongSupplier;

/// Shows the number of copied events and the estimated total: a bar on a terminal, a line every ten
/// seconds elsewhere.
///
/// ```
/// copying    [=========>          ]  45 %  1,204,113 events  38.2 MB  412,000 events/s  18 s left
/// ```
///
/// - Threads: any.
public final class EventBar {
  private static final int WIDTH = 20;
  private static final long TERMINAL_NANOS = 250_000_000L;
  private static final long LINES_NANOS = 10_000_000_000L;
  private static final String CLEAR_LINE = "\r\u001b[K";
  private static final double MEGABYTE = 1e6;
  private static final double SECOND_NANOS = 1e9;

  private final PrintStream err;
  private final boolean terminal;
  private final LongSupplier nanoTime;
  private String phase = "";
  private long total;
  private long events;
  private long bytes;
  private long startNanos;
  private long shownNanos;

  /// @param terminal true when `err` is one
  /// @param nanoTime the monotonic clock
  public EventBar(PrintStream err, boolean terminal, LongSupplier nanoTime) {
    this.err = err;
    this.terminal = terminal;
    this.nanoTime = nanoTime;
  }

  /// A phase begins.
  ///
  /// @param newPhase a word or two, such as `copying`
  /// @param expected the estimated number of events of [#moved]; 0 when it is unknown
  public synchronized void begin(String newPhase, long expected) {
    end();
    phase = newPhase;
    total = expected;
    events = 0;
    bytes = 0;
    startNanos = nanoTime.getAsLong();
    shownNanos = startNanos;
  }

  public synchronized void moved(long moreEvents, long moreBytes) {
    events += moreEvents;
    bytes += moreBytes;
    long now = nanoTime.getAsLong();
    if (now - shownNanos >= (terminal ? TERMINAL_NANOS : LINES_NANOS)) {
      shownNanos = now;
      String line = line((now - startNanos) / SECOND_NANOS);
      if (terminal) {
        err.print(CLEAR_LINE + line);
        err.flush();
      } else {
        err.println(line);
      }
    }
  }

  private String line(double seconds) {
    String counted =
        String.format(
            Locale.ROOT,
            "%,d events  %,.1f MB  %,.0f events/s",
            events,
            bytes / MEGABYTE,
            seconds <= 0 ? 0 : events / seconds);
    if (total <= 0) {
      return String.format(Locale.ROOT, "%-10s %s  %d s", phase, counted, (long) seconds);
    }
    double share = Math.min(1, (double) events / total);
    int filled = (int) (share * WIDTH);
    String bar = "=".repeat(filled) + (filled < WIDTH ? ">" + " ".repeat(WIDTH - 1 - filled) : "");
    long left = share <= 0 ? 0 : (long) Math.ceil(seconds / share - seconds);
    return String.format(
        Locale.ROOT,
        "%-10s [%s] %3d %%  %s  %s left",
        phase,
        bar,
        (int) (100 * share),
        counted,
        left < 120 ? left + " s" : (left + 59) / 60 + " min");
  }

  /// Clears the bar.
  public synchronized void end() {
    if (terminal && !phase.isEmpty()) {
      err.print(CLEAR_LINE);
      err.flush();
    }
  }
}
