package io.widerow.cli.cluster;

import java.util.logging.Level;
import java.util.logging.Logger;

/// Keeps the driver's log off the standard error of a command: its report of a failure is the
/// command's own sentence. A configured level stays.
final class DriverLog {
  /// Kept here because the log manager holds loggers only weakly.
  private static final Logger DRIVER = Logger.getLogger("com.datastax");

  private DriverLog() {}

  static void silence() {
    if (DRIVER.getLevel() == null) {
      DRIVER.setLevel(Level.OFF);
    }
  }
}
