package io.widerow.cli;

import java.io.PrintStream;
import java.util.Locale;

/// Shows on a terminal how far a query has come, once it takes longer than a second.
///
/// - Threads: one.
final class Progress {
  private static final long FIRST_NANOS = 1_000_000_000L;
  private static final long STEP_NANOS = 250_000_000L;
  private static final String CLEAR_LINE = "\r\u001b[K";

  private final PrintStream err;
  private final long startNanos;
  private long nextNanos = FIRST_NANOS; // since the start
  private boolean shown;

  Progress(PrintStream err, long startNanos) {
    this.err = err;
    this.startNanos = startNanos;
  }

  void at(long events, long nanoTime) {
    long elapsed = nanoTime - startNanos;
    if (elapsed >= nextNanos) {
      nextNanos = elapsed + STEP_NANOS;
      shown = true;
      err.printf(
          Locale.ROOT, CLEAR_LINE + "%,d events scanned in %d s", events, elapsed / 1_000_000_000L);
      err.flush();
    }
  }

  /// Clears the line.
  void end() {
    if (shown) {
      err.print(CLEAR_LINE);
      err.flush();
    }
  }
}
