package io.widerow.query.logql.run;

import io.widerow.event.EventView;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.line.EventLines;
import io.widerow.query.logql.line.Line;
import io.widerow.query.logql.line.Pipeline;
import io.widerow.storage.EventCursor.Step;

/// The lines of a log query, as many as are asked for, by streams. Clients go on after the last
/// time that they were shown. Further lines that are not after it are shown as well, beyond the
/// limit: those of the same time, and within a tick of 100 ns those of an earlier one, because
/// there the order of ids is not that of times.
///
/// - Threads: one.
/// - Memory: all lines of the result, counted by the execution.
public final class LogRun {
  private final LogqlContext execution;
  private final LogQuery query;
  private final StreamEntries entries;

  /// @param categorized whether labels, metadata and parsed labels are separated
  public LogRun(LogqlContext execution, LogQuery query, boolean categorized) {
    this.execution = execution;
    this.query = query;
    this.entries = new StreamEntries(execution, categorized);
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
    EventLines lines = new EventLines(execution.labels(), null, true, execution.lineMemory());
    Pipeline pipeline = new Pipeline(query, selection.searched());
    try (RangeReader reader = execution.open(range)) {
      long lastNanos = backward ? Long.MAX_VALUE : Long.MIN_VALUE;
      long lastTick = 0;
      while (reader.nextWhenReady() == Step.EVENT) {
        EventView event = reader.event();
        if (entries.count() >= limit) {
          if (event.idTime() != lastTick) {
            break;
          }
          if (backward ? event.timeNanos() < lastNanos : event.timeNanos() > lastNanos) {
            continue; // on the next page
          }
        }
        Line line = lines.show(event);
        if (pipeline.run(line)) {
          entries.add(line);
          lastTick = event.idTime();
          long nanos = event.timeNanos();
          lastNanos = backward ? Math.min(lastNanos, nanos) : Math.max(lastNanos, nanos);
        }
      }
    }
  }

  /// The lines.
  public StreamEntries entries() {
    return entries;
  }
}
