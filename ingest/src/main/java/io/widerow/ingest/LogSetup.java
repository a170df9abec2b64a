package io.widerow.ingest;

import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/// How the programs log: warnings and worse, one line each on standard error, from the libraries;
/// everything from Widerow itself. A file named by `java.util.logging.config.file` overrides it.
final class LogSetup {
  private static final String FORMAT = "%1$tFT%1$tT.%1$tLZ %4$s %3$s: %5$s%6$s%n";

  /// Held, because the log manager forgets loggers that nobody holds.
  private static final List<Logger> LIBRARIES =
      List.of(
          Logger.getLogger("net.openhft"),
          Logger.getLogger("com.linecorp.armeria"),
          Logger.getLogger("io.netty"));

  private LogSetup() {}

  /// Call before the first use of a library.
  static void apply() {
    if (Logger.getLogger("").getLevel() != Level.INFO) {
      return; // somebody configured it
    }
    LIBRARIES.forEach(logger -> logger.setLevel(Level.WARNING));
    for (Handler handler : Logger.getLogger("").getHandlers()) {
      handler.setFormatter(new OneLine());
    }
  }

  /// A record in one line, its time in UTC.
  private static final class OneLine extends SimpleFormatter {
    @Override
    public String format(java.util.logging.LogRecord record) {
      String thrown = record.getThrown() == null ? "" : " (" + record.getThrown() + ")";
      return FORMAT.formatted(
          record.getInstant().atZone(java.time.ZoneOffset.UTC),
          "",
          record.getLoggerName(),
          record.getLevel(),
          formatMessage(record).replace('\n', ' '),
          thrown);
    }
  }
}
