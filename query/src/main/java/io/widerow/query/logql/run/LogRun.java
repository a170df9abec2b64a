package io.widerow.query.logql.run;

import io.widerow.event.EventView;
import io.widerow.query.RangeQuery;
import io.widerow.query.RangeReader;
import io.widerow.query.Token;
import io.widerow.query.logql.LogQuery;
import io.widerow.storage.EventCursor.Step;
import org.jspecify.annotations.Nullable;

/// The lines of a log query, as many as are asked for. Clients go on after the last time that they
/// were shown. Further lines that are not after it are shown as well, beyond the limit: those of
/// the same time, and within a tick of 100 ns those of an earlier one, because there the order of
/// ids is not that of times. A client that goes on after a token gets no more than its limit.
///
/// - Threads: one.
public final class LogRun {
  private final LogqlContext execution;
  private final LogQuery query;
  private final LineSink lines;

  /// A part of the lines.
  ///
  /// @param backward newest first
  /// @param limit the most lines
  /// @param intervalNanos the least time between one line and the next one; 0 for all lines
  /// @param exact whether the next page starts after a token, and not after a time
  /// @param after with `exact`: the end of the page before; null for the first one
  public record Page(
      boolean backward, long limit, long intervalNanos, boolean exact, @Nullable Token after) {}

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
    Token _ = read(fromNanos, untilNanos, new Page(backward, limit, 0, false, null));
  }

  /// Reads the lines of a half-open range, and returns the end of an exact page; null when there is
  /// none.
  public @Nullable Token read(long fromNanos, long untilNanos, Page page) {
    LogqlSelection selection = LogqlSelection.of(query, execution.labels());
    boolean backward = page.backward;
    Token end = page.after;
    RangeQuery range =
        selection.range(fromNanos, untilNanos).withDescending(backward).withAfter(end);
    if (range.fromNanos() >= range.untilNanos()) {
      return end;
    }
    KeptLines kept = new KeptLines(execution, selection);
    long count = 0;
    try (RangeReader reader = execution.open(range)) {
      long lastNanos = backward ? Long.MAX_VALUE : Long.MIN_VALUE;
      long lastTick = 0;
      while (reader.nextWhenReady() == Step.EVENT) {
        EventView event = reader.event();
        if (count >= page.limit) {
          if (page.exact || event.idTime() != lastTick) {
            break;
          }
          if (backward ? event.timeNanos() < lastNanos : event.timeNanos() > lastNanos) {
            continue; // on the next page
          }
        }
        boolean isTooNear =
            count > 0 && Math.abs(event.timeNanos() - lastNanos) < page.intervalNanos;
        if (!isTooNear && kept.add(event, lines)) {
          count++;
          lastTick = event.idTime();
          long nanos = event.timeNanos();
          lastNanos = backward ? Math.min(lastNanos, nanos) : Math.max(lastNanos, nanos);
          if (page.exact) {
            end = Token.of(event);
          }
        }
      }
    }
    return end;
  }
}
