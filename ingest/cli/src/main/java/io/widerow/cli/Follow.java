package io.widerow.cli;

import io.widerow.query.QueryException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// Polls a daemon, and waits while it is unreachable.
final class Follow {
  private Follow() {}

  /// Fails when the daemon never answered. Keeps trying when it goes away after a result.
  ///
  /// @param ask asks once; false when that was the last time
  /// @param everyNanos how long it waits before it asks again
  /// @param kept the work that pauses until then, for the message
  static void until(BooleanSupplier ask, long everyNanos, String kept, Shell shell) {
    boolean answered = false;
    boolean away = false;
    while (true) {
      try {
        boolean more = ask.getAsBoolean();
        if (away) {
          shell.err().println("the daemon is back");
        }
        if (!more) {
          return;
        }
        away = false;
        answered = true;
      } catch (QueryException.Remote gone) {
        if (!answered) {
          throw gone;
        }
        if (!away) {
          shell.err().println(gone.getMessage() + "; retrying, " + kept);
        }
        away = true;
      }
      LockSupport.parkNanos(everyNanos);
    }
  }
}
