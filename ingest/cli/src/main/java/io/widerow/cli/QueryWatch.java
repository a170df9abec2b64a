package io.widerow.cli;

import io.widerow.query.output.OutputBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/// `widerow query --watch`: runs a query again and again, each result in the place of the one
/// before on a terminal, one after the other elsewhere. Relative times follow the clock. It ends
/// when the thread is interrupted, when the reader of the output has gone, and when a run fails.
///
/// - Threads: one.
final class QueryWatch {
  /// Clears the screen and goes to its first line.
  private static final String CLEAR = "\033[H\033[2J";

  private final Shell shell;
  private final long intervalNanos;

  QueryWatch(Shell shell, long intervalNanos) {
    this.shell = shell;
    this.intervalNanos = intervalNanos;
  }

  ExitCode run(QueryRun query) {
    OutputBuffer head = new OutputBuffer(1 << 7);
    long nextNanos = System.nanoTime();
    while (true) {
      if (shell.outToTerminal()) {
        head.put(CLEAR + Instant.now().truncatedTo(ChronoUnit.SECONDS) + "\n");
      }
      ExitCode code = shell.write(head) ? query.run() : ExitCode.OK;
      if (code != ExitCode.OK || query.isReaderGone()) {
        return code;
      }
      nextNanos = Math.max(nextNanos + intervalNanos, System.nanoTime());
      try {
        TimeUnit.NANOSECONDS.sleep(nextNanos - System.nanoTime());
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        return ExitCode.OK;
      }
    }
  }
}
