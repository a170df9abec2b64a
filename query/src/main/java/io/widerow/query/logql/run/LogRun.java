package io.widerow.query.logql.run;

import io.widerow.event.EventView;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.logql.LogQuery;
import io.widerow.storage.EventCursor.Step;

/// The lines of a log query, as many as are asked for. Clients go on after the last time that they
/// were shown. Further lines that are not after it are shown as well, beyond the limit: those of
/// the same time, and within a tick of 100 ns those of an earlier one, because there the order of
/// ids is not that of times.
///
/// - Threads: one.
public final class LogRun {
  private final LogqlContext execution;
  private final LogQuery query;
  private final LineSink lines;

  /// @param lines takes them
  public LogRun(LogqlContext execution, LogQuery query, LineSink lines) {
    this.execution = execution;
    this.query = query;
    this.lines = lines;
  }

  /// Reads the lines of a half-open range.
  ///
  /// @param backward newest first
  public void read(long fromNanos, long untilNanos, boolean backward, long limit) {
    LogqlSelection selection = LogqlSelection.of(query, execution.labels());
    RangeQuery range = selection.range(fromNanos, untilNanos).withDescending(backward);
    if (range.fromNanos() >= range.untilNanos()) {
      return;
    }
    KeptLines kept = new KeptLines(execution, selection);
    long count = 0;
    try (RangeReader reader = execution.open(range)) {
      long lastNanos = backward ? Long.MAX_VALUE : Long.MIN_VALUE;
      long lastTick = 0;
      while (reader.nextWhenReady() == Step.EVENT) {
        EventView event = reader.event();
        if (count >= limit) {
          if (event.idTime() != lastTick) {
            break;
          }
          if (backward ? event.timeNanos() < lastNanos : event.timeNanos() > lastNanos) {
            continue; // on the next page
          }
        }
        if (kept.add(event, lines)) {
          count++;
          lastTick = event.idTime();
          long nanos = event.timeNanos();
          lastNanos = backward ? Math.min(lastNanos, nanos) : Math.max(lastNanos, nanos);
        }
      }
    }
  }
}
