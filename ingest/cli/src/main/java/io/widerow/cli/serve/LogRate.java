package io.widerow.cli.serve;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.logging.Filter;
import java.util.logging.LogRecord;

/// A rate limit for log records of each kind, so that no client can fill a disk with log lines. The
/// next record of that kind has the number of omitted ones.
///
/// A kind is a message before its parameters are filled in, or for a library its logger: its
/// messages may hold what a client sent.
///
/// - Threads: any.
final class LogRate implements Filter {
  static final int LINES_MAX = 10; // of a library
  static final int OWN_LINES_MAX = 100; // of a kind of ours: damage has one for each damaged file
  static final int WINDOW_SECONDS = 10;
  private static final int KINDS_MAX = 1_000;
  private static final String OWN = "widerow";
  private static final String OTHERS = "others";

  private final LongSupplier nanoTime;
  private final Map<String, Kind> kinds = new ConcurrentHashMap<>();

  LogRate(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  @Override
  public boolean isLoggable(LogRecord record) {
    String name = String.valueOf(record.getLoggerName());
    boolean own = name.equals(OWN);
    String kind = own ? String.valueOf(record.getMessage()) : name;
    if (kinds.size() >= KINDS_MAX && !kinds.containsKey(kind)) {
      kind = OTHERS;
    }
    int most = own ? OWN_LINES_MAX : LINES_MAX;
    long leftOut = kinds.computeIfAbsent(kind, _ -> new Kind()).next(most, nanoTime.getAsLong());
    if (leftOut > 0) {
      record.setMessage(
          "%s (%d more like it were left out)".formatted(record.getMessage(), leftOut));
    }
    return leftOut >= 0;
  }

  private static final class Kind {
    private long startNanos; // guarded by this, as all of it
    private int lines;
    private long leftOut;
    private boolean begun;

    /// The number of records omitted before this one; -1 to omit this one too.
    synchronized long next(int most, long now) {
      if (!begun || now - startNanos >= TimeUnit.SECONDS.toNanos(WINDOW_SECONDS)) {
        begun = true;
        startNanos = now;
        lines = 0;
      }
      if (lines >= most) {
        leftOut++;
        return -1;
      }
      lines++;
      long before = leftOut;
      leftOut = 0;
      return before;
    }
  }
}
