package io.widerow.query.logql.run;

import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.logql.LogQuery;
import io.widerow.query.logql.line.EventLines;
import io.widerow.query.logql.line.Line;
import io.widerow.query.logql.line.Pipeline;
import io.widerow.storage.EventCursor.Step;

/// The lines of a log query, as many as are asked for, by streams. When the last of them has a time
/// that further lines have too, those are shown as well: clients go on behind that time, and would
/// not see them.
///
/// - Threads: one.
/// - Memory: all lines of the answer, told to the execution.
public final class LogRun {
  private final Execution execution;
  private final LogQuery query;
  private final StreamEntries entries;

  /// @param categorized whether labels, metadata and parsed labels are told apart
  public LogRun(Execution execution, LogQuery query, boolean categorized) {
    this.execution = execution;
    this.query = query;
    this.entries = new StreamEntries(execution, categorized);
  }

  /// Reads the lines of a half-open range.
  ///
  /// @param backward newest first
  public void read(long fromNanos, long untilNanos, boolean backward, long limit) {
    Selection selection = Selection.of(query, execution.labels());
    RangeQuery range = selection.range(fromNanos, untilNanos).withDescending(backward);
    if (range.fromNanos() >= range.untilNanos()) {
      return;
    }
    EventLines lines = new EventLines(execution.labels(), null, true);
    Pipeline pipeline = new Pipeline(query, selection.searched());
    RangeReader reader = execution.open(range);
    try {
      long lastNanos = 0;
      while (reader.nextWhenReady() == Step.EVENT) {
        if (entries.count() >= limit && reader.event().timeNanos() != lastNanos) {
          break;
        }
        Line line = lines.show(reader.event());
        if (pipeline.run(line)) {
          entries.add(line);
          lastNanos = line.timeNanos();
        }
      }
    } finally {
      execution.close(reader);
    }
  }

  /// The lines.
  public StreamEntries entries() {
    return entries;
  }
}
