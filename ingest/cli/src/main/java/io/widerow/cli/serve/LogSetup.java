package io.widerow.cli.serve;

import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/// Logging of the programs: one line each on standard error, warnings and worse from libraries, and
/// everything from Widerow, each kind of line at the rate of [LogRate]. A file named by
/// `java.util.logging.config.file` overrides it.
public final class LogSetup {
  private static final Logger CLUSTER_CONNECTIONS =
      Logger.getLogger("com.datastax.oss.driver.internal.core.pool");

  /// Kept here because the log manager holds loggers only weakly.
  private static final List<Logger> LIBRARIES =
      List.of(
          Logger.getLogger("com.linecorp.armeria"),
          Logger.getLogger("io.netty"),
          Logger.getLogger("com.datastax"),
          // It tells a connection that was not made with two lines of its own settings; the state
          // of
          // the cluster is told by /ready and /v1/status.
          CLUSTER_CONNECTIONS);

  private LogSetup() {}

  /// Applies the setup. Call it before the first use of a library.
  public static void apply() {
    if (!Level.INFO.equals(Logger.getLogger("").getLevel())) {
      return; // the operator configured it
    }
    LIBRARIES.forEach(logger -> logger.setLevel(Level.WARNING));
    CLUSTER_CONNECTIONS.setLevel(Level.SEVERE);
    for (Handler handler : Logger.getLogger("").getHandlers()) {
      handler.setFormatter(new OneLine());
      handler.setFilter(new LogRate(System::nanoTime));
    }
  }

  /// Formats a record as one line, with its time in UTC. Control characters, which may be a
  /// client's, become spaces.
  private static final class OneLine extends SimpleFormatter {
    private static String oneLine(String text) {
      return text.codePoints().noneMatch(Character::isISOControl)
          ? text
          : text.replaceAll("\\p{Cntrl}", " ");
    }

    @Override
    public String format(java.util.logging.LogRecord record) {
      String thrown = record.getThrown() == null ? "" : " (" + record.getThrown() + ")";
      return "%s %s %s: %s%s%n"
          .formatted(
              record.getInstant(),
              record.getLevel(),
              record.getLoggerName(),
              oneLine(formatMessage(record)),
              oneLine(thrown));
    }
  }
}
