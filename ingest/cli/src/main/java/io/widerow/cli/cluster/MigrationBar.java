package io.widerow.cli.cluster;

import io.widerow.cli.EventBar;
import io.widerow.storage.cassandra.migrate.MigrationWatch;
import java.io.PrintStream;
import java.util.function.LongSupplier;

/// Shows how far a migration is, and what keeps it waiting.
///
/// - Threads: any.
final class MigrationBar implements MigrationWatch {
  private final PrintStream err;
  private final EventBar bar;
  private String troubleLast = "";

  /// @param terminal true when `err` is one
  /// @param nanoTime the monotonic clock
  MigrationBar(PrintStream err, boolean terminal, LongSupplier nanoTime) {
    this.err = err;
    this.bar = new EventBar(err, terminal, nanoTime);
  }

  @Override
  public void begin(String newPhase, long expected) {
    bar.begin(newPhase, expected);
  }

  @Override
  public void moved(long moreEvents, long moreBytes) {
    bar.moved(moreEvents, moreBytes);
  }

  @Override
  public synchronized void trouble(String why) {
    if (!why.equals(troubleLast)) { // once, although each running statement fails with it
      troubleLast = why;
      bar.end();
      err.println("the cluster does not respond, retrying: " + why);
    }
  }

  /// Clears the bar.
  void end() {
    bar.end();
  }
}
