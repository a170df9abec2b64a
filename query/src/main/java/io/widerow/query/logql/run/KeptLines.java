package io.widerow.query.logql.run;

import io.widerow.event.EventView;
import io.widerow.query.logql.line.EventLines;
import io.widerow.query.logql.line.Line;
import io.widerow.query.logql.line.Pipeline;

/// Hands over the lines that the stages of a query keep. An event that the store's filter has
/// decided, and no stage changes, is handed over as it is.
///
/// - Threads: one.
final class KeptLines {
  private final boolean asStored;
  private final EventLines lines;
  private final Pipeline pipeline;

  /// @param selection that of the events
  KeptLines(LogqlContext execution, LogqlSelection selection) {
    LogqlSelection left = selection.decided();
    this.asStored = left.keepsAllAsStored();
    this.lines = new EventLines(execution.labels(), null, true, execution.lineMemory());
    this.pipeline = new Pipeline(left.query(), left.searched());
  }

  /// Hands over the line of an event, unless a stage drops it. Returns false then.
  boolean add(EventView event, LineSink to) {
    if (asStored && to.add(event)) {
      return true;
    }
    Line line = lines.show(event);
    boolean kept = pipeline.run(line);
    if (kept) {
      to.add(line);
    }
    return kept;
  }
}
